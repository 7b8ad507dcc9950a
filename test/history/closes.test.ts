import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CandleRow } from '../../src/contract/candles.ts'
import { CLOSES_FILE, closesFile } from '../../src/contract/closes.ts'
import { fileOf } from '../../src/contract/endpoint-spec.ts'
import { closes as closesSpec, closesOfDay } from '../../src/endpoints/series.ts'
import { type ClosesInputs, type ExtendedCloses, extendedCloses } from '../../src/history/closes.ts'
import { NO_CANDLES } from '../../src/history/extended-candles.ts'
import { NO_DAILY } from '../../src/history/extended-daily.ts'
import { assetOf, basisOf } from '../feed/world.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const MONDAY = Date.UTC(2024, 5, 10)

/** A tree that each run extends by the price of one listing; null: the run did not see it. */
function treeOf(given: Partial<ClosesInputs> = {}) {
  const files = new Map<string, string>()
  return {
    files,
    run(now: number, price: number | null, more: Partial<ClosesInputs> = {}): ExtendedCloses {
      const asset = assetOf('acme', { price_usd: price, volume_24h_usd: 7, market_cap_usd: 70 })
      const extended = extendedCloses({
        snapshot: { listed: [{ asset, markets: [] }], sources: [] },
        files: [...files.keys()],
        last: { read: (file) => files.get(file) ?? null, head: () => '' },
        candles: NO_CANDLES,
        daily: NO_DAILY,
        now,
        interval: '30m',
        keptDays: null,
        ...given,
        ...more,
      })
      const kept = new Map(extended.keys.map((day) => [closesFile(day), JSON.stringify(extended.of(day))]))
      files.clear()
      for (const [file, text] of kept) files.set(file, text)
      files.set(CLOSES_FILE, JSON.stringify(extended.list))
      return extended
    },
  }
}
const rowOf = (extended: ExtendedCloses, day = '2024-06-10') => extended.of(day).rows[0]
const daysOf = ({ list }: ExtendedCloses) => list.rows.map(({ day, basis, runs }) => `${day} ${basis} ${runs}`)

it('has the files that its endpoints declare', () => {
  expect(fileOf(closesSpec, {})).toBe(CLOSES_FILE)
  expect(fileOf(closesOfDay, { day: '2024-06-10' })).toBe(closesFile('2024-06-10'))
})

describe('the day of a run', () => {
  it('has the first, highest, lowest and last price, and counts each half hour once', () => {
    const tree = treeOf()
    for (const [minutes, price] of [
      [5, 100],
      [31, 130],
      [40, 120],
      [61, 90],
      [95, 110],
    ] as const)
      tree.run(MONDAY + minutes * MINUTE, price)
    const closes = tree.run(MONDAY + 125 * MINUTE, 105)
    expect(rowOf(closes)).toMatchObject({
      open_usd: 100,
      high_usd: 130,
      low_usd: 90,
      close_usd: 105,
      volume_24h_usd: 7,
      market_cap_usd: 70,
      runs: 5,
    })
    expect(closes.of('2024-06-10')).toMatchObject({ basis: 'runs', runs: 5, asOf: '2024-06-10T02:00:00Z' })
  })

  it('does not change by a second run of a half hour that brings nothing new', () => {
    const tree = treeOf()
    tree.run(MONDAY, 100)
    expect(tree.run(MONDAY + 5 * MINUTE, 100).isChanged('2024-06-10')).toBe(false)
    expect(tree.run(MONDAY + 30 * MINUTE, 100).isChanged('2024-06-10')).toBe(true)
  })

  it('does not count a price that is carried', () => {
    const asset = assetOf('acme', { price_usd: 90, price_basis: basisOf('carried') })
    const tree = treeOf()
    tree.run(MONDAY, 100)
    const snapshot = { listed: [{ asset, markets: [] }], sources: [] }
    expect(rowOf(tree.run(MONDAY + HOUR, null, { snapshot }))).toMatchObject({ close_usd: 100, low_usd: 100, runs: 1 })
  })

  it('does not count a listing whose price is unknown, and keeps what was seen of it', () => {
    const tree = treeOf()
    tree.run(MONDAY, 100)
    expect(rowOf(tree.run(MONDAY + HOUR, null))).toMatchObject({ close_usd: 100, runs: 1 })
    expect(treeOf().run(MONDAY, null).list).toMatchObject({ today: null, count: 0 })
  })

  it('begins again at midnight UTC, and the day before stays as it is', () => {
    const tree = treeOf()
    tree.run(MONDAY + 23 * HOUR, 100)
    const before = tree.files.get(closesFile('2024-06-10'))
    const closes = tree.run(MONDAY + DAY, 200)
    expect(tree.files.get(closesFile('2024-06-10'))).toBe(before)
    expect(closes.isChanged('2024-06-10')).toBe(false)
    expect(rowOf(closes, '2024-06-11')).toMatchObject({ open_usd: 200, runs: 1 })
    expect(closes.list).toMatchObject({ today: '2024-06-11', missing: 0, count: 2 })
  })
})

