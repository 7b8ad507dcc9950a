import { describe, expect, it } from 'vitest'
import { fromCandles, fromInstants } from '../../src/history/candles.ts'
import type { Candle } from '../../src/sources/source.ts'

const NOON = Date.UTC(2024, 5, 10, 12)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

type Volume = number | null
const bar = (at: number, close: number, volume_base: Volume = null, volume_quote: Volume = null): Candle => ({
  at,
  close,
  volume_base,
  volume_quote,
})
const dollars = () => 1
/** `count` bars that end with the one of `last`, each with a volume of 10 in the quote currency. */
const bars = (count: number, length: number, last: number): Candle[] =>
  Array.from({ length: count }, (_, index) => bar(last - index * length, 100 + index, null, 10))

describe('the close of a bar', () => {
  it('stands in the bucket that the bar covers, whatever the order of the bars', () => {
    const candles = [bar(NOON, 7), bar(NOON - 2 * HOUR, 5), bar(NOON - HOUR, 6)]
    expect(fromCandles({ candles, interval: '1h', now: NOON + HOUR, rateAt: dollars })).toEqual([
      { bucket: NOON - 2 * HOUR, price_usd: 5, volume_24h_usd: null },
      { bucket: NOON - HOUR, price_usd: 6, volume_24h_usd: null },
      { bucket: NOON, price_usd: 7, volume_24h_usd: null },
    ])
  })

  it('stands in the bucket that the bar ends in, when a venue begins its day at another hour', () => {
    const candles = [bar(NOON - 2 * DAY + 4 * HOUR, 5)]
    expect(fromCandles({ candles, interval: '1d', now: NOON, rateAt: dollars })[0]?.bucket).toBe(NOON - DAY - 12 * HOUR)
  })

  it.each([
    ['is not there while the bar is open', NOON + HOUR - 1, []],
    ['is there as soon as the bar has ended', NOON + HOUR, [5]],
  ])('%s', (_, now, closes) => {
    const points = fromCandles({ candles: [bar(NOON, 5)], interval: '1h', now, rateAt: dollars })
    expect(points.map(({ price_usd }) => price_usd)).toEqual(closes)
  })

  it('is turned into dollars at the rate of its own time, and left out where none is known', () => {
    const rateAt = (ms: number) => (ms === NOON + HOUR - 1 ? 2 : null)
    const candles = [bar(NOON - HOUR, 5), bar(NOON, 6)]
    expect(fromCandles({ candles, interval: '1h', now: NOON + DAY, rateAt })).toEqual([
      { bucket: NOON, price_usd: 12, volume_24h_usd: null },
    ])
  })

  it('is left out where a venue writes 0 for no trade', () => {
    expect(fromCandles({ candles: [bar(NOON, 0)], interval: '1h', now: NOON + DAY, rateAt: dollars })).toEqual([])
  })
})

describe('the volume of a bar', () => {
  it.each([
    ['15m', 15 * MINUTE, 96],
    ['1h', HOUR, 24],
    ['4h', 4 * HOUR, 6],
    ['1d', DAY, 1],
  ] as const)('of %s is the sum over 24 hours, once they are covered', (interval, length, count) => {
    const candles = bars(count + 1, length, NOON - 12 * HOUR)
    const points = fromCandles({ candles, interval, now: NOON + DAY, rateAt: dollars })
    const uncovered = Array.from({ length: count - 1 }, () => null)
    expect(points.map(({ volume_24h_usd }) => volume_24h_usd)).toEqual([...uncovered, count * 10, count * 10])
  })

  it('is unknown while one bar of the 24 hours is missing', () => {
    const candles = bars(26, HOUR, NOON).filter(({ at }) => at !== NOON - 3 * HOUR)
    const points = fromCandles({ candles, interval: '1h', now: NOON + DAY, rateAt: dollars })
    expect(points.map(({ volume_24h_usd }) => volume_24h_usd)).toEqual(Array.from({ length: 25 }, () => null))
  })

  it('is unknown while one bar of the 24 hours has none', () => {
    const candles = bars(24, HOUR, NOON).map((candle) => (candle.at === NOON - HOUR ? bar(candle.at, 5) : candle))
    expect(fromCandles({ candles, interval: '1h', now: NOON + DAY, rateAt: dollars }).at(-1)?.volume_24h_usd).toBeNull()
  })

  it.each([
    ['counts what was paid in the quote currency', bar(NOON - 12 * HOUR, 5, 3, 16), 32],
    ['is the base at the close where the venue gives no more', bar(NOON - 12 * HOUR, 5, 3), 30],
  ])('%s, in dollars', (_, candle, volume) => {
    const [point] = fromCandles({ candles: [candle], interval: '1d', now: NOON + DAY, rateAt: () => 2 })
    expect(point?.volume_24h_usd).toBe(volume)
  })
})

describe('the prices of an aggregator', () => {
  it('stand in the bucket of their instant with the volume of that instant, the last of each', () => {
    const candles = [bar(NOON + 50 * MINUTE, 7, null, 70), bar(NOON + 3000, 6, null, 60), bar(NOON - 1, 5, null, 50)]
    expect(fromInstants({ candles, interval: '1h', now: NOON + DAY })).toEqual([
      { bucket: NOON - HOUR, price_usd: 5, volume_24h_usd: 50 },
      { bucket: NOON, price_usd: 7, volume_24h_usd: 70 },
    ])
  })

  it.each([
    ['beyond the clock', bar(NOON + 1, 5)],
    ['that are 0', bar(NOON, 0)],
  ])('are left out %s', (_, candle) => {
    expect(fromInstants({ candles: [candle], interval: '1h', now: NOON })).toEqual([])
  })
})
