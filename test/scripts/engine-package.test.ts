import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { filesBelow } from '../../src/core/tree/reader.ts'
import { newFolder } from '../sample-tree.ts'
import { installEngine, manifestOf } from './installed.ts'
import { deepIt } from '../scale.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))
const folder = newFolder()
const engine = await installEngine(folder)
const quotetree = (...args: readonly string[]): string =>
  execFileSync(process.execPath, [join(engine, 'quotetree.js'), ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, MKT_NOW: '2026-11-20T12:00:00Z', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

it('holds JavaScript, types of the settings and what the program reads, and none of the sources', () => {
  const files = filesBelow(engine, '')
  expect(
    files
      .filter((file) => !/^[\w-]+\.js$|^hosts\/files\/|^assets\/[a-z0-9-]+\.(?:json|svg)$|^template\//.test(file))
      .toSorted(),
  ).toEqual(['LICENSE', 'LICENSES.txt', 'README.md', 'config.d.ts', 'package.json'])
})

it('names its own settings to an editor', () => {
  writeFileSync(
    join(folder, 'quotetree.config.ts'),
    `import { defineConfig } from 'quotetree'
export default defineConfig({
  product: 'Grove Prices',
  prefix: 'v1/quotes',
  sources: { off: ['mexc'] },
  pages: { colours: { accent: { light: '#7a3e00', dark: '#ffb066' } } },
  registry: [{ slug: 'grove-coin', symbol: 'GROVE', name: 'Grove Coin' }],
})
`,
  )
  const tsc = [join(project, 'node_modules/typescript/bin/tsc'), '--noEmit', '--strict', '--ignoreConfig']
  execFileSync(process.execPath, [...tsc, '--module', 'nodenext', '--types', '', 'quotetree.config.ts'], {
    cwd: folder,
  })
  expect(readFileSync(join(engine, 'config.d.ts'), 'utf8')).toContain('minutes between runs')
})

deepIt('publishes a feed below its own prefix, with the pages and the programs of hosts', () => {
  quotetree('snapshot', '--sources', 'sample', '--listings', '12', '--history-requests', '6')
  expect(existsSync(join(folder, 'dist/v1/quotes/assets/bitcoin.json'))).toBe(true)
  expect(quotetree('config', '--host', 'cloudflare', '--database', 'x')).toContain('worker.js')
  expect(quotetree('config', '--host', 'nginx')).toContain('quotetree.conf')
  const naming = filesBelow(folder, '')
    .filter((file) => /^(?:dist|\.hosting)\//.test(file) && !file.endsWith('.zip'))
    .filter((file) => readFileSync(join(folder, file), 'utf8').replaceAll('?"/api/mkt":', '').includes('api/mkt'))
  expect(naming).toEqual([])
})

it('installs one package, which compiles the settings, and is of at most 10 MB itself', () => {
  expect(Object.keys(manifestOf(engine).dependencies)).toEqual(['esbuild'])
  const bytes = filesBelow(engine, '').reduce((sum, file) => sum + statSync(join(engine, file)).size, 0)
  expect(bytes).toBeLessThan(10_000_000)
})
