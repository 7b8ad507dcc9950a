import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PastBar } from '../../src/core/contract/observations.ts'
import { byKey } from '../../src/core/contract/order.ts'
import { DAY_MS, HOUR_MS } from '../../src/core/contract/time.ts'
import type { PastAnswer } from '../../src/core/history/answers.ts'
import { Columns } from '../../src/core/history/columns.ts'
import {
  BAR_COLUMNS,
  type BarColumn,
  DAY_COLUMNS,
  type ListingPast,
  POINT_COLUMNS,
  VENUE_BAR_COLUMNS,
  type VenueBarColumn,
  copyOf,
  noPast,
  originOf,
  pointsOf,
} from '../../src/core/history/past.ts'
import { NO_ROWS, type Rows } from '../../src/core/history/rows.ts'
import { readState } from '../../src/core/tree/state.ts'
import { TableError, TableList, closedPart, decodeTables, partOf } from '../../src/core/tree/tables.ts'
import { copyChangedSampleTree, newFolder } from '../sample-tree.ts'
import { answerOf, pricesAt } from '../history/pasts.ts'
import { type Run, encoded, pastFiles, tablesOf } from './kept.ts'

const NOON = Date.UTC(2026, 10, 20, 12)
const hours = (count: number) => count * HOUR_MS

/** Daily and hourly bars of a listing that end at a time. */
const barsTo = (now: number, interval: '30m' | '1h' | '1d', count: number) => {
  const width = { '30m': HOUR_MS / 2, '1h': HOUR_MS, '1d': DAY_MS }[interval]
  const last = now - (now % width) - width
  const bars = Array.from({ length: count }, (_, at): PastBar => [last - at * width, 5, 1, null, 5, 6, 4])
  return answerOf(bars, { interval })
}
const withBars = (...given: readonly PastAnswer[]) => new Map([['acme', given]])

const value = fc.option(fc.double({ min: 1e-9, max: 1e9, noNaN: true }))
const bucketed = (width: number) =>
  fc
    .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.double({ min: 1e-9, max: 1e9, noNaN: true }), value), {
      selector: ([place]) => place,
    })
    .map((all) => all.map(([place, own, other]) => [NOON - (NOON % DAY_MS) - place * width, own, other] as const))

/** The past of a listing: hours, candles of a day and days, with what it has of everything. */
const pastOf = fc
  .record({ hours: bucketed(HOUR_MS), bars: bucketed(DAY_MS), days: bucketed(DAY_MS) })
  .map((given): ListingPast => {
    const past = noPast()
    for (const [at, price, volume] of given.hours) {
      const columns = pointsOf(past, '1h')
      columns.set('price_usd', at, price)
      columns.assign(at, { volume_24h_usd: volume })
      columns.set('origin', at, volume === null ? originOf(past, 'Kraken, OKX') : 0)
      if (at % hours(4) === 0) pointsOf(past, '4h').set('price_usd', at, price)
    }
    for (const [at, close, volume] of given.days)
      past.days.assign(at, { close_usd: close, venues: volume, origin: originOf(past, `Venue ${at % 3}`) })
    const columns = new Columns<BarColumn>(DAY_MS, BAR_COLUMNS)
    const kraken = new Columns<VenueBarColumn>(DAY_MS, VENUE_BAR_COLUMNS)
    for (const [at, close, volume] of given.bars) {
      columns.set('close_usd', at, close)
      columns.assign(at, { volume_base: volume })
      if (volume !== null) kraken.assign(at, { close_usd: close, volume_base: volume })
    }
    const inputs = new Map(kraken.first('close_usd') === null ? [] : [['kraken', kraken]])
    if (given.bars.length > 0) past.bars.set('1d', { columns, inputs, sources: ['kraken'], rights: ['open'] })
    past.asked = [{ source_id: 'kraken', market: 'A', from: '2026-01-01', to: '2026-11-01', complete: false }]
    return past
  })

const columnsIn = <Name extends string>(columns: Columns<Name>, names: readonly Name[]) =>
  names.map((name) => [...columns.buckets(name)].map((at) => [at, columns.at(name, at)]))

