import type { Asset } from '../../src/contract/asset.ts'
import { describe, expect, it } from 'vitest'
import { type Days, DAYS, gridOf } from '../../src/contract/history.ts'
import { type CandleInput, candleFile } from '../../src/contract/candles.ts'
import { fileOf } from '../../src/contract/endpoint-spec.ts'
import { candles } from '../../src/endpoints/series.ts'
import { candleLine, recomputedRow } from '../../src/history/candle-series.ts'
import { type ExtendedCandles, extendedCandles, newestBarOf } from '../../src/history/extended-candles.ts'
import type { RatedBars } from '../../src/history/candle-series.ts'
import type { VenueBars } from '../../src/history/venue-bars.ts'
import { print, printValue } from '../../src/contract/text.ts'
import type { Market } from '../../src/contract/market.ts'
import { assetOf, marketOf } from '../feed/world.ts'

const HOUR = 3_600_000
const NOON = Date.UTC(2024, 5, 10, 12)
const GRID = gridOf(HOUR / 2)

/** Bars of an hour each that begin at `starts`, in hours after noon. */
const hourly = (source_id: string, starts: readonly number[], price = 100): RatedBars => {
  const rows = starts.flatMap((hour) => [NOON + hour * HOUR, price, price + 3, price - 2, price + 1, 0.5, Number.NaN])
  const bars: VenueBars = { source_id, interval: '1h', columns: Float64Array.from(rows) }
  return { bars, rights: 'attribution' }
}

/** A tree with candles, which each run extends. */
function treeOf() {
  const files = new Map<string, string>()
  const last = {
    read: (file: string) => files.get(file) ?? null,
    head: (file: string) => files.get(file)?.slice(0, 512) ?? '',
  }
  return {
    files,
    newest: newestBarOf(last, () => []),
    opened(
      answers: readonly RatedBars[],
      given: Partial<Asset> = {},
      { markets = [], venues = ['kraken'] }: { readonly markets?: Market[]; readonly venues?: readonly string[] } = {},
    ): ExtendedCandles {
      const asset = assetOf(given.slug ?? 'acme', { market_cap_rank: 1, ...given })
      return extendedCandles({
        snapshot: { bySlug: new Map([[asset.slug, { asset, markets }]]) },
        past: { bars: new Map(answers.length > 0 ? [[asset.slug, answers]] : []) },
        venues: new Set(venues),
        files: [...files.keys()],
        last,
        grid: GRID,
      })
    },
    publish(world: ExtendedCandles, slug = 'acme') {
      for (const days of DAYS) files.set(candleFile(slug, days), print(world.candlesOf(slug, days)))
    },
  }
}
const rowsOf = (world: ExtendedCandles, days: Days = 7, slug = 'acme') =>
  world
    .candlesOf(slug, days)
    .rows.map(({ timestamp, close_usd, venues }) => `${timestamp.slice(11, 16)} ${close_usd} ${venues}`)

it('has the file that its endpoint declares', () => {
  expect(fileOf(candles, { slug: 'acme', days: 30 })).toBe(candleFile('acme', 30))
})

describe('the first bars of an asset', () => {
  it('make all five ranges, of which the others are empty', () => {
    const tree = treeOf()
    const world = tree.opened([hourly('kraken', [0, 1, 3])])
    expect([...world.changedCandles('acme').keys()].toSorted((a, b) => a - b)).toEqual([...DAYS])
    expect(world.candlesOf('acme', 7)).toMatchObject({
      interval: '1h',
      from: '2024-06-03T16:00:00Z',
      to: '2024-06-10T15:00:00Z',
      asOf: '2024-06-10T16:00:00Z',
      missing: 165,
      sources: ['kraken'],
      rights: 'attribution',
      count: 3,
    })
    expect(world.candlesOf('acme', 90)).toMatchObject({ from: null, to: null, asOf: null, missing: 90, count: 0 })
  })

  it('replace the notice of every range', () => {
    const tree = treeOf()
    tree.publish(tree.opened([]))
    const world = tree.opened([hourly('kraken', [0])])
    expect(world.changedCandles('acme').size).toBe(5)
    expect(DAYS.map((days) => world.candlesOf('acme', days).notice)).toEqual([
      'No venue reported a bar of this width.',
      null,
      ...Array.from({ length: 3 }, () => 'No venue reported a bar of this width.'),
    ])
    tree.publish(world)
    expect(tree.opened([]).changedCandles('acme').size).toBe(0)
    expect(rowsOf(tree.opened([]))).toEqual(['12:00 101 1'])
  })
})

