import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { AssetRow } from '../../src/core/contract/asset.ts'
import { SourceRow } from '../../src/core/contract/collector.ts'
import { sha256Of } from '../../src/core/contract/digest.ts'
import { SourceError } from '../../src/core/sources/source-error.ts'
import { openRegistry } from '../../src/core/registry/registry.ts'
import { SAMPLE_SPELLINGS, sampleSources } from '../../src/core/sources/sample/sample.ts'
import { placeAt } from '../../src/core/tree/remote.ts'
import {
  FEW_REQUESTS,
  LEAN_LISTINGS,
  NOON,
  NO_REQUESTS,
  copyLeanTree,
  copySampleTree,
  copyTree,
  leanRun,
  newFolder,
  sampleRun,
  sampleTree,
} from '../sample-tree.ts'

let root: string
beforeEach(() => {
  root = newFolder()
})

const filesIn = (tree: string) =>
  new Map(
    readdirSync(tree, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(tree, name)).isFile())
      .map((name) => [name, sha256Of(readFileSync(join(tree, name)))]),
  )
const files = () => filesIn(root)
const List = z.object({ total: z.number(), sourceStatus: z.string(), rows: z.array(AssetRow) })
const assets = () => List.parse(JSON.parse(readFileSync(join(root, 'api/mkt/assets.json'), 'utf8')))
const sourceRows = () =>
  z.object({ rows: z.array(SourceRow) }).parse(JSON.parse(readFileSync(join(root, 'api/mkt/collector.json'), 'utf8')))
    .rows

const failing = (now: number, ids: (id: string) => boolean) =>
  sampleSources(now, LEAN_LISTINGS).map((source) =>
    ids(source.id)
      ? { ...source, observe: () => Promise.reject(new SourceError('source_unreachable', `${source.id}: refused`)) }
      : source,
  )
const MINUTE = 60_000

it('writes the same bytes for the same input', async () => {
  const given = { count: 3, history: FEW_REQUESTS }
  await leanRun(root, given)
  const first = files()
  root = newFolder()
  await leanRun(root, given)
  expect(files()).toEqual(first)
})

it('run again without news writes the index, its head, the collector and tables alone', async () => {
  await copySampleTree(root)
  // The first run fetched the history that the changes of the second are computed from.
  await sampleRun(root, { now: NOON + MINUTE, history: NO_REQUESTS })
  const { published } = await sampleRun(root, { now: NOON + 2 * MINUTE, history: NO_REQUESTS })
  const documents = published?.written.filter((file) => !file.startsWith('state/'))
  expect(documents?.toSorted()).toEqual(['api/mkt.json', 'api/mkt/collector.json', 'api/mkt/head.json'])
})

it('run again at the same time writes nothing but what was lost', async () => {
  await copySampleTree(root)
  const run = () => sampleRun(root, { now: NOON + MINUTE, history: NO_REQUESTS })
  await run()
  const before = files()
  expect((await run()).published?.written).toEqual([])
  const lost = ['api/mkt.json', 'api/mkt/assets.json', 'api/mkt/manifest.json', 'tables/rates.parquet']
  for (const file of lost) rmSync(join(root, file))
  expect((await run()).published?.written.toSorted()).toEqual(lost)
  expect(files()).toEqual(before)
})

it('keeps a document that did not change when others do', async () => {
  await copySampleTree(root)
  const before = statSync(join(root, 'api/mkt/listing-requests.json'))
  const { published } = await sampleRun(root, { now: NOON + 20 * MINUTE, history: NO_REQUESTS })
  expect(published?.written.length).toBeGreaterThan(100)
  expect(statSync(join(root, 'api/mkt/listing-requests.json')).ino).toBe(before.ino)
})

