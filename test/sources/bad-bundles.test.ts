import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { sha256Of } from '../../src/core/contract/digest.ts'
import type { ObservationRow } from '../../src/core/contract/observations.ts'
import {
  type BundleRead,
  type Bundle,
  BundleError,
  type BundleLimits,
  BUNDLE_LIMITS,
  decodeBundle,
  encodeBundle,
  bundlesAt,
} from '../../src/core/sources/bundle.ts'
import { type Recording, clockOf, mergeBundles } from '../../src/core/sources/merge-recordings.ts'
import { sampleSources } from '../../src/core/sources/sample/sample.ts'
import { NOON, copyLeanTree, leanRun, newFolder, NO_REQUESTS } from '../sample-tree.ts'
import { observedRun, part, readOf, withHeader } from './bundles.ts'

const HALF_HOUR = 1_800_000
const { bundle } = await observedRun({ history: NO_REQUESTS })
const merging = { sources: sampleSources(NOON, 8), kind: 'sample' as const, publishedAt: null, now: NOON }
/** The collection in two bundles: one of `sample-a`, one of all others. */
const divided = (number: number) => part(bundle, number, { list: (id) => (id === 'sample-a' ? 1 : 0), past: () => 0 })
const [others, own] = [divided(0), divided(1)]

/** A file of these lines, with its right digest. */
function fileOf(lines: readonly string[]) {
  const bytes = gzipSync(lines.map((line) => `${line}\n`).join(''))
  return { name: `x-${sha256Of(bytes)}.ndjson.gz`, bytes }
}
const linesOf = (given: Bundle): string[] => gunzipSync(encodeBundle(given).bytes).toString().trimEnd().split('\n')
const header = (given: object): string => JSON.stringify({ ...JSON.parse(linesOf(own)[0] ?? ''), ...given })
const rows = linesOf(own).slice(1)

function merged(read: BundleRead, given: Partial<typeof merging> & { publishedAt?: number } = {}): Recording {
  return mergeBundles([readOf(encodeBundle(others)), read], { ...merging, ...given })
}
const errorOf = ({ reports }: Recording, id: string) => {
  const error = reports.find(({ source }) => source.id === id)?.error
  return error ? { code: error.code, message: error.message } : null
}

const good = encodeBundle(own)
const withOther = { ...(rows[0] === undefined ? {} : JSON.parse(rows[0])), source_id: 'sample-b' }
const cutFile = gzipSync(Buffer.from(linesOf(own).join('\n'))).subarray(0, -20)

it.each([
  ['is larger than the limit', good, { bytes: 100 }, /bytes and at most 100 are read/],
  ['has a text larger than the limit', good, { textBytes: 1000 }, /more than 1000 bytes/],
  ['is of a newer version', fileOf([header({ version: 2 }), ...rows]), {}, /version 2/],
  ['has another digest than its name', { ...good, bytes: good.bytes.subarray(1) }, {}, /digest/],
  ['has no digest in its name', { ...good, name: 'x.ndjson.gz' }, {}, /digest/],
  ['is not JSON', fileOf(['<html>']), {}, /not JSON/],
  ['has a line that is not JSON', fileOf([header({}), ...rows.slice(1), '{']), {}, /not JSON/],
  ['has another first line', fileOf(rows), {}, /not the header/],
  ['has a header that breaks the schema', fileOf([header({ clock: -1 }), ...rows]), {}, /clock/],
  ['is of a time without a calendar', fileOf([header({ clock: 9e15 }), ...rows]), {}, /clock/],
  [
    'has a source of a later time',
    fileOf([header({ sources: own.header.sources.map((one) => ({ ...one, clock: NOON + 1 })) }), ...rows]),
    {},
    /collected after/,
  ],
  [
    'claims the requests of months',
    fileOf([header({ sources: own.header.sources.map((one) => ({ ...one, requests: 9e15 })) }), ...rows]),
    {},
    /requests/,
  ],
  ['lacks rows', fileOf([header({}), ...rows.slice(1)]), {}, /of \d+ rows of sample-a/],
  ['is cut off', { name: `x-${sha256Of(cutFile)}.ndjson.gz`, bytes: cutFile }, {}, /decompressed/],
  [
    'has rows of a source that it does not declare',
    fileOf([header({}), ...rows, JSON.stringify(withOther)]),
    {},
    /sample-b/,
  ],
] as const)('a bundle that %s makes its sources fail, and no other', (_, file, limits, message) => {
  let result: Bundle | BundleError
  try {
    result = decodeBundle(file, { ...BUNDLE_LIMITS, ...limits })
  } catch (error) {
    if (!(error instanceof BundleError)) throw error
    result = error
  }
  expect(result).toMatchObject({ message: expect.stringMatching(message) })
  const observations = merged({ name: file.name, result })
  expect(observations.refused).toMatchObject([{ name: file.name, message: expect.stringMatching(message) }])
  expect(errorOf(observations, 'sample-a')?.message).toMatch(/refused|no recording/)
  expect(observations.reports.filter(({ error }) => error !== null)).toHaveLength(1)
})

