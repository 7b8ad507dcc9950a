import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gridOf } from '../../src/core/contract/history.ts'
import { bucketOf, windowOf } from '../../src/core/history/grid.ts'
import { DAY_BASIS, POINT_RANGES, copyOf, noPast, pointsOf } from '../../src/core/history/past.ts'
import {
  backfill,
  clipPoints,
  hasYear,
  observe,
  observeDay,
  rightsAt,
  settleMidnights,
} from '../../src/core/history/points.ts'
import { DAY, GRID, HOUR, MINUTE, NOON, type Run, clockAt, pointsAfter, pricesAt, seen } from './pasts.ts'

const pricesIn = (past: ReturnType<typeof noPast>, interval: '15m' | '30m' | '1h' | '4h') => {
  const columns = pointsOf(past, interval)
  return [...columns.buckets('price_usd')].map((at) => [at, columns.at('price_usd', at)])
}

/** The last price that a run saw in each bucket of a window; a late one counts where no other was in its half hour. */
function lastPrices(runs: readonly Run[], interval: '30m' | '1h' | '4h', days: 1 | 7 | 30) {
  const [last, halves] = [new Map<number, number>(), new Map<number, number>()]
  let [latest, lateBefore] = [-Infinity, -Infinity]
  for (const { now, price } of runs) {
    const [at, half] = [bucketOf(now, interval), bucketOf(now, '30m')]
    latest = Math.max(latest, now)
    const [from, recent] = [windowOf(days, interval, latest).from, windowOf(1, '30m', latest).from]
    for (const bucket of halves.keys()) if (bucket < recent) halves.delete(bucket)
    if (price !== null && half >= recent && (now >= lateBefore || !halves.has(half))) halves.set(half, price)
    const newest = halves.get(Math.max(...[...halves.keys()].filter((one) => bucketOf(one, interval) === at)))
    if (price !== null && (newest !== undefined || now >= lateBefore || !last.has(at))) last.set(at, newest ?? price)
    lateBefore = bucketOf(latest, '30m')
    for (const bucket of last.keys()) if (bucket < from) last.delete(bucket)
  }
  return [...last].toSorted(([a], [b]) => a - b)
}

const runs = fc
  .array(
    fc.record({
      wait: fc.oneof(
        { weight: 12, arbitrary: fc.constantFrom(5 * MINUTE, 30 * MINUTE, 7 * HOUR) },
        { weight: 2, arbitrary: fc.integer({ min: 0, max: 40 * DAY }) },
        { weight: 1, arbitrary: fc.integer({ min: -30 * HOUR, max: 0 }) },
      ),
      price: fc.option(fc.integer({ min: 1, max: 9 }), { freq: 9 }),
    }),
    { maxLength: 120 },
  )
  .map((steps) => {
    let now = NOON
    return steps.map(({ wait, price }): Run => ({ now: (now += wait), price }))
  })

describe('the points of a listing', () => {
  it('are the last prices of each bucket of their windows, whatever the cadence, the gaps and the clock', () => {
    fc.assert(
      fc.property(runs, (all) => {
        const { past } = pointsAfter(all)
        for (const days of [1, 7, 30] as const) {
          const interval = GRID[days]
          if (interval === '30m' || interval === '1h' || interval === '4h')
            expect(pricesIn(past, interval)).toEqual(lastPrices(all, interval, days))
        }
      }),
    )
  })

  it('have no bucket outside of their windows', () => {
    fc.assert(
      fc.property(runs, (all) => {
        const { past, latest } = pointsAfter(all)
        if (all.length === 0) return
        for (const days of POINT_RANGES) {
          const { from, to } = windowOf(days, GRID[days], latest)
          const columns = pointsOf(past, GRID[days])
          expect(columns.first('price_usd') ?? from).toBeGreaterThanOrEqual(from)
          expect(columns.last('price_usd') ?? to).toBeLessThanOrEqual(to)
        }
      }),
      { numRuns: 20 },
    )
  })

  it('are rounded to the published digits', () => {
    const past = noPast()
    observe(past, seen(1.23456789123, 10.129), clockAt(NOON))
    const columns = pointsOf(past, '30m')
    expect([columns.at('price_usd', NOON), columns.at('volume_24h_usd', NOON)]).toEqual([1.2345679, 10.13])
  })

  it('move to wider buckets with the last of each where the cadence changes, and are dropped where they are too wide', () => {
    const past = noPast()
    for (const [minutes, price] of [
      [0, 1],
      [15, 2],
      [30, 3],
    ] as const) {
      const now = NOON + minutes * MINUTE
      observe(past, seen(price), { ...clockAt(now), grid: gridOf(15 * MINUTE) })
    }
    clipPoints(past, clockAt(NOON + 40 * MINUTE))
    expect(pricesIn(past, '30m')).toEqual([
      [NOON, 2],
      [NOON + 30 * MINUTE, 3],
    ])
    expect(past.points.has('15m')).toBe(false)
    clipPoints(past, { ...clockAt(NOON + 40 * MINUTE), grid: gridOf(15 * MINUTE) })
    expect(past.points.has('30m')).toBe(false)
    expect(pricesIn(past, '15m')).toEqual([])
  })
})