const contentOf = ({ points, bars, days, labels, asked }: ListingPast) => ({
  points: [...points].toSorted(byKey).map(([interval, columns]) => [interval, columnsIn(columns, POINT_COLUMNS)]),
  bars: [...bars].map(([interval, { columns, inputs, ...more }]) => [
    interval,
    columnsIn(columns, BAR_COLUMNS),
    [...inputs].toSorted(byKey).map(([source_id, own]) => [source_id, columnsIn(own, VENUE_BAR_COLUMNS)]),
    more,
  ]),
  days: columnsIn(days, DAY_COLUMNS),
  labels,
  asked,
})

const decoded = ({ list, files }: ReturnType<typeof encoded>): Rows =>
  decodeTables(list, ({ path }) => files.get(path) ?? Buffer.alloc(0))

describe('tables', () => {
  it('have all that is known of every listing, in equal bytes when they are written again', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('acme', 'beta', 'next'), pastOf), (given) => {
        const rows = { ...NO_ROWS, past: new Map(Object.entries(given).toSorted(byKey)) }
        const first = encoded(rows, null, null)
        const again = decoded(first)
        for (const [slug, past] of rows.past) {
          const own = again.past.get(slug)
          expect(own && contentOf(own)).toEqual(contentOf(past))
        }
        expect(encoded(again, null, null)).toEqual(first)
      }),
      { numRuns: 40 },
    )
  })

  it('have every other row too', async () => {
    const root = newFolder()
    await copyChangedSampleTree(root)
    const { rows, list } = await readState(root, [], NOON)
    const { past, ...others } = rows
    expect(rows.listings.size * rows.events.size * rows.totals.size * rows.documents.size).toBeGreaterThan(0)
    const again = decoded(encoded(rows, null, null))
    expect(again).toMatchObject(others)
    expect([...again.past.keys()]).toEqual([...past.keys()])
    expect(encoded(again, null, null)).toEqual(encoded(rows, null, null))
    expect(encoded(rows, list, new Set())).toEqual({ list, files: new Map() })
  })

  it('of closed days keep their bytes until their rows change', () => {
    const tables = tablesOf()
    const isClosed = ({ part }: { part: string }) => /^2026|late/.test(part)
    const seen = (at: number, more: Partial<Run> = {}) => ({
      now: NOON + hours(at),
      assets: [{ slug: 'acme' }],
      ...more,
    })
    tables.run(seen(0))
    const closing = tables.run(seen(24))
    expect(closing.written.filter((path) => /-2026-11/.test(path))).toEqual([
      expect.stringMatching(/points-2026-11-[0-9a-f]{16}/),
      expect.stringMatching(/points-2026-11-20-/),
      expect.stringMatching(/days-2026-11-[0-9a-f]{16}/),
    ])
    const next = tables.run(seen(25))
    expect(next.written.filter((path) => /-2026-11/.test(path))).toEqual([])
    expect(next.list.parts.filter(({ part }) => part.startsWith('2026'))).toEqual(
      closing.list.parts.filter(({ part }) => part.startsWith('2026')),
    )
    const prices = new Map([['acme', [pricesAt('1h', [NOON + hours(3)])]]])
    const late = tables.run(seen(26, { prices }))
    expect(late.written.filter((path) => /late/.test(path))).toEqual([expect.stringMatching(/points-late-000-/)])
    expect(tables.run(seen(27)).list.parts).toEqual(expect.arrayContaining(late.list.parts.filter(isClosed)))
    const closed = tables.run(seen(48))
    expect(closed.written.filter((path) => path.includes('points-2026-11-20'))).toEqual([])
    expect(closed.list.parts).toEqual(
      expect.arrayContaining(late.list.parts.filter(({ part }) => /late|2026-11-20/.test(part))),
    )
  })

  it('have the last values of closed days that many runs changed, in a bounded number of parts', () => {
    const [year, month] = [Date.UTC(2025, 5, 1), Date.UTC(2026, 9, 1)]
    const { rows } = tablesOf().run({ now: NOON, assets: [{ slug: 'acme' }] })
    const files = new Map<string, Uint8Array>()
    let list: TableList | null = null
    let past = noPast()
    const counts = Array.from({ length: 300 }, (_, at) => {
      past.days.set('close_usd', at % 3 === 0 ? year : month, at)
      const changed = new Set(at % 7 === 0 ? [closedPart('days', '2026-10')] : [])
      const written = encoded({ ...rows, past: new Map([['acme', past]]) }, list, list && changed)
      for (const [path, content] of written.files) files.set(path, content)
      list = written.list
      const read = decoded({ list, files }).past.get('acme')
      expect(read && contentOf(read)).toEqual(contentOf(past))
      past = copyOf(past)
      return list.parts.length
    })
    expect(counts.at(-1)).toBeLessThan(counts[200] ?? 0)
  })

  it.each([
    [NOON, HOUR_MS, 'open'],
    [NOON - DAY_MS, HOUR_MS, '2026-11-19'],
    [NOON, DAY_MS, 'open'],
    [NOON - DAY_MS, 4 * HOUR_MS, '2026-11'],
    [NOON - DAY_MS, DAY_MS, '2026-11'],
    [NOON - 365 * DAY_MS, DAY_MS, '2025'],
  ])('%i in buckets of %i ms is in the part %s', (bucket, width, part) => {
    expect(partOf(bucket, width, '2026-11-20')).toBe(part)
  })
})