it('never changes a past day, whatever the clock does', () => {
  const step = fc.record({ hours: fc.integer({ min: -60, max: 60 }), price: fc.integer({ min: 1, max: 9 }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const tree = treeOf()
      let now = MONDAY + 90 * DAY
      let last: ReadonlyMap<string, string> = new Map()
      for (const { hours, price } of steps) {
        now += hours * HOUR
        const { list } = tree.run(now, price)
        for (const [file, text] of last)
          if (file !== CLOSES_FILE && file < closesFile(list.today ?? '')) expect(tree.files.get(file)).toBe(text)
        last = new Map(tree.files)
      }
    }),
  )
})

describe('a day that no run saw', () => {
  const bar = (day: string): CandleRow => ({
    timestamp: `${day}T00:00:00Z`,
    open_usd: 1,
    high_usd: 4,
    low_usd: 0.5,
    close_usd: 2,
    volume_base: 3,
    venues: 2,
    inputs: [],
  })
  const candlesWith = (...days: string[]): ClosesInputs['candles'] => ({
    candleSlugs: ['acme'],
    candlesOf: () => ({
      slug: 'acme',
      days: 365,
      interval: '1d',
      from: null,
      to: null,
      asOf: null,
      missing: 0,
      sources: ['kraken'],
      rights: 'attribution',
      replacedBy: null,
      notice: null,
      count: days.length,
      rows: days.map(bar),
    }),
  })

  it('is listed as missing', () => {
    const tree = treeOf()
    tree.run(MONDAY, 100)
    const closes = tree.run(MONDAY + 2 * DAY, 100)
    expect(daysOf(closes)).toEqual(['2024-06-12 runs 1', '2024-06-11 null 0', '2024-06-10 runs 1'])
    expect([closes.list.missing, closes.keys]).toEqual([1, ['2024-06-10', '2024-06-12']])
  })

  it('is filled from candles once they come, and says so', () => {
    const tree = treeOf()
    tree.run(MONDAY, 100)
    tree.run(MONDAY + 2 * DAY, 100)
    const closes = tree.run(MONDAY + 2 * DAY + HOUR, 100, { candles: candlesWith('2024-06-10', '2024-06-11') })
    expect(daysOf(closes)).toEqual(['2024-06-12 runs 2', '2024-06-11 candles 0', '2024-06-10 runs 1'])
    expect(closes.of('2024-06-11')).toMatchObject({
      basis: 'candles',
      asOf: '2024-06-12T00:00:00Z',
      rows: [
        { close_usd: 2, open_usd: 1, high_usd: 4, low_usd: 0.5, volume_24h_usd: null, runs: 0, rights: 'attribution' },
      ],
    })
    // What runs saw is not replaced.
    expect(rowOf(closes)).toMatchObject({ close_usd: 100, runs: 1 })
    const later = tree.run(MONDAY + 3 * DAY, 100, { candles: candlesWith('2024-06-11') })
    expect(later.isChanged('2024-06-11')).toBe(false)
  })

  it('is also one that is lost, even the first, until candles fill it', () => {
    const tree = treeOf()
    for (let day = 0; day < 3; day++) tree.run(MONDAY + day * DAY, 100)
    tree.files.delete(closesFile('2024-06-10'))
    tree.files.delete(closesFile('2024-06-11'))
    const closes = tree.run(MONDAY + 3 * DAY, 100)
    expect(daysOf(closes)).toEqual(['2024-06-13 runs 1', '2024-06-12 runs 1', '2024-06-11 null 0', '2024-06-10 null 0'])
    expect(closes.list.missing).toBe(2)
    const filled = tree.run(MONDAY + 4 * DAY, 100, { candles: candlesWith('2024-06-11') })
    expect(daysOf(filled).at(-2)).toBe('2024-06-11 candles 0')
  })

  it('is filled once a day where candles come more than a week late', () => {
    const tree = treeOf()
    tree.run(MONDAY, 100)
    const closes = tree.run(MONDAY + 9 * DAY, 100, { candles: candlesWith('2024-06-11', '2024-06-12') })
    expect(daysOf(closes).slice(-3)).toEqual(['2024-06-12 candles 0', '2024-06-11 candles 0', '2024-06-10 runs 1'])
  })
})