describe('past prices of a source', () => {
  it('take the place of what a coarser range has for the end of its bucket, and not of what is later', () => {
    const { past } = pointsAfter([{ now: NOON - 2.5 * HOUR, price: 1 }])
    backfill(past, [pricesAt('1h', [NOON - 2 * HOUR, NOON - HOUR], 'Lore')], clockAt(NOON))
    pointsOf(past, '1h').set('volume_24h_usd', NOON - 2 * HOUR, 70)
    const starts = [-7, -6, -4, -3, -2].map((halves) => NOON + halves * 30 * MINUTE)
    backfill(past, [pricesAt('30m', starts)], clockAt(NOON))
    expect(pointsOf(past, '1h').value('volume_24h_usd', NOON - 2 * HOUR)).toBe(null)
    expect(pricesIn(past, '1h')).toEqual([
      [NOON - 4 * HOUR, 7],
      [NOON - 3 * HOUR, 1],
      [NOON - 2 * HOUR, 10],
      [NOON - HOUR, 11],
    ])
    expect(pricesIn(past, '4h')).toEqual([[NOON - 4 * HOUR, 11]])
  })

  it('fill empty closed buckets alone, and the coarser ones with the last of each', () => {
    const { past } = pointsAfter([
      { now: NOON - 30 * MINUTE, price: 1 },
      { now: NOON, price: 2 },
    ])
    const buckets = [-9, -3, -2, -1, 0, 1].map((halves) => NOON + halves * 30 * MINUTE)
    backfill(past, [pricesAt('30m', buckets)], clockAt(NOON))
    expect(pricesIn(past, '30m')).toEqual([
      [NOON - 4.5 * HOUR, 7],
      [NOON - 1.5 * HOUR, 8],
      [NOON - HOUR, 9],
      [NOON - 30 * MINUTE, 1],
      [NOON, 2],
    ])
    expect(pricesIn(past, '1h')).toEqual([
      [NOON - 5 * HOUR, 7],
      [NOON - 2 * HOUR, 8],
      [NOON - HOUR, 1],
      [NOON, 2],
    ])
    expect(pricesIn(past, '4h').at(0)).toEqual([NOON - 8 * HOUR, 7])
    expect(pointsOf(past, '30m').at('origin', NOON - HOUR)).toBe(1)
    expect(past.labels).toEqual(['Kraken'])
  })

  it('fill days, which say where they are from, and change nothing the second time', () => {
    const past = noPast()
    const days = [pricesAt('1d', [NOON - 36 * HOUR, NOON - 12 * HOUR])]
    backfill(past, days, clockAt(NOON))
    const { days: own } = past
    expect([...own.buckets('close_usd')]).toEqual([NOON - 36 * HOUR])
    expect([own.at('basis', NOON - 36 * HOUR), own.at('origin', NOON - 36 * HOUR)]).toEqual([DAY_BASIS.price, 1])
    const again = copyOf(past)
    backfill(again, days, clockAt(NOON))
    expect(again.days.touched?.size).toBe(0)
  })

  it('never replace a price, whatever they are', () => {
    const half = fc.integer({ min: -60, max: 2 }).map((halves) => NOON + halves * 30 * MINUTE)
    fc.assert(
      fc.property(fc.array(half), fc.uniqueArray(half), (own, given) => {
        const { past } = pointsAfter(own.toSorted((a, b) => a - b).map((now) => ({ now, price: 1 })))
        const before = pricesIn(past, '30m')
        backfill(past, [pricesAt('30m', given)], clockAt(NOON))
        expect(pricesIn(past, '30m')).toEqual(expect.arrayContaining(before))
      }),
    )
  })
})