describe('tables that are no tables are refused', () => {
  const { list, files } = encoded({ ...NO_ROWS, past: new Map([['acme', noPast()]]) }, null, null)
  const [part] = list.parts
  const reading = (content: Uint8Array) => () => decodeTables(list, () => content)
  const sentence = `${part?.path} has rows that this program cannot read`

  it.each([
    ['empty', Buffer.alloc(0)],
    ['cut off', (files.get(part?.path ?? '') ?? Buffer.alloc(0)).subarray(0, 30)],
    ['not compressed', Buffer.from('{"count":0}\n')],
    ['no JSON', gzipSync('{"count":')],
    ['of another shape', gzipSync('{"slug":"acme"}\n')],
  ])('where a part is %s', (_, content) => {
    expect(reading(content)).toThrow(new TableError(sentence))
  })

  const [own] = list.parts
  it.each([
    ['twice the same part', [own, own]],
    ['a path outside of the folder', [{ ...own, path: '../state/site-0123456789abcdef.jsonl.gz' }]],
    ['an absolute path', [{ ...own, path: '/etc/passwd' }]],
    ['a table that does not exist', [{ ...own, table: 'wallets' }]],
    ['more parts than any state has', Array.from({ length: 4097 }, (_, at) => ({ ...own, path: String(at) }))],
  ])('where the list has %s', (_, parts) => {
    expect(TableList.safeParse(list).success).toBe(true)
    expect(TableList.safeParse({ ...list, parts }).success).toBe(false)
  })
})

/** What venues may answer a run at a time. */
const answersTo = (now: number) => {
  const day = now - (now % DAY_MS) - 9 * DAY_MS
  const dayBars = [4, 3, 1].map((ago): PastBar => [day - ago * DAY_MS, 5, 1, 5, 5, 6, 4])
  return {
    bars: withBars(barsTo(now, '30m', 5), barsTo(now, '1d', 4)),
    days: new Map([['acme', [answerOf(dayBars, { days: 'all', interval: '1d' })]]]),
    points: new Map([['acme', [pricesAt('1d', [day - 2 * DAY_MS, day - DAY_MS])]]]),
    nothing: new Map(),
  }
}

/** Holds after each run that its tables are as if they were written whole, and make its documents, those too of which it noted no change. */
function expectSameDocuments(runs: readonly Run[]): void {
  const tables = tablesOf()
  let files: ReturnType<typeof pastFiles> = new Map()
  for (const [at, run] of runs.entries()) {
    const { rows, changed, restored } = tables.run(run)
    const composed = pastFiles(rows, null, files)
    expect(pastFiles(rows, at === 0 ? null : changed, files)).toEqual(composed)
    expect(pastFiles(restored, null, files)).toEqual(composed)
    expect(encoded(restored, null, null)).toEqual(encoded(decoded(encoded(rows, null, null)), null, null))
    files = composed
  }
}

