import { spawn } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { newFolder } from '../sample-tree.ts'
import { addressOf, ended } from './commands.ts'
import { cloneAt, commandsIn, git } from './project-copy.ts'

const place = newFolder()
const copy = join(place, 'copy')
const upstream = join(place, 'upstream')
const site = join(place, 'site')
const remote = join(place, 'data.git')
const quotetree = commandsIn(copy)

const CONFIG = `import { defineConfig } from './src/config/define.ts'

export default defineConfig({
  product: 'Grove Prices',
  site: 'https://prices.grove.example/',
  pages: { colours: { accent: { light: '#7a3e00', dark: '#ffb066' } } },
  ecosystem: { name: 'grove', title: 'Grove' },
  registry: [
    { slug: 'grove-coin', symbol: 'GROVE', name: 'Grove Coin' },
    { slug: 'grove-gold', symbol: 'GGOLD', name: 'Grove Gold' },
  ],
})
`
const Feed = z.object({ product: z.string(), endpoint: z.string(), rows: z.array(z.object({ slug: z.string() })) })
const feedIn = (tree: string) => Feed.parse(JSON.parse(readFileSync(join(tree, 'api/mkt/grove.json'), 'utf8')))
const OWN = { product: 'Grove Prices', endpoint: 'grove', rows: [{ slug: 'grove-coin' }, { slug: 'grove-gold' }] }
const SAMPLE = ['--sources', 'sample', '--listings', '30']

it('takes a copy of the template from one edited file to a served feed of its own, and through an update', async () => {
  cloneAt(upstream)
  git(upstream, 'tag', 'v1')
  cloneAt(copy)
  git(place, 'init', '--quiet', '--bare', remote)

  // The one edited file.
  writeFileSync(join(copy, 'quotetree.config.ts'), CONFIG)
  git(copy, 'add', 'quotetree.config.ts')
  git(copy, 'commit', '--quiet', '--message', 'Name the feed')

  // What its owner types until the feed is served; npm install was run before this test.
  const begin = performance.now()
  const typed = ['npm install']
  const run = (name: string, ...args: readonly string[]) => {
    typed.push(name)
    return quotetree(name, ...args)
  }
  expect(await run('config')).toMatch(/product +"Grove Prices" {2}\(file\)/)
  await run('snapshot', ...SAMPLE, '--out', 'dist')
  typed.push('serve')
  const server = spawn(process.execPath, ['scripts/quotetree.mjs', 'serve', '--tree', 'dist'], {
    cwd: copy,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const address = await addressOf(server)
  const answer = Feed.parse(await (await fetch(`${address}/api/mkt/grove`)).json())
  expect(answer).toMatchObject(OWN)
  expect((await fetch(`${address}/api/mkt/tnk`)).status).toBe(404)
  expect(await (await fetch(`${address}/`)).text()).toContain('Grove Prices')
  expect(typed.length).toBeLessThanOrEqual(5)
  console.log(
    `${typed.length} commands to a served feed, ${((performance.now() - begin) / 1000).toFixed(0)} s without npm install`,
  )
  expect(await (await fetch(`${address}/ui/style.css`)).text()).toContain('--accent:light-dark(#7a3e00,#ffb066)')
  server.kill('SIGTERM')
  await ended(server)
  await quotetree('verify', '--tree', 'dist')

  // Publication: the tree to a file host, its facts to a branch.
  await quotetree('config', '--host', 'static', '--tree', 'dist')
  cpSync(join(copy, 'dist'), site, { recursive: true, preserveTimestamps: true })
  await quotetree('publish', '--tree', 'dist', '--to', `git+${remote}`)
  expect(git(remote, 'log', '--format=%an', 'snapshots').trim()).toBe('Grove Prices')

  // The second run is on a machine that holds nothing.
  await quotetree('snapshot', ...SAMPLE, '--out', 'dist2', '--from', site)
  expect(feedIn(join(copy, 'dist2'))).toMatchObject(OWN)

  // The project publishes a release.
  const named = readFileSync(join(upstream, 'src/contract/product.ts'), 'utf8')
  writeFileSync(join(upstream, 'src/contract/product.ts'), named.replace('public preview', 'public feed'))
  writeFileSync(
    join(upstream, 'CHANGELOG.md'),
    `${readFileSync(join(upstream, 'CHANGELOG.md'), 'utf8')}- A new label.\n`,
  )
  git(upstream, 'rm', '--quiet', '.editorconfig')
  git(upstream, 'add', '--all')
  git(upstream, 'commit', '--quiet', '--message', 'Release')
  git(upstream, 'tag', 'v2')
  git(copy, 'remote', 'add', 'upstream', upstream)
  git(copy, 'fetch', '--quiet', '--tags', 'upstream')
  git(copy, 'merge', '--quiet', '--allow-unrelated-histories', '--strategy', 'ours', '--message', 'Begin at v1', 'v1')
  git(copy, 'merge', '--quiet', '--message', 'Update to v2', 'v2')
  expect(git(copy, 'diff', '--name-only', 'HEAD^').trim().split('\n')).toEqual([
    '.editorconfig',
    'CHANGELOG.md',
    'src/contract/product.ts',
  ])
  expect(readFileSync(join(copy, 'quotetree.config.ts'), 'utf8')).toBe(CONFIG)

  await quotetree('snapshot', ...SAMPLE, '--out', 'dist3', '--from', site)
  expect(feedIn(join(copy, 'dist3'))).toMatchObject(OWN)
})
