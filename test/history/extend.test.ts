import { describe, expect, it } from 'vitest'
import { DAYS } from '../../src/contract/history.ts'
import { withLastSeen } from '../../src/history/extend.ts'
import { OWN, type Published, SLUG, asSeen, nothing, prices, run, seen, watch } from './published.ts'

const NOON = Date.UTC(2024, 5, 10, 12)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

describe('an asset without any observation', () => {
  it('has five series without a window, everything missing', () => {
    const { changed } = watch(nothing, { now: NOON })
    expect([...changed.keys()].toSorted((a, b) => a - b)).toEqual(DAYS)
    expect(changed.get(30)).toEqual({
      slug: SLUG,
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

  it('leaves them as they are however much time passes', () => {
    const { published } = watch(nothing, { now: NOON })
    expect(watch(published, { now: NOON + 400 * DAY }).changed).toEqual(new Map())
  })
})

describe('a run', () => {
  it('rounds observations to the published digits', () => {
    const { changed } = watch(nothing, {
      now: NOON,
      observations: [{ at: NOON + 1500, price_usd: 1.23456789123, volume_24h_usd: 10.129 }],
    })
    expect(changed.get(365)).toMatchObject({
      rows: [{ timestamp: '2024-06-10T00:00:00Z', price_usd: 1.2345679, volume_24h_usd: 10.13 }],
      sourceLabel: OWN,
      missing: 364,
    })
  })

  it('changes nothing, and reads the finest series alone, when it sees the same value in the same half hour', () => {
    const published = run(nothing, NOON + MINUTE, 5)
    const now = NOON + 29 * MINUTE
    const { asked, changed } = watch(published, { now, observations: [seen(now, 5)] })
    expect(changed).toEqual(new Map())
    expect(asked).toEqual([1])
  })

  it.each([
    ['half hour', 31 * MINUTE, [1]],
    ['hour', 61 * MINUTE, [1, 7]],
    ['four hours', 241 * MINUTE, [1, 7, 30]],
    ['day', 12 * HOUR, [1, 7, 30, 365, 90]],
  ])('that sees the same value in the next %s changes the ranges that have a new bucket alone', (_, later, ranges) => {
    const now = NOON + later
    const { changed } = watch(run(nothing, NOON + MINUTE, 5), { now, observations: [seen(now, 5)] })
    expect([...changed.keys()]).toEqual(ranges)
  })

  it.each([
    [29 * MINUTE, [], [1]],
    [31 * MINUTE, [1], [1]],
    [61 * MINUTE, [1, 7], [1, 7]],
    [4 * HOUR, [1, 7, 30], [1, 7, 30]],
    [12 * HOUR, [1, 7, 30, 365, 90], [1, 7, 30, 365]],
  ])('that sees nothing %i ms later moves the windows %j', (later, moved, read) => {
    const published = run(nothing, NOON, 5)
    const { asked, changed } = watch(published, { now: NOON + later })
    expect([...changed.keys()]).toEqual(moved)
    expect(asked).toEqual(read)
  })

  it('replaces the value of the open bucket in the short ranges, and in the long ones when it is closed', () => {
    const first = run(nothing, NOON, 5)
    const { changed, published } = watch(first, { now: NOON + MINUTE, observations: [seen(NOON + MINUTE, 6)] })
    expect([...changed.keys()]).toEqual([1, 7])
    const lastOf = (series: Published) => DAYS.map((days) => prices(series, days).map(([, price]) => price))
    expect(lastOf(published)).toEqual([[6], [6], [5], [5], [5]])
    expect(lastOf(asSeen(published))).toEqual([[6], [6], [6], [6], [6]])
    const later = run(run(published, NOON + 9 * HOUR, 7), NOON + DAY, 8)
    expect(prices(later, 30)).toEqual([
      ['2024-06-10T12:00:00Z', 6],
      ['2024-06-10T20:00:00Z', 7],
      ['2024-06-11T12:00:00Z', 8],
    ])
    expect(prices(later, 365)).toEqual([
      ['2024-06-10T00:00:00Z', 7],
      ['2024-06-11T00:00:00Z', 8],
    ])
    expect(later.get(90)?.rows).toEqual(later.get(365)?.rows)
  })

  it('replaces a volume that changed beside the same price', () => {
    const published = run(nothing, NOON, 5)
    const observations = [{ at: NOON + MINUTE, price_usd: 5, volume_24h_usd: 1 }]
    expect(watch(published, { now: NOON + MINUTE, observations }).changed.get(7)?.rows[0]?.volume_24h_usd).toBe(1)
  })

  it('takes several observations by their time, also a value that comes back', () => {
    const observations = [seen(NOON + MINUTE, 5), seen(NOON + 3 * MINUTE, 5), seen(NOON + 2 * MINUTE, 6)]
    const { published } = watch(nothing, { now: NOON + HOUR, observations })
    expect(prices(published, 1)).toEqual([['2024-06-10T12:00:00Z', 5]])
  })

  it('leaves out what lies beyond its clock', () => {
    expect(watch(nothing, { now: NOON, observations: [seen(NOON + DAY, 5)] }).changed.get(1)?.rows).toEqual([])
  })

  it('keeps the second of two values of the same second', () => {
    expect(prices(asSeen(run(run(nothing, NOON, 5), NOON, 6)), 365)).toEqual([['2024-06-10T00:00:00Z', 6]])
  })

  it('drops points outside of the window and counts the missing ones', () => {
    const published = run(run(nothing, NOON, 5), NOON + 8 * DAY, 6)
    expect(prices(published, 7)).toEqual([['2024-06-18T12:00:00Z', 6]])
    expect(prices(published, 30)).toEqual([
      ['2024-06-10T12:00:00Z', 5],
      ['2024-06-18T12:00:00Z', 6],
    ])
    expect(published.get(7)?.missing).toBe(167)
  })
})

describe('the value that a long series has last seen', () => {
  it('stays where the finest series ends before its open bucket', () => {
    const [open, finest] = [run(nothing, NOON + 2 * DAY, 6).get(30), run(nothing, NOON, 5).get(1)]
    if (!open || !finest) throw new Error('a series is missing')
    expect(withLastSeen(open, finest)).toBe(open)
  })
})

describe('a late observation', () => {
  const published = run(run(nothing, NOON + MINUTE, 5), NOON + 10 * MINUTE, 6)

  it.each([
    ['is the last one seen in the open bucket', NOON + 9 * MINUTE, [7, 7]],
    ['fills a bucket of its own, and replaces no later one', NOON - 20 * MINUTE, [7, 6]],
  ])('%s', (_, at, expected) => {
    const { published: result } = watch(published, { now: NOON + 12 * MINUTE, observations: [seen(at, 7)] })
    expect([prices(result, 1)[0]?.[1], prices(asSeen(result), 365)[0]?.[1]]).toEqual(expected)
  })

  it('is still in time for a range that reaches further back', () => {
    const { published: result } = watch(published, { now: NOON + 12 * MINUTE, observations: [seen(NOON - 3 * DAY, 7)] })
    expect(prices(result, 1)).toHaveLength(1)
    expect(prices(result, 7)[0]).toEqual(['2024-06-07T12:00:00Z', 7])
  })
})

describe('an observation older than the finest range', () => {
  it('replaces nothing that was seen in a coarser bucket', () => {
    const hour = NOON - HOUR
    const published = run(run(nothing, hour + 2 * MINUTE, 5), hour + 47 * MINUTE, 5)
    const now = hour + DAY + 31 * MINUTE
    const { published: result } = watch(published, { now, observations: [seen(hour + 10 * MINUTE, 7)] })
    expect(prices(result, 7)).toEqual([['2024-06-10T11:00:00Z', 5]])
  })

  it('begins the windows of all ranges when it is the first', () => {
    const { published } = watch(nothing, { now: NOON })
    const { changed } = watch(published, { now: NOON, observations: [seen(NOON - 10 * DAY, 5)] })
    expect(DAYS.map((days) => [changed.get(days)?.to === null, changed.get(days)?.count])).toEqual([
      [false, 0],
      [false, 0],
      [false, 1],
      [false, 1],
      [false, 1],
    ])
  })

  it('changes nothing when it is older than all of them', () => {
    const published = run(nothing, NOON, 5)
    expect(watch(published, { now: NOON, observations: [seen(NOON - 365 * DAY, 7)] }).changed).toEqual(new Map())
  })
})

describe('a clock that jumps back', () => {
  it('neither moves a window nor loses a newer point', () => {
    const published = run(run(nothing, NOON, 5), NOON - 3 * HOUR, 6)
    expect(published.get(1)?.to).toBe('2024-06-10T12:00:00Z')
    expect(prices(published, 1)).toEqual([
      ['2024-06-10T09:00:00Z', 6],
      ['2024-06-10T12:00:00Z', 5],
    ])
    expect(prices(published, 90)).toEqual([['2024-06-10T00:00:00Z', 5]])
  })
})
