import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { filesAt } from '../../src/delivery/bucket.ts'
import { sha256Of } from '../../src/core/contract/digest.ts'
import { newFolder } from '../sample-tree.ts'
import { ended, run, start } from './commands.ts'

const HOUR = 3_600_000
const START = Date.UTC(2026, 10, 20, 12)
const args = (root: string) => ['--sources', 'sample', '--listings', '12', '--out', root]
const at = (run: number) => ({ MKT_NOW: new Date(START + run * HOUR).toISOString() })

const published = (root: string): string[] =>
  readdirSync(join(root, 'api'), { recursive: true, encoding: 'utf8' })
    .map((name) => join(root, 'api', name))
    .filter((file) => file.endsWith('.json') && statSync(file).isFile())

const REBUILDS = 20
/** A machine that is busy meanwhile may end a run before its moment, or begin it after. */
const ATTEMPTS = 20

it('leaves a tree that parses and that the next run completes, killed at any moment of its rebuilds', async () => {
  const root = newFolder()
  const first = performance.now()
  await run('snapshot', args(root), at(0))
  let whole = performance.now() - first

  let killed = 0
  for (let round = 1; killed < REBUILDS && round <= REBUILDS + ATTEMPTS; round++) {
    const begun = performance.now()
    const child = start('snapshot', args(root), at(round))
    // Moments spread over the run, the writing at its end among them: golden-ratio steps repeat none.
    const moment = whole * (0.3 + 0.7 * ((round * 0.618) % 1))
    const timer = setTimeout(() => child.kill('SIGKILL'), moment)
    const { code } = await ended(child)
    clearTimeout(timer)
    if (code === null) killed++
    else whole = performance.now() - begun
    for (const file of published(root)) expect(() => JSON.parse(readFileSync(file, 'utf8')), file).not.toThrow()
  }
  expect(killed).toBe(REBUILDS)

  const { code } = await run('snapshot', args(root), at(REBUILDS + ATTEMPTS + 1))
  expect(code).toBe(0)
  const files = await filesAt(root)
  const documents = files.filter(({ path }) => path.startsWith('api/') && path.endsWith('.json'))
  expect(published(root)).toHaveLength(documents.length)
  for (const { path, sha256 } of files) expect(sha256Of(readFileSync(join(root, path))), path).toBe(sha256)
  expect(readdirSync(root).filter((name) => name.startsWith('.'))).toEqual([])
})