it('adds to history without losing a point', async () => {
  const Series = z.object({ rows: z.array(z.object({ timestamp: z.string(), price_usd: z.number() })) })
  const read = () =>
    Series.parse(JSON.parse(readFileSync(join(root, 'api/mkt/history/bitcoin/days=7.json'), 'utf8'))).rows
  await copySampleTree(root)
  const first = read()
  await sampleRun(root, { now: NOON + 60 * MINUTE, history: NO_REQUESTS })
  const second = read()
  expect(second).toHaveLength(first.length)
  expect(second.slice(0, -2)).toEqual(first.slice(1, -1))
})

it('lists every asset once, ranked ones first and in order', async () => {
  await copySampleTree(root)
  const { rows, total } = assets()
  expect(rows).toHaveLength(total)
  expect(new Set(rows.map(({ slug }) => slug)).size).toBe(total)
  const ranks = rows.map(({ market_cap_rank }) => market_cap_rank ?? Infinity)
  expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
})

it('gives a listing nothing of the past of another that has its alias as slug', async () => {
  const grove = { slug: 'grove-coin', symbol: 'GROVE', name: 'Grove Coin', aliases: ['arweave'] }
  const assets = [...openRegistry().assets, grove]
  const registry = openRegistry({ label: 'sample registry', spelledAs: SAMPLE_SPELLINGS, assets })
  for (const [place, count] of [52, 60, 60].entries())
    await sampleRun(root, { count, registry, now: NOON + place * 30 * MINUTE, history: NO_REQUESTS })
  const pointsOf = (slug: string) =>
    JSON.parse(readFileSync(join(root, `api/mkt/history/${slug}/days=365.json`), 'utf8')).count
  expect([pointsOf('arweave') > 0, pointsOf('grove-coin')]).toEqual([true, 0])
})

it('lists BX, which no market knows, without a price', async () => {
  await copySampleTree(root)
  expect(assets().rows.find(({ slug }) => slug === 'bx')).toMatchObject({ price_usd: null, listing_status: 'preview' })
})

describe('when sources fail', () => {
  it('all of them: publishes nothing and leaves the tree as it was', async () => {
    await copyLeanTree(root)
    const before = files()
    const report = await leanRun(root, { sources: failing(NOON, () => true) })
    expect(report.outcome).toBe('no_usable_source')
    expect(files()).toEqual(before)
  })

  it('both aggregators: keeps every listing, marked with its time', async () => {
    await copyLeanTree(root)
    const before = assets()
    const now = NOON + 10 * MINUTE
    await leanRun(root, {
      now,
      sources: failing(now, (id) => id === 'sample' || id === 'sample-index'),
    })
    expect(assets().total).toBe(before.total)
    expect(assets().sourceStatus).toBe('degraded')
    expect(assets().rows.filter(({ price_usd }) => price_usd !== null)).toHaveLength(
      before.rows.filter(({ price_usd }) => price_usd !== null).length,
    )
    expect(sourceRows().find(({ source_id }) => source_id === 'sample')).toMatchObject({
      status: 'stale',
      consecutive_failures: 1,
      failing_since: '2026-11-20T12:10:00Z',
      last_success: '2026-11-20T12:00:00Z',
    })
  })

  it('one venue: is reported in the collector, and the lists stay ok', async () => {
    await copyLeanTree(root)
    const now = NOON + 10 * MINUTE
    await leanRun(root, { now, sources: failing(now, (id) => id === 'sample-f') })
    expect(assets().sourceStatus).toBe('ok')
    expect(sourceRows().find(({ source_id }) => source_id === 'sample-f')).toMatchObject({ status: 'stale' })
  })

  it('left out by --only: keeps their last data', async () => {
    await copyLeanTree(root)
    const before = assets().total
    const configured = sampleSources(NOON + 10 * MINUTE, LEAN_LISTINGS)
    await leanRun(root, {
      now: NOON + 10 * MINUTE,
      sources: configured.slice(0, 1),
      configured,
    })
    expect(assets().total).toBe(before)
    expect(sourceRows()).toHaveLength(10)
  })
})

