import { describe, expect, it } from 'vitest'
import { type Backfill, type Observed, extend } from '../../src/history/extend.ts'
import { gapsOf } from '../../src/history/gaps.ts'
import { priceAt, type Series } from '../../src/history/series.ts'
import { GRID, OWN, SLUG } from './published.ts'

const NOON = Date.UTC(2024, 5, 10, 12)
const HOUR = 3_600_000

const week = (observations: readonly Observed[], backfills: readonly Backfill[] = []): Series | null =>
  extend({ slug: SLUG, read: () => null, observations, backfills, now: NOON, grid: GRID, label: OWN }).get(7) ?? null
const ago = (...hours: readonly number[]): Observed[] =>
  hours.map((hours) => ({ at: NOON - hours * HOUR, price_usd: 5, volume_24h_usd: 1 }))
const backfill = (...hours: readonly number[]): Backfill => ({
  interval: '1h',
  label: 'Kraken',
  points: { buckets: hours.map((hours) => NOON - hours * HOUR), prices_usd: hours.map(() => 5) },
})
const all = Array.from({ length: 168 }, (_, hours) => hours)

describe('what a series lacks', () => {
  it('is all but the open bucket while nothing was observed', () => {
    const gap = { days: 7, interval: '1h', from: NOON - 167 * HOUR, to: NOON - HOUR, missing: 167, asked: false }
    expect(gapsOf(7, '1h', null, NOON + 5)).toEqual([gap])
    expect(gapsOf(7, '1h', week([]), NOON + 5)).toEqual([gap])
  })

  it('is nothing when every closed bucket has a value', () => {
    expect(gapsOf(7, '1h', week(ago(...all.slice(1))), NOON)).toEqual([])
  })

  it('reaches from the first to the last missing bucket', () => {
    expect(gapsOf(7, '1h', week(ago(...all.filter((hours) => ![3, 5, 9].includes(hours)))), NOON)).toEqual([
      { days: 7, interval: '1h', from: NOON - 9 * HOUR, to: NOON - 3 * HOUR, missing: 3, asked: false },
    ])
  })

  it('was asked for before where a source gave younger values and not these', () => {
    const present = all.filter((hours) => ![3, 5, 7, 9, 11].includes(hours))
    expect(gapsOf(7, '1h', week(ago(...present), [backfill(7, 11)]), NOON)).toEqual([
      { days: 7, interval: '1h', from: NOON - 9 * HOUR, to: NOON - 9 * HOUR, missing: 1, asked: true },
      { days: 7, interval: '1h', from: NOON - 5 * HOUR, to: NOON - 3 * HOUR, missing: 2, asked: false },
    ])
  })

  it('does not shrink when the clock jumps back', () => {
    const series = week(ago(...all.filter((hours) => hours !== 2)))
    expect(gapsOf(7, '1h', series, NOON - 5 * HOUR)).toEqual(gapsOf(7, '1h', series, NOON))
  })

  it('grows with the clock', () => {
    expect(gapsOf(7, '1h', week(ago(...all)), NOON + 2 * HOUR)).toEqual([
      { days: 7, interval: '1h', from: NOON + HOUR, to: NOON + HOUR, missing: 1, asked: false },
    ])
  })
})

describe('the price of a moment', () => {
  const series = week(ago(2, 0))
  it.each([
    ['in a bucket with a value', NOON - HOUR - 1, 5],
    ['in a bucket without', NOON - HOUR, null],
    ['before all', NOON - 900 * HOUR, null],
    ['after all', NOON + HOUR, null],
  ])('%s', (_, ms, price) => {
    expect(series === null ? undefined : priceAt(series)(ms)).toBe(price)
  })
})
