import { describe, expect, it } from 'vitest'
import { SPARKLINE, type Days } from '../../src/core/contract/history.ts'
import { type ListingPast, noPast } from '../../src/core/history/past.ts'
import { backfill, observe, observeDay } from '../../src/core/history/points.ts'
import { type SeriesOptions, historyOf, pastPricesOf, seriesLabel, sparklineOf } from '../../src/core/history/series.ts'
import { DAY, GRID, HOUR, MINUTE, NOON, clockAt, pointsAfter, pricesAt, seen } from './pasts.ts'

const options = (latest: number, given: Partial<SeriesOptions> = {}): SeriesOptions => ({
  slug: 'acme',
  grid: GRID,
  latest,
  isDelisted: false,
  replacedBy: null,
  label: 'Own feed',
  ...given,
})
const rowsOf = (past: ListingPast, days: Days, latest: number) =>
  historyOf(past, days, options(latest)).rows.map(({ timestamp, price_usd }) => [timestamp, price_usd])

describe('a series', () => {
  it('without a point has no window, and everything is missing', () => {
    expect(historyOf(noPast(), 30, options(NOON))).toEqual({
      slug: 'acme',
      days: 30,
      interval: '4h',
      from: null,
      to: null,
      missing: 180,
      sourceLabel: 'none',
      replacedBy: null,
      count: 0,
      rows: [],
    })
  })

  it('ends with the bucket of the latest run, and counts what is missing', () => {
    const { past } = pointsAfter([
      { now: NOON - 2 * HOUR, price: 5 },
      { now: NOON, price: 6 },
    ])
    expect(historyOf(past, 7, options(NOON + 3 * HOUR))).toMatchObject({
      from: '2024-06-03T16:00:00Z',
      to: '2024-06-10T15:00:00Z',
      missing: 166,
      sourceLabel: 'Own feed',
      count: 2,
    })
  })

  it('of a delisted listing ends with its last point', () => {
    const { past } = pointsAfter([{ now: NOON, price: 6 }])
    const delisted = options(NOON + 100 * DAY, { isDelisted: true })
    expect(historyOf(past, 1, delisted)).toMatchObject({ to: '2024-06-10T12:00:00Z', count: 1 })
  })

  it('of a listing with a successor is empty and names it', () => {
    const { past } = pointsAfter([{ now: NOON, price: 6 }])
    const moved = options(NOON, { replacedBy: 'next' })
    expect(historyOf(past, 1, moved)).toMatchObject({ from: null, replacedBy: 'next', count: 0, missing: 48, rows: [] })
  })

  it('shows the first half hour in the open bucket of a slow range, and the last price once it is closed', () => {
    const { past } = pointsAfter(
      [0, 20, 40, 300].map((minutes, at) => ({ now: NOON + minutes * MINUTE, price: 5 + at })),
    )
    expect(rowsOf(past, 7, NOON + 40 * MINUTE).slice(0, 1)).toEqual([['2024-06-10T12:00:00Z', 7]])
    expect(rowsOf(past, 30, NOON + 40 * MINUTE)).toEqual([['2024-06-10T12:00:00Z', 6]])
    expect(rowsOf(past, 30, NOON + 5 * HOUR)).toEqual([
      ['2024-06-10T12:00:00Z', 7],
      ['2024-06-10T16:00:00Z', 8],
    ])
  })

  it('of 90 and 365 days are the days of the listing', () => {
    const past = noPast()
    for (const [ago, price] of [
      [100, 1],
      [1, 2],
    ] as const)
      observeDay(past, seen(price, 3), clockAt(NOON - ago * DAY), true)
    expect(rowsOf(past, 90, NOON)).toEqual([['2024-06-09T00:00:00Z', 2]])
    expect(historyOf(past, 365, options(NOON)).rows).toEqual([
      { timestamp: '2024-03-02T00:00:00Z', price_usd: 1, volume_24h_usd: 3 },
      { timestamp: '2024-06-09T00:00:00Z', price_usd: 2, volume_24h_usd: 3 },
    ])
  })

  it('names the sources of its backfilled values, each once', () => {
    const past = noPast()
    for (const [label, hour] of [
      ['Kraken, Bitstamp', 1],
      ['Binance', 2],
      ['Kraken', 3],
    ] as const)
      backfill(past, [pricesAt('1h', [NOON - hour * HOUR], label)], clockAt(NOON))
    const label = (days: Days) => historyOf(past, days, options(NOON)).sourceLabel
    expect(label(7)).toBe('backfilled from Binance, Bitstamp, Kraken')
    observe(past, seen(2), clockAt(NOON))
    expect(label(7)).toBe('Own feed; backfilled from Binance, Bitstamp, Kraken')
    expect(label(1)).toBe('Own feed')
  })
})

describe('the past prices that a run compares with', () => {
  const { past } = pointsAfter([
    { now: NOON - 167 * HOUR, price: 1 },
    { now: NOON - 24 * HOUR, price: 2 },
    { now: NOON - 23 * HOUR, price: 3 },
    { now: NOON, price: 4 },
  ])

  it('are that of a day ago, and the oldest of the last day', () => {
    expect(pastPricesOf(past, { grid: GRID, now: NOON })).toEqual({
      dayAgo: { timestamp: '2024-06-09T12:00:00Z', price_usd: 2 },
      oldest: 3,
    })
  })

  it('are unknown where no run saw the hour: a backfilled price is no price of this feed a day ago', () => {
    const past = noPast()
    backfill(past, [pricesAt('1h', [NOON - 167 * HOUR, NOON - 24 * HOUR])], clockAt(NOON))
    const nothing = { dayAgo: null, oldest: null }
    expect(pastPricesOf(past, { grid: GRID, now: NOON })).toMatchObject({ dayAgo: null })
    expect(pastPricesOf(undefined, { grid: GRID, now: NOON })).toEqual(nothing)
    expect(pastPricesOf(past, { grid: GRID, now: NOON + 9 * HOUR })).toMatchObject({ dayAgo: null })
  })
})

describe('the sparkline', () => {
  it('has the last price of each six hours of a week, and null where none is known', () => {
    const { past } = pointsAfter([
      { now: NOON - 13 * HOUR, price: 1 },
      { now: NOON - 2 * HOUR, price: 2 },
      { now: NOON - HOUR, price: 3 },
      { now: NOON, price: 4 },
    ])
    const line = sparklineOf(past, options(NOON))
    expect(line).toHaveLength(SPARKLINE.values)
    expect(line.slice(-4)).toEqual([1, null, 3, 4])
    expect(line.slice(0, -4).every((price) => price === null)).toBe(true)
  })

  it('is empty without a past', () => {
    const empty = Array<null>(SPARKLINE.values).fill(null)
    expect(sparklineOf(noPast(), options(NOON))).toEqual(empty)
  })
})

it.each([
  [null, [], 'none'],
  ['Our index', [], 'Our index'],
  [null, ['Kraken'], 'backfilled from Kraken'],
  ['Our index', ['Kraken', 'Binance (USDT)', 'Kraken'], 'Our index; backfilled from Binance (USDT), Kraken'],
])('names %s and %j as "%s"', (own, backfills, label) => {
  expect(seriesLabel(own, backfills)).toBe(label)
})