it('does not extend a tree that holds values of a source whose rights are left out', async () => {
  const root = newFolder()
  await sampleRun(root, { count: 20, history: NO_REQUESTS })
  await expect(sampleRun(root, { count: 20, history: NO_REQUESTS, rights: new Set(['attribution']) })).rejects.toThrow(
    /holds values from .*\(open\), which --rights excludes\. Choose another folder with --out/,
  )
  await expect(sampleRun(root, { count: 20, history: NO_REQUESTS, rights: new Set(['open']) })).resolves.toMatchObject({
    outcome: 'published',
  })
})

it('refuses to extend a tree of the other kind, and replaces it with --fresh', async () => {
  await copySampleTree(root)
  await expect(sampleRun(root, { kind: 'live' })).rejects.toThrow('cannot be extended with live sources')
  await sampleRun(root, { kind: 'live', fresh: true, history: NO_REQUESTS })
  expect(readFileSync(join(root, 'api/mkt.json'), 'utf8')).toContain('"label":"public preview"')
})

describe('over a tree that lost something', () => {
  const next = { now: NOON + 2 * MINUTE, history: NO_REQUESTS }
  let whole: string
  let expected: ReadonlyMap<string, string>
  beforeAll(async () => {
    whole = await sampleTree()
    await sampleRun(whole, { now: NOON + MINUTE, history: NO_REQUESTS })
    const later = newFolder()
    copyTree(whole, later)
    await sampleRun(later, next)
    expected = filesIn(later)
  })
  beforeEach(() => copyTree(whole, root))

  it.each<readonly [string, () => void]>([
    [
      'a damaged and two missing documents',
      () => {
        writeFileSync(join(root, 'api/mkt/assets/ethereum.json'), '{"ok":true,')
        for (const file of ['api/mkt/history/bitcoin/days=365.json', 'api/mkt/manifest.json']) rmSync(join(root, file))
      },
    ],
    [
      'everything but its tables of rows',
      () => {
        for (const name of readdirSync(root)) if (name !== 'state') rmSync(join(root, name), { recursive: true })
      },
    ],
  ])('publishes the same bytes as over a whole one: %s', async (_, harm) => {
    harm()
    await sampleRun(root, next)
    expect(files()).toEqual(expected)
  })

  it.each<readonly [string, () => void]>([
    ['all tables of rows', () => rmSync(join(root, 'state'), { recursive: true })],
    ['the list of them', () => rmSync(join(root, 'state/tables.json'))],
  ])('refuses where documents stand without what they are views of: %s', async (_, harm) => {
    harm()
    const before = files()
    await expect(sampleRun(root, next)).rejects.toMatchObject({
      reason: 'nothing_restored',
      message: expect.stringMatching(
        /has documents, but not the tables that they are views of\. Nothing was published/,
      ),
    })
    expect(files()).toEqual(before)
  })

  it('refuses where a part is damaged, and fetches it from a place that has it', async () => {
    const [part = ''] = readdirSync(join(root, 'state')).filter((name) => name.startsWith('listings-'))
    const backup = newFolder()
    copyTree(root, backup)
    writeFileSync(join(root, 'state', part), 'damaged')
    await expect(sampleRun(root, next)).rejects.toThrow(`state/${part} is missing or damaged`)
    const from = [placeAt(backup, { timeoutMs: 60_000, attempts: 1, pause: async () => {} })]
    await sampleRun(root, { ...next, from })
    expect(files()).toEqual(expected)
  })
})

it('refuses a second run while one goes on', async () => {
  await copySampleTree(root)
  const given = { now: NOON + MINUTE, history: NO_REQUESTS }
  const [first, second] = await Promise.allSettled([sampleRun(root, given), sampleRun(root, given)])
  expect(first).toMatchObject({ value: { outcome: 'published' } })
  expect(second).toMatchObject({ reason: { reason: 'locked' } })
})

it('accounts for every row of every venue', async () => {
  await copySampleTree(root)
  for (const row of sourceRows())
    expect(row.used_count + row.unmatched_count + row.dead_count + row.quarantined_count, row.source_id).toBe(
      row.row_count,
    )
})