describe('the day of a run', () => {
  const dayOf = (steps: readonly (readonly [minutes: number, price: number, isNewBucket?: boolean])[]) => {
    const past = noPast()
    let last: number | null = null
    for (const [minutes, price, isNewBucket = true] of steps) {
      const now = NOON + minutes * MINUTE
      observeDay(past, seen(price, price), clockAt(now, last), isNewBucket)
      last = Math.max(now, last ?? now)
    }
    const { days } = past
    return (names: readonly ('open_usd' | 'high_usd' | 'low_usd' | 'close_usd' | 'runs')[], day = NOON - 12 * HOUR) =>
      names.map((name) => days.value(name, day))
  }
  const ALL = ['open_usd', 'high_usd', 'low_usd', 'close_usd', 'runs'] as const

  it('has the first, highest, lowest and last price, and counts each half hour once', () => {
    expect(
      dayOf([
        [5, 100],
        [31, 130],
        [40, 120, false],
        [61, 90],
        [95, 105],
      ])(ALL),
    ).toEqual([100, 130, 90, 105, 4])
  })

  it('does not change by a run that comes late, and begins again at midnight', () => {
    expect(
      dayOf([
        [0, 100],
        [60, 110],
        [29, 500],
      ])(ALL),
    ).toEqual([100, 110, 100, 110, 2])
    const read = dayOf([
      [0, 100],
      [12 * 60, 200],
    ])
    expect([read(ALL), read(ALL, NOON + 12 * HOUR)]).toEqual([
      [100, 100, 100, 100, 1],
      [200, 200, 200, 200, 1],
    ])
  })

  it('replaces a past price, and has the narrowest rights of its runs', () => {
    const past = noPast()
    const day = NOON - 12 * HOUR
    backfill(past, [pricesAt('1d', [day])], clockAt(NOON + DAY))
    for (const rights of ['open', 'non_commercial', 'open'] as const)
      observeDay(past, seen(9, null, rights), clockAt(NOON), true)
    const { days } = past
    expect([days.at('close_usd', day), days.at('origin', day), days.value('added', day)]).toEqual([9, 0, null])
    expect(rightsAt(days, day)).toBe('non_commercial')
  })
})

it.each([
  ['gives midnight the close that a day has of a venue', 1, { price_usd: 5, volume_24h_usd: Number.NaN, origin: 1 }],
  ['keeps what a source saw at midnight after runs stopped', 0, { price_usd: 4, volume_24h_usd: 70, origin: 2 }],
])('%s', (_, origin, expected) => {
  const past = noPast()
  const midnight = bucketOf(NOON, '1d')
  pointsOf(past, '1h').assign(midnight - HOUR, { price_usd: 4, volume_24h_usd: 70, origin: 2 })
  past.days.assign(midnight - DAY, { close_usd: 5, origin })
  settleMidnights(past, NOON)
  expect(pointsOf(past, '1h').row(midnight - HOUR)).toEqual(expected)
})

it.each([
  [182, false],
  [183, true],
])('%i days of a year are half of it: %s', (count, isHalf) => {
  const past = noPast()
  for (let day = 0; day < count; day++) past.days.set('close_usd', bucketOf(NOON, '1d') - day * DAY, 1)
  expect(hasYear(past, NOON)).toBe(isHalf)
})

it('of hourly runs keep a week, though the day has buckets of the same width', () => {
  const past = noPast()
  const grid = gridOf(HOUR)
  for (let ago = 200; ago >= 0; ago--) {
    const clock = { ...clockAt(NOON - ago * HOUR), grid }
    clipPoints(past, clock)
    observe(past, seen(5), clock)
  }
  expect([...pointsOf(past, '1h').buckets('price_usd')]).toHaveLength(168)
})