it.each([
  ['a clock before the last publication', {}, { publishedAt: NOON + 1 }, /before the last publication/, 'source_stale'],
  ['a clock after that of the run', { clock: NOON + 1 }, {}, /after that of the run/, 'source_invalid'],
  [
    'another kind of sources',
    { kind: 'live' as const },
    {},
    /of live sources and the run is of sample ones/,
    'source_invalid',
  ],
] as const)('a bundle with %s is no part of the run', (_, change, given, message, code) => {
  const observations = mergeBundles([readOf(encodeBundle(withHeader(own, change)))], { ...merging, ...given })
  expect(observations.refused).toMatchObject([{ message: expect.stringMatching(message) }])
  expect(errorOf(observations, 'sample-a')).toMatchObject({ code, message: expect.stringContaining('refused') })
})

it('a bundle that does not arrive makes its sources fail, which the others name', () => {
  const observations = mergeBundles([readOf(encodeBundle(others))], merging)
  expect(errorOf(observations, 'sample-a')).toEqual({
    code: 'source_unreachable',
    message: 'sample-a: no recording of it arrived',
  })
})

it('a source that this program does not know is left out', () => {
  const foreign = { ...own.header.sources[0], source_id: 'elsewhere' }
  const rows: readonly ObservationRow[] = (own.rows.get('sample-a') ?? []).map((row) => ({
    ...row,
    source_id: 'elsewhere',
  }))
  const file = fileOf([header({ sources: [foreign] }), ...rows.map((row) => JSON.stringify(row))])
  const observations = merged(readOf(file))
  expect(observations.rows.has('elsewhere')).toBe(false)
  expect(errorOf(observations, 'sample-a')?.code).toBe('source_unreachable')
})

/** A bundle with a number of rows of one market. */
function flooded(count: number, clock = NOON): { readonly name: string; readonly bytes: Buffer } {
  const row = rows.find((line) => line.includes('"quote"')) ?? ''
  const sources = [{ ...own.header.sources[0], rows: count, clock }]
  return fileOf([header({ sources, clock }), ...Array<string>(count).fill(row)])
}

it('a million rows of one market make the source fail, and one market twice counts once', () => {
  const limits: BundleLimits = { ...BUNDLE_LIMITS, rowsPerSource: 1000 }
  const observations = merged(readOf(flooded(1001), limits))
  expect(errorOf(observations, 'sample-a')).toMatchObject({
    code: 'source_invalid',
    message: expect.stringMatching(/1000 rows/),
  })
  // The limit itself is that of a source in this process, so the feed never sees more.
  expect(BUNDLE_LIMITS.rowsPerSource).toBe(100_000)
  const leftOut = (count: number) => JSON.stringify({ source_id: 'sample-a', kind: 'skipped', reason: 'x', count })
  const counted = fileOf([
    header({ sources: [{ ...own.header.sources[0], rows: 2 }] }),
    leftOut(60_000),
    leftOut(60_000),
  ])
  expect(errorOf(merged(readOf(counted)), 'sample-a')?.message).toMatch(/100000 rows/)
  // A row that counts more than a source may have is rejected by itself.
  const wild = merged(readOf(fileOf([header({}), ...rows.with(3, leftOut(8.64e15))])))
  expect(errorOf(wild, 'sample-a')).toBeNull()
})

it('a row that breaks the schema is rejected by itself', () => {
  const bad = JSON.stringify({ ...JSON.parse(rows[3] ?? ''), last: -1 })
  const observations = merged(readOf(fileOf([header({}), ...rows.with(3, bad)])))
  const report = observations.reports.find(({ source }) => source.id === 'sample-a')
  expect(report).toMatchObject({
    error: null,
    rejected: expect.arrayContaining([
      expect.objectContaining({ reason: expect.stringMatching(/^last: Too small/), count: 1 }),
    ]),
  })
})

it('runs publish in spite of them, and the collector says why a source failed', async () => {
  const root = newFolder()
  await copyLeanTree(root)
  const now = NOON + HALF_HOUR
  const late = await observedRun({ now, history: NO_REQUESTS })
  const files = [
    encodeBundle(part(late.bundle, 0, { list: (id) => (id === 'sample-a' ? 1 : 0), past: () => 0 })),
    flooded(3, NOON - 1),
  ]
  const { outcome, collection, sources } = await leanRun(root, { now, recordings: files.map((file) => readOf(file)) })
  expect(outcome).toBe('published')
  expect(collection.refused).toHaveLength(1)
  expect(sources.find(({ source_id }) => source_id === 'sample-a')).toMatchObject({
    status: 'stale',
    error: { code: 'source_stale', message: expect.stringContaining('last publication') },
  })
})