describe('an asset without bars', () => {
  const traded = { markets: [marketOf('kraken', 100)] }
  it.each([
    ['no bars are requested', {}, { ...traded, venues: [] }, /requests no bars of venues/],
    ['it is small', { market_cap_rank: 251 }, traded, /the 250 largest/],
    ['no venue with bars trades it', {}, {}, /No venue that publishes bars/],
    ['its bars are due', {}, traded, /have not arrived yet/],
  ])('says that %s, and is unchanged while that is so', (_, asset, venue, notice) => {
    const tree = treeOf()
    const world = tree.opened([], asset, venue)
    expect(world.candleSlugs).toEqual([])
    for (const days of DAYS)
      expect(world.candlesOf('acme', days)).toMatchObject({ count: 0, rows: [], notice: expect.stringMatching(notice) })
    tree.publish(world)
    expect(tree.opened([], asset, venue).changedCandles('acme').size).toBe(0)
    expect(tree.opened([], { market_cap_rank: 400 }, traded).changedCandles('acme').size).toBe(
      'market_cap_rank' in asset ? 0 : 5,
    )
  })
})

it('keeps bars that an earlier version published without a notice', () => {
  const tree = treeOf()
  tree.publish(tree.opened([hourly('kraken', [0])]))
  for (const [file, text] of tree.files) tree.files.set(file, text.replace(/"notice":(null|"[^"]*"),/, ''))
  const world = tree.opened([])
  expect([world.candleSlugs, world.changedCandles('acme').size, rowsOf(world)]).toEqual([['acme'], 0, ['12:00 101 1']])
})

it('publishes the bars of several venues, from which a row is computed again, and none beside the bar of one', () => {
  const world = treeOf().opened([hourly('kraken', [0, 1]), hourly('okx', [0], 101), hourly('binance', [0], 250)])
  const [several, one] = world.candlesOf('acme', 7).rows
  expect(several?.inputs).toEqual([
    ['binance', 250, 253, 248, 251, 0.5],
    ['kraken', 100, 103, 98, 101, 0.5],
    ['okx', 101, 104, 99, 102, 0.5],
  ])
  expect(several && recomputedRow(several)).toEqual(several)
  expect(several).toMatchObject({ venues: 2, volume_base: 1 })
  expect(one).toMatchObject({ venues: 1, inputs: [] })
})

describe('a published range', () => {
  it('is unchanged in a run without bars', () => {
    const tree = treeOf()
    tree.publish(tree.opened([hourly('kraken', [0])]))
    const world = tree.opened([])
    expect([world.candleSlugs, world.changedCandles('acme').size]).toEqual([['acme'], 0])
    expect(world.candlesOf('acme', 7).count).toBe(1)
  })

  it('gains new bars and keeps the others, unless there is one of more venues', () => {
    const tree = treeOf()
    tree.publish(tree.opened([hourly('kraken', [0, 1])]))
    tree.publish(tree.opened([hourly('okx', [1, 2], 101)]))
    expect(rowsOf(tree.opened([]))).toEqual(['12:00 101 1', '13:00 101 1', '14:00 102 1'])
    const world = tree.opened([hourly('kraken', [1], 101), hourly('okx', [1], 101)])
    expect(rowsOf(world)).toEqual(['12:00 101 1', '13:00 102 2', '14:00 102 1'])
    expect(world.candlesOf('acme', 7).sources).toEqual(['kraken', 'okx'])
  })

  it('keeps a bar of two venues where of three others one is an outlier', () => {
    const tree = treeOf()
    tree.publish(tree.opened([hourly('kraken', [0]), hourly('okx', [0])]))
    const others = [hourly('a', [0], 110), hourly('b', [0], 110), hourly('c', [0], 900)]
    expect(rowsOf(tree.opened(others))).toEqual(['12:00 101 2'])
    expect(rowsOf(tree.opened([...others, hourly('d', [0], 110)]))).toEqual(['12:00 111 3'])
  })

  it('covers the shorter bars of its time, whichever came first, and stays so', () => {
    const tree = treeOf()
    const bars = (interval: '1h' | '4h' | '1d', start: number, high: number, low: number): RatedBars => ({
      bars: { source_id: 'okx', interval, columns: Float64Array.of(start, 100, high, low, 100, 1, Number.NaN) },
      rights: 'attribution',
    })
    const midnight = NOON - 12 * HOUR
    const ranges = (world: ExtendedCandles) =>
      ([7, 30, 90, 365] as const).map((days) => {
        const [row] = world.candlesOf('acme', days).rows
        return row && [row.high_usd, row.low_usd]
      })
    tree.publish(tree.opened([bars('1d', midnight, 105, 95)]))
    const second = tree.opened([bars('1h', midnight, 108, 99)])
    tree.publish(second)
    expect(ranges(second)).toEqual([[108, 99], undefined, [108, 95], [108, 95]])
    const third = tree.opened([bars('4h', midnight, 101, 90)])
    tree.publish(third)
    expect(ranges(third)).toEqual([
      [108, 99],
      [108, 90],
      [108, 90],
      [108, 90],
    ])
    expect(tree.opened([]).changedCandles('acme').size).toBe(0)
  })

  it('does not depend on the order of the answers', () => {
    const answers = [hourly('kraken', [0, 1]), hourly('okx', [0, 1], 100.5), hourly('bybit', [1], 100.2)]
    const forwards = treeOf().opened(answers).candlesOf('acme', 7)
    expect(treeOf().opened(answers.toReversed()).candlesOf('acme', 7)).toEqual(forwards)
  })

  it('ends with its newest bar and forgets those before its window', () => {
    const tree = treeOf()
    tree.publish(tree.opened([hourly('kraken', [0, 1])]))
    const world = tree.opened([hourly('kraken', [168])])
    expect(world.candlesOf('acme', 7)).toMatchObject({ missing: 166, count: 2, to: '2024-06-17T12:00:00Z' })
    tree.publish(world)
    expect(tree.newest('acme', 7)).toBe(NOON + 168 * HOUR)
    expect(tree.newest('acme', 365)).toBe(null)
  })

  it('moves to the new slug of an asset, and the old one names it', () => {
    const tree = treeOf()
    tree.publish(tree.opened([hourly('kraken', [0])]))
    const renamed = tree.opened([], { slug: 'next', aliases: ['acme'] })
    expect([renamed.candleSlugs, rowsOf(renamed, 7, 'next')]).toEqual([['next'], ['12:00 101 1']])
    expect(renamed.changedCandles('next').size).toBe(5)
    const retired = tree.opened([], { replaced_by: 'next' }).candlesOf('acme', 7)
    expect(retired).toMatchObject({ replacedBy: 'next', count: 0, rows: [] })
  })

  it('is dropped when its asset falls far, and kept when it has no rank', () => {
    const tree = treeOf()
    tree.publish(tree.opened([hourly('kraken', [0])]))
    const fallen = tree.opened([], { market_cap_rank: 501 })
    expect([fallen.candleSlugs, fallen.candlesOf('acme', 7).count, fallen.changedCandles('acme').size]).toEqual([
      [],
      0,
      5,
    ])
    expect(tree.opened([], { market_cap_rank: null }).candleSlugs).toEqual(['acme'])
  })

  it('begins again when it is damaged', () => {
    const tree = treeOf()
    tree.publish(tree.opened([hourly('kraken', [0])]))
    tree.files.set(candleFile('acme', 7), '{"days":7')
    expect(rowsOf(tree.opened([hourly('kraken', [1])]))).toEqual(['13:00 101 1'])
  })
})

it.each([
  { open_usd: 1e-9, high_usd: 2e-9, low_usd: 5e-10, close_usd: 1e-9, volume_base: 1e21 },
  { open_usd: 60_000.5, high_usd: 61_000, low_usd: 59_000, close_usd: 60_100, volume_base: null },
])('prints a row as every other row of the API', (figures) => {
  const bar = (id: string): CandleInput => [id, 1e-9, 2e-9, 5e-10, 1e-9, figures.volume_base]
  const row = { timestamp: '2024-06-10T12:00:00Z', ...figures, venues: 2, inputs: [bar('kraken'), bar('okx')] }
  expect(candleLine(row)).toBe(printValue(row))
  expect(() => candleLine({ ...row, low_usd: 0 })).toThrow('low_usd')
})
