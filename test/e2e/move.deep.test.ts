import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { newFolder } from '../sample-tree.ts'
import { installEngine } from '../scripts/installed.ts'
import { ended, start } from './commands.ts'
import { git } from './project-copy.ts'

/** What a copy of the project has of its owner, and a few of the files of the project around it. */
const COPY: Readonly<Record<string, string>> = {
  'README.md': '# Quotetree',
  'package.json': '{ "name": "quotetree", "private": true, "type": "module" }',
  'src/config/define.ts': 'export const defineConfig = (config: unknown) => config',
  'src/pages/mark.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'grove.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1z"/></svg>',
  'registry/grove-coin.json': JSON.stringify({ slug: 'grove-coin', symbol: 'GROVE', name: 'Grove Coin' }),
  'quotetree.config.ts': `import { defineConfig } from './src/config/define.ts'

export default defineConfig({
  product: 'Grove Prices',
  pages: { logo: 'grove.svg' },
  ecosystem: { name: 'grove', title: 'Grove' },
  registry: 'registry',
})
`,
}
const SAMPLE = ['--sources', 'sample', '--listings', '12', '--history-requests', '6']

it('turns a copy of the project into a folder of the package, as moving-up.md shows, and goes on from its site', async () => {
  const place = newFolder()
  const [copy, remote, site, bin] = ['copy', 'remote.git', 'site', 'bin'].map((name) => join(place, name))
  if (!copy || !remote || !site || !bin) throw new Error('unreachable')
  for (const [path, text] of Object.entries(COPY)) {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    writeFileSync(join(copy, path), text)
  }
  git(place, 'init', '--quiet', '--bare', '--initial-branch=main', remote)
  git(copy, 'init', '--quiet', '--initial-branch=main')
  git(copy, 'add', '--all')
  git(copy, 'commit', '--quiet', '--message', 'My feed')
  git(copy, 'remote', 'add', 'origin', remote)
  git(copy, 'push', '--quiet', '--set-upstream', 'origin', 'main')
  const before = await ended(start('snapshot', SAMPLE, { MKT_NOW: '2026-11-20T12:00:00Z' }, copy))
  expect([before.code, before.stderr]).toEqual([0, ''])
  cpSync(join(copy, 'dist'), site, { recursive: true, preserveTimestamps: true })
  git(copy, 'config', 'user.name', 't')
  git(copy, 'config', 'user.email', 't@example.org')
  writeFileSync(join(copy, '.git/info/exclude'), 'dist\nnode_modules\n')

  const engine = await installEngine(join(place, 'npm'))
  mkdirSync(bin)
  const program = (name: string, line: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 })
  program('npx', `shift; exec node ${join(engine, 'quotetree.js')} "$@"`)
  program('npm', `ln -s ${join(place, 'npm/node_modules')} node_modules`)
  const guide = readFileSync(fileURLToPath(new URL('../../.github/docs/moving-up.md', import.meta.url)), 'utf8')
  const [, lines = ''] = /From a copy of the project[^]*?```sh\n([^]*?)```/.exec(guide) ?? []
  expect(lines.trim().split('\n').length).toBeLessThanOrEqual(10)
  const moved = spawnSync('bash', ['-e', '-c', lines], {
    cwd: copy,
    env: { ...process.env, PATH: `${bin}:${process.env['PATH']}` },
    encoding: 'utf8',
  })
  expect([moved.status, moved.stderr.replaceAll(/^(To|   ).*\n/gm, '')]).toEqual([0, ''])

  expect(git(remote, 'ls-tree', '-r', '--name-only', 'main').trim().split('\n')).toEqual([
    '.github/dependabot.yml',
    '.github/workflows/registry.yml',
    '.github/workflows/snapshot.yml',
    '.gitignore',
    'README.md',
    'grove.svg',
    'package.json',
    'quotetree.config.ts',
    'registry/grove-coin.json',
  ])
  const told = execFileSync(
    process.execPath,
    [join(engine, 'quotetree.js'), 'snapshot', ...SAMPLE, '--out', 'dist2', '--from', site],
    { cwd: copy, encoding: 'utf8', env: { ...process.env, MKT_NOW: '2026-11-20T12:30:00Z' } },
  )
  expect(told).toContain('Went on from the checkpoint of 2026-11-20T12:00:00Z')
  const own = readFileSync(join(copy, 'dist2/api/mkt/grove.json'), 'utf8')
  expect(own).toContain('"product":"Grove Prices"')
  expect(own).toContain('grove-coin')
})