describe('the days before the first run', () => {
  /** Daily bars of a listing from a day on, one of them missing. */
  const dailyFrom = (slugs: readonly string[], from: string, to: string): ClosesInputs['daily'] => {
    const values = [3, null, 5]
    const columns = { close_usd: values, open_usd: values, high_usd: values, low_usd: values }
    const series = { ...NO_DAILY.of('acme'), from, to, rights: 'open' as const }
    const volumes = { venue_volume_base: values, venue_volume_usd: values, venues: [1, 0, 1] }
    return { keys: slugs, oldest: () => from, between: () => ({ ...series, columns: { ...columns, ...volumes } }) }
  }
  const daily = dailyFrom(['acme'], '2020-02-28', '2020-03-01')

  it('have the bars since the listing, over a leap day, apart from the list', () => {
    const tree = treeOf({ daily })
    tree.run(MONDAY, 100)
    const turns = Array.from({ length: 20 }, (_, day) => tree.run(MONDAY + (day + 1) * DAY, 100))
    const closes = turns.at(-1)
    expect(closes?.keys.slice(0, 3)).toEqual(['2020-02-28', '2020-03-01', '2024-06-10'])
    expect(closes?.list).toMatchObject({ olderFrom: '2020-02-28', missing: 0, count: 21 })
    expect(closes?.of('2020-03-01')).toMatchObject({
      basis: 'candles',
      asOf: '2020-03-02T00:00:00Z',
      rows: [{ slug: 'acme', close_usd: 5, volume_24h_usd: null, runs: 0, rights: 'open' }],
    })
  })

  it('get listings later, and keep the rows that they have', () => {
    const tree = treeOf({ daily })
    for (let day = 0; day < 20; day++) tree.run(MONDAY + day * DAY, 100)
    const before = tree.files.get(closesFile('2020-02-28'))
    const more = { daily: dailyFrom(['acme', 'beta'], '2020-02-28', '2020-03-01') }
    for (let day = 20; day < 40; day++) tree.run(MONDAY + day * DAY, 100, more)
    const { rows } = JSON.parse(tree.files.get(closesFile('2020-02-28')) ?? '')
    expect(rows.map(({ slug }: { slug: string }) => slug)).toEqual(['acme', 'beta'])
    expect([rows[0]]).toEqual(JSON.parse(before ?? '').rows)
  })

  it('leave the tree after the days of a setting, while what runs saw stays', () => {
    const tree = treeOf({ daily })
    for (let day = 0; day < 20; day++) tree.run(MONDAY + day * DAY, 100)
    const closes = tree.run(MONDAY + 20 * DAY, 100, { keptDays: 3 })
    expect(closes.list).toMatchObject({ keptDays: 3, olderFrom: null, missing: 0, count: 21 })
    expect(closes.keys[0]).toBe('2024-06-10')
    tree.files.delete(CLOSES_FILE)
    expect(tree.run(MONDAY + 21 * DAY, 100, { keptDays: 3 }).keys).toHaveLength(22)
  })
})

it('tells the days again where its list is lost', () => {
  const tree = treeOf()
  tree.run(MONDAY, 100)
  tree.run(MONDAY + DAY, 100)
  tree.files.delete(CLOSES_FILE)
  expect(daysOf(tree.run(MONDAY + 2 * DAY, 100))).toEqual([
    '2024-06-12 runs 1',
    '2024-06-11 runs 1',
    '2024-06-10 runs 1',
  ])
})