describe('the rows that are read make the documents that the run published', () => {
  const acme = { slug: 'acme', market_cap_rank: 1 }
  const every = (wait: number, count: number): Run[] =>
    Array.from({ length: count }, (_, at) => ({ now: NOON + at * wait, assets: [{ ...acme, price_usd: 1 + at }] }))
  const next = (runs: readonly Run[], wait: number) => (runs.at(-1)?.now ?? NOON) + wait

  it('over two days', () => expectSameDocuments(every(HOUR_MS, 30)))

  it('over forty days', () => expectSameDocuments(every(hours(29), 33)))

  it('over a new year', () => expectSameDocuments(every(5 * DAY_MS, 12)))

  it('with bars that leave their windows', () => {
    const first = { ...acme, price_usd: 1 }
    expectSameDocuments(
      [0, 1, 2, 40].map((ago) => {
        const now = NOON + ago * DAY_MS
        return {
          now,
          assets: [first],
          prices: withBars(barsTo(now, '30m', 48), barsTo(now, '1h', 168), barsTo(now, '1d', 365)),
        }
      }),
    )
  })

  it('of a listing that is renamed', () => {
    const runs = every(hours(5), 20)
    const renamed = [
      { slug: 'next', aliases: ['acme'], price_usd: 9 },
      { slug: 'acme', replaced_by: 'next', price_usd: null },
    ]
    expectSameDocuments([...runs, ...[1, 2, 30].map((wait) => ({ now: next(runs, hours(wait)), assets: renamed }))])
  })

  it('of a listing that is delisted', () => {
    const runs = every(hours(1), 30)
    const silent = [0, 1, 2, 3].map((wait) => ({
      now: next(runs, hours(wait + 1)),
      assets: [{ ...acme, price_usd: null }],
    }))
    const delisted = [{ slug: 'acme', listing_status: 'delisted' as const, price_usd: null }]
    const withBeta = (all: readonly Run[]) => all.map((run) => ({ ...run, assets: [...run.assets, { slug: 'beta' }] }))
    const after = [1, 2, 30, 1000].map((wait) => ({ now: next(silent, hours(wait)), assets: delisted }))
    expectSameDocuments(withBeta([...runs, ...silent, ...after]))
  })

  it('of a listing that fell and lost its bars', () => {
    const prices = withBars(barsTo(NOON, '1h', 100), barsTo(NOON, '1d', 300))
    const other = { slug: 'other', market_cap_rank: 2 }
    const fallen = [{ slug: 'acme', market_cap_rank: 999 }, other]
    const both = new Map([...prices].flatMap(([slug, own]) => [slug, 'other'].map((one) => [one, own] as const)))
    expectSameDocuments([
      { now: NOON, assets: [acme, other], prices: both },
      ...[1, 30].map((wait) => ({ now: NOON + hours(wait), assets: fallen })),
    ])
  })

  it('with another cadence', () => {
    const [quarter, half] = [900_000, 1_800_000]
    const runs = every(quarter, 20).map((run) => ({ ...run, cadence_ms: quarter }))
    expectSameDocuments([
      ...runs,
      ...[1, 2, 60].map((wait) => ({ now: next(runs, wait * half), assets: [acme], cadence_ms: half })),
    ])
  })

  it('whatever the cadence, the gaps and the clock, and whatever becomes of the listing', () => {
    const wait = fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(HOUR_MS / 12, HOUR_MS / 2, hours(7), DAY_MS) },
      { weight: 2, arbitrary: fc.integer({ min: -hours(40), max: 50 * DAY_MS }) },
    )
    const step = fc.record({
      wait,
      price: fc.option(fc.integer({ min: 1, max: 9 })),
      asked: fc.constantFrom('bars', 'days', 'points', 'nothing'),
      rank: fc.constantFrom(1, 1, 1, 600),
      is: fc.oneof({ weight: 8, arbitrary: fc.constant('active') }, fc.constantFrom('delisted', 'renamed')),
      cadence_ms: fc.constantFrom(1_800_000, 1_800_000, 1_800_000, 900_000, HOUR_MS),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 15 }), (steps) => {
        let now = NOON
        let isRenamed = false
        const beta = { slug: 'beta', market_cap_rank: 2 }
        expectSameDocuments(
          steps.map(({ wait: own, price, asked, rank, is, cadence_ms }) => {
            now += own
            isRenamed ||= is === 'renamed'
            const listing_status = is === 'delisted' ? ('delisted' as const) : ('active' as const)
            const figures = { price_usd: price, market_cap_rank: rank, listing_status }
            const renamed = [
              { slug: 'next', aliases: ['acme'], ...figures },
              { slug: 'acme', replaced_by: 'next', price_usd: null },
            ]
            const assets = [...(isRenamed ? renamed : [{ slug: 'acme', ...figures }]), beta]
            return { now, assets, prices: answersTo(now)[asked], cadence_ms }
          }),
        )
      }),
      { numRuns: 20 },
    )
  })
})
