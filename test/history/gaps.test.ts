import { describe, expect, it } from 'vitest'
import type { Days } from '../../src/core/contract/history.ts'
import { gapDemands } from '../../src/core/history/demands.ts'
import { type ListingPast, noPast } from '../../src/core/history/past.ts'
import type { PastMarket } from '../../src/core/history/plan.ts'
import { backfill, observeDay } from '../../src/core/history/points.ts'
import { DAY, GRID, HOUR, NOON, clockAt, pointsAfter, pricesAt, seen } from './pasts.ts'

const all = Array.from({ length: 168 }, (_, hours) => hours)
const without = (...missing: readonly number[]) => all.filter((hours) => !missing.includes(hours))
const pastOf = (hours: readonly number[]) =>
  pointsAfter(hours.toReversed().map((ago) => ({ now: NOON - ago * HOUR, price: 5 }))).past
const clock = (latest = NOON) => ({ grid: GRID, latest })
const gap = (from: number, to: number, missing: number, asked = false) => ({
  days: 7,
  interval: '1h',
  from: NOON - from * HOUR,
  to: NOON - to * HOUR,
  missing,
  asked,
})
const venue: PastMarket = {
  source_id: 'kraken',
  kind: 'exchange',
  market: 'ACMEUSD',
  quote: 'USD',
  intervals: ['15m', '1h', '4h', '1d'],
  most: 1000,
}
/** The gaps of a range of the largest listing, for which the urgency is the number of missing buckets. */
const gapsOf = (days: Days, past: ListingPast | undefined, at: ReturnType<typeof clock>) =>
  gapDemands({ slug: 'acme', rank: 1, candidates: [venue], past }, at).flatMap((one) => {
    const { interval, from, to, urgency, asked } = one
    return one.days === days ? [{ days, interval, from, to, missing: -urgency, asked }] : []
  })

describe('what a series lacks', () => {
  it('is all but the open bucket while nothing was seen', () => {
    expect(gapsOf(7, undefined, clock())).toEqual([gap(167, 1, 167)])
    expect(gapsOf(7, noPast(), clock(NOON + 5))).toEqual([gap(167, 1, 167)])
  })

  it('is nothing when every closed bucket has a value', () => {
    expect(gapsOf(7, pastOf(all.slice(1)), clock())).toEqual([])
  })

  it('reaches from the first to the last missing bucket, and grows with the clock', () => {
    expect(gapsOf(7, pastOf(without(3, 5, 9)), clock())).toEqual([gap(9, 3, 3)])
    expect(gapsOf(7, pastOf(all), clock(NOON + 2 * HOUR))).toEqual([gap(-1, -1, 1)])
  })

  it('was asked for before where a source gave younger values and not these', () => {
    const past = pastOf(without(3, 5, 7, 9, 11))
    backfill(past, [pricesAt('1h', [NOON - 11 * HOUR, NOON - 7 * HOUR])], clockAt(NOON))
    expect(gapsOf(7, past, clock())).toEqual([gap(9, 9, 1, true), gap(5, 3, 2)])
  })

  it('of a year are the days without a close', () => {
    const past = noPast()
    for (let ago = 364; ago > 0; ago--) if (ago !== 40) observeDay(past, seen(5), clockAt(NOON - ago * DAY), true)
    const day = NOON - 12 * HOUR - 40 * DAY
    expect(gapsOf(365, past, clock())).toEqual([
      { days: 365, interval: '1d', from: day, to: day, missing: 1, asked: false },
    ])
  })
})
