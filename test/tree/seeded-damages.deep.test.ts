import { readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { filesBelow } from '../../src/tree/reader.ts'
import { ALL_REQUESTS, NOON, copyLeanTree, leanRun, newFolder } from '../sample-tree.ts'
import { copyOf } from './damaged-trees.ts'

// SEED=90 DAMAGES=1000 npx vitest run --project deep test/tree/seeded-damages.deep.test.ts
const COUNT = Number(process.env['DAMAGES'] ?? 200)
const HALF_HOUR = 1_800_000

/** Every kind of file that a tree has. */
const KINDS: readonly RegExp[] = [
  /^api\/mkt\.json$/,
  /^api\/mkt\/manifest\.json$/,
  /^api\/mkt\/collector\.json$/,
  /^api\/mkt\/assets\/[a-z0-9-]+\.json$/,
  /^api\/mkt\/assets\/[a-z0-9-]+\/markets\.json$/,
  /^api\/mkt\/history\//,
  /^api\/mkt\/candles\//,
  /^api\/mkt\/closes(\/|\.json$)/,
  /^api\/mkt\/(assets|markets|prices|quarantine|changes|rates)\.json$/,
  /^api\/mkt\/.*\/limit=\d+\.json$/,
  /^blocks\//,
  /\.gz$/,
  /\.br$/,
  /^state\/[0-9a-f]+\.zip$/,
  /^state\/latest\.json$/,
]

const HARMS: readonly ((path: string) => void)[] = [
  (path) => rmSync(path),
  (path) => truncateSync(path, Math.floor(statSync(path).size / 2)),
  (path) => writeFileSync(path, 'no document'),
  (path) => {
    const bytes = readFileSync(path)
    const at = Math.floor(bytes.length / 2)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    writeFileSync(path, bytes)
    utimesSync(path, 0, 0)
  },
]

const good = newFolder()
const control = newFolder()
const next = (root: string) => leanRun(root, { now: NOON + HALF_HOUR, history: ALL_REQUESTS, checkpoint: true })
/** Text of a document. A document that was lost is new, so it has the time of the run that composed it again. */
const textOf = (root: string, file: string) =>
  readFileSync(join(root, file), 'latin1').replaceAll(/"(timestamp|generated_at)":"[^"]*"/g, '')
const contents = (root: string) =>
  new Map(
    filesBelow(root, 'api/mkt')
      .filter((file) => file.endsWith('.json'))
      .map((file) => [file, textOf(root, file)] as const),
  )

beforeAll(async () => {
  await copyLeanTree(good)
  await leanRun(good, { now: NOON + 60_000, history: ALL_REQUESTS, checkpoint: true, compress: true })
  copyOf(good, control)
  await next(control)
})

/** Says of itself what a run recovered. */
const TELLS = /^api\/mkt\/(manifest(\/.+)?|head|collector|changes)\.json/

it('are undone by the next run, or it refuses to lose what cannot be restored', async () => {
  const files = filesBelow(good, '').toSorted()
  const kinds = KINDS.map((kind) => files.filter((file) => kind.test(file))).filter((own) => own.length > 0)
  expect(kinds.length).toBeGreaterThan(10)
  const expected = contents(control)
  for (let seed = Number(process.env['SEED'] ?? 0); seed < COUNT; seed++) {
    const own = kinds[seed % kinds.length] ?? []
    const file = own[(seed * 7919) % own.length] ?? ''
    const harm = Math.floor(seed / kinds.length) % HARMS.length
    const root = copyOf(good, newFolder())
    HARMS[harm]?.(join(root, file))
    // eslint-disable-next-line no-await-in-loop -- a run takes both cores
    const { outcome, refusals } = await next(root)
    const what = `seed ${seed}: harm ${harm} to ${file}`
    if (outcome !== 'published')
      expect(
        refusals.map(({ rule }) => rule),
        what,
      ).toEqual(['history_fall'])
    else
      for (const [path, text] of expected)
        if (!TELLS.test(path)) expect(textOf(root, path) === text, `${what}, ${path}`).toBe(true)
    rmSync(root, { recursive: true })
  }
}, 1_800_000)