it('a run without any usable bundle publishes nothing', async () => {
  const root = newFolder()
  const bundles = [readOf(fileOf(['<html>']))]
  expect(clockOf(bundles, 'sample', NOON)).toBeNull()
  expect(await leanRun(root, { recordings: bundles })).toMatchObject({ outcome: 'no_usable_source' })
})

it('reads the bundles of a folder and those below it, and no drafts', async () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'artifact'))
  writeFileSync(join(folder, good.name), good.bytes)
  writeFileSync(join(folder, `.${good.name}.123`), good.bytes.subarray(0, 50))
  const other = encodeBundle(others)
  writeFileSync(join(folder, 'artifact', other.name), other.bytes)
  const read = bundlesAt([folder])
  expect(read.map(({ name }) => name).toSorted()).toEqual([good.name, other.name].toSorted())
  expect(read.every(({ result }) => !(result instanceof BundleError))).toBe(true)
})

it('reads each bundle of a folder by itself, whatever lies beside it', async () => {
  const folder = newFolder()
  writeFileSync(join(folder, good.name), good.bytes)
  mkdirSync(join(folder, 'a.ndjson.gz'))
  symlinkSync('nowhere', join(folder, 'b.ndjson.gz'))
  execFileSync('mkfifo', [join(folder, 'c.ndjson.gz')])
  writeFileSync(join(folder, 'd.ndjson.gz'), '')
  truncateSync(join(folder, 'd.ndjson.gz'), BUNDLE_LIMITS.bytes + 1)
  const read = bundlesAt([folder])
  const outcomes = new Map(
    read.map(({ name, result }) => [name, result instanceof BundleError ? result.message : 'read'] as const),
  )
  expect(outcomes).toEqual(
    new Map([
      [good.name, 'read'],
      ['a.ndjson.gz', 'it is not a regular file'],
      ['b.ndjson.gz', expect.stringMatching(/^it cannot be read: ENOENT/)],
      ['c.ndjson.gz', 'it is not a regular file'],
      ['d.ndjson.gz', expect.stringMatching(/^it has \d+ bytes and at most \d+ are read$/)],
    ]),
  )
})

it('reads the bundles of a place up to the limit of all of them, and up to a number of files', async () => {
  const [folder, files] = [newFolder(), [good, encodeBundle(others)]]
  mkdirSync(folder, { recursive: true })
  for (const { name, bytes } of files) writeFileSync(join(folder, name), bytes)
  const all = files.reduce((sum, { bytes }) => sum + gunzipSync(bytes).length, 0)
  const problems = (limits: Partial<BundleLimits>) =>
    bundlesAt([folder], { ...BUNDLE_LIMITS, ...limits }).map(({ result }) =>
      result instanceof BundleError ? result.message : null,
    )
  expect(problems({ textBytes: all })).toEqual([null, null])
  expect(problems({ textBytes: all - 1 })).toEqual([null, expect.stringMatching(/^its text has more than \d+ bytes$/)])
  expect(problems({ files: 1 })).toEqual([null, expect.stringMatching(/^it is one of 2 recordings, and at most 1 /)])
})

it('takes the newest good answer of several recordings of a source', () => {
  const times = (factor: number, clock: number) => {
    const dated = withHeader(own, { clock, sources: own.header.sources.map((source) => ({ ...source, clock })) })
    const scaled = (own.rows.get('sample-a') ?? []).map((row) =>
      row.kind === 'quote' && row.market === 'BTC_USDT' && row.last !== null
        ? { ...row, last: row.last * factor }
        : row,
    )
    return { ...dated, rows: new Map([['sample-a', scaled]]) }
  }
  const priceOf = (...bundles: readonly Bundle[]) =>
    mergeBundles(
      bundles.map((one) => readOf(encodeBundle(one))),
      merging,
    )
      .reports.find(({ source }) => source.id === 'sample-a')
      ?.quotes.find(({ market }) => market === 'BTC_USDT')?.last
  const [newest, older] = [times(1, NOON), times(1.5, NOON - 60_000)]
  const price = priceOf(newest)
  expect(price).toBeGreaterThan(0)
  expect(priceOf(newest, older)).toBe(price)
  expect(priceOf(older, newest)).toBe(price)
  // An older good answer counts more than a newer failure.
  const error = { code: 'source_timeout' as const, message: 'sample-a: no answer' }
  const failed = {
    ...withHeader(own, { sources: own.header.sources.map((source) => ({ ...source, error, rows: 0 })) }),
    rows: new Map(),
  }
  expect(priceOf(failed, older)).toBeCloseTo((price ?? 0) * 1.5)
})
