import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type SpentRequests, allowanceOf, periodOf, publishedQuota, withRequests } from '../../src/core/run/quotas.ts'
import type { Quota } from '../../src/core/sources/source.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 10, 1)
const quotaOf = (requests: number, list: number, per: Quota['per'] = 'month'): Quota => ({
  requests,
  per,
  evidence: 'https://docs.example/limits',
  list: () => list,
})
const sourceWith = (quota: Quota) => ({ id: 'acme', label: 'Acme', quota })

/** Runs at a cadence, spending all that each may, and counts the requests and the runs with a list. */
function simulate(quota: Quota, { from, days, minutes }: { from: number; days: number; minutes: number }) {
  const source = sourceWith(quota)
  let spent: SpentRequests = {}
  let lists = 0
  let runs = 0
  let most = 0
  for (let now = from; now < from + days * 1440 * MINUTE; now += minutes * MINUTE) {
    const allowance = allowanceOf(source, spent, { now, cadenceMs: minutes * MINUTE, listings: null })
    runs++
    if (!allowance?.list) continue
    lists++
    const count = quota.list(null) + allowance.history + allowance.profiles
    spent = withRequests(spent, [{ source, count }], now)
    most = Math.max(most, publishedQuota(source, spent, now)?.used ?? 0)
  }
  return { lists, runs, most }
}

describe('a quota', () => {
  it('is never exceeded, at any cadence and from any day on, though every run spends what it may', () => {
    fc.assert(
      fc.property(
        fc.record({
          requests: fc.integer({ min: 20, max: 30_000 }),
          list: fc.integer({ min: 1, max: 14 }),
          minutes: fc.integer({ min: 15, max: 240 }),
          day: fc.integer({ min: 0, max: 29 }),
          per: fc.constantFrom('day' as const, 'month' as const),
        }),
        ({ requests, list, minutes, day, per }) => {
          const from = START + day * 1440 * MINUTE
          const { most } = simulate(quotaOf(requests, list, per), { from, days: 35, minutes })
          expect(most).toBeLessThanOrEqual(requests)
        },
      ),
      { numRuns: 30 },
    )
  })

  it('that holds the schedule lets every run have the list', () => {
    const { lists, runs } = simulate(quotaOf(10_000, 6), { from: START, days: 30, minutes: 30 })
    expect(runs).toBe(1440)
    expect(lists).toBeGreaterThan(1430)
  })

  it('that does not is spread over the whole month, and never runs dry', () => {
    const { lists, most } = simulate(quotaOf(5_000, 12), { from: START, days: 30, minutes: 30 })
    expect(lists).toBeGreaterThan(350)
    expect(most).toBeLessThanOrEqual(5_000)
  })

  it('gives the list before past prices, and these before profiles', () => {
    const source = sourceWith(quotaOf(1000, 5))
    const at = (used: number) =>
      allowanceOf(
        source,
        { acme: { period: '2026-11-01T00:00:00Z', used } },
        { now: START + 15 * 1440 * MINUTE, cadenceMs: 30 * MINUTE, listings: null },
      )
    expect(at(475)).toMatchObject({ list: false })
    expect(at(465)).toMatchObject({ list: true, history: 5, profiles: 0 })
    expect(at(440)).toMatchObject({ list: true, history: 15, profiles: 15 })
  })

  it('restarts with its period', () => {
    const source = sourceWith(quotaOf(1000, 5))
    const spent = withRequests({}, [{ source, count: 900 }], START)
    expect(publishedQuota(source, spent, START)).toEqual({
      limit: 1000,
      per: 'month',
      used: 900,
      left: 100,
      resets_at: '2026-12-01T00:00:00Z',
      evidence_url: 'https://docs.example/limits',
    })
    expect(publishedQuota(source, spent, periodOf({ per: 'month' }, START).to)?.used).toBe(0)
  })
})
