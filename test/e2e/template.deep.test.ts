import { execFile, execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { newFolder } from '../sample-tree.ts'
import { addressOf, ended } from './commands.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))
const place = newFolder()
const copy = join(place, 'copy')
const upstream = join(place, 'upstream')
const site = join(place, 'site')
const remote = join(place, 'data.git')

const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 2 ** 26,
  })

/** A clone of the project as it stands here, with one commit. */
function cloneAt(folder: string): void {
  mkdirSync(folder, { recursive: true })
  git(folder, 'init', '--quiet', '--initial-branch=main')
  for (const file of git(project, 'ls-files', '--cached', '--others', '--exclude-standard')
    .split('\n')
    .filter(Boolean)) {
    if (!existsSync(join(project, file))) continue
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(project, file), join(folder, file))
  }
  git(folder, 'add', '.')
  git(folder, 'commit', '--quiet', '--message', 'Initial commit')
  // Installing is what this test did before.
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'))
  // The rule for the folder does not hold for a link.
  writeFileSync(join(folder, '.git/info/exclude'), 'node_modules\n')
}

/** Runs a command of the copy as its owner would. */
const quotetree = (...args: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const env = { ...process.env, MKT_NOW: '2026-11-20T12:00:00Z', NO_COLOR: '1' }
    execFile(
      process.execPath,
      ['scripts/quotetree.mjs', ...args],
      { cwd: copy, env, maxBuffer: 2 ** 26 },
      (error, out, err) => (error ? reject(new Error(`${args.join(' ')}: ${out}${err}`)) : resolve(out)),
    )
  })

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
  git(upstream, 'config', 'uploadpack.allowAnySHA1InWant', 'true')
  git(upstream, 'tag', 'v1')
  cloneAt(copy)
  git(place, 'init', '--quiet', '--bare', remote)

  // The one edited file.
  writeFileSync(join(copy, 'quotetree.config.ts'), CONFIG)
  git(copy, 'add', 'quotetree.config.ts')
  git(copy, 'commit', '--quiet', '--message', 'Name the feed')

  // Three commands with npm install before them: config, snapshot, serve.
  expect(await quotetree('config')).toMatch(/product +"Grove Prices" {2}\(file\)/)
  await quotetree('snapshot', ...SAMPLE, '--out', 'dist')
  const server = spawn(process.execPath, ['scripts/quotetree.mjs', 'serve', '--root', 'dist'], {
    cwd: copy,
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const address = await addressOf(server)
  const answer = Feed.parse(await (await fetch(`${address}/api/mkt/grove`)).json())
  expect(answer).toMatchObject(OWN)
  expect((await fetch(`${address}/api/mkt/tnk`)).status).toBe(404)
  expect(await (await fetch(`${address}/`)).text()).toContain('Grove Prices')
  expect(await (await fetch(`${address}/ui/style.css`)).text()).toContain('--accent:light-dark(#7a3e00,#ffb066)')
  server.kill('SIGTERM')
  await ended(server)
  await quotetree('verify', '--all', '--tree', 'dist')
  await quotetree('doctor', '--tree', 'dist')

  // Publication: the tree to a file host, its facts to a branch.
  await quotetree('hosting', 'static', '--tree', 'dist')
  cpSync(join(copy, 'dist'), site, { recursive: true, preserveTimestamps: true })
  await quotetree('data-branch', '--tree', 'dist', '--remote', remote)
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
  writeFileSync(join(upstream, 'quotetree.config.ts'), 'export default { product: "Theirs" }\n')
  git(upstream, 'add', '--all')
  git(upstream, 'commit', '--quiet', '--message', 'Release')
  git(upstream, 'tag', 'v2')
  await quotetree('update', '--upstream', upstream, '--to', 'v2', '--message', join(place, 'message.md'))
  expect(git(copy, 'diff', '--cached', '--name-only').trim().split('\n')).toEqual([
    'CHANGELOG.md',
    'src/contract/product.ts',
  ])
  expect(readFileSync(join(copy, 'quotetree.config.ts'), 'utf8')).toBe(CONFIG)
  expect(readFileSync(join(place, 'message.md'), 'utf8')).toContain('- A new label.')
  git(copy, 'add', '--all')
  git(copy, 'commit', '--quiet', '--message', 'Update to v2')

  await quotetree('snapshot', ...SAMPLE, '--out', 'dist3', '--from', site)
  expect(feedIn(join(copy, 'dist3'))).toMatchObject(OWN)
}, 600_000)
