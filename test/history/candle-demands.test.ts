import { describe, expect, it } from 'vitest'
import { gridOf } from '../../src/core/contract/history.ts'
import { barsOf } from '../../src/core/history/bars.ts'
import { FOLLOWING, type PastListing, candleDemands } from '../../src/core/history/demands.ts'
import { bucketOf } from '../../src/core/history/grid.ts'
import { noPast } from '../../src/core/history/past.ts'
import { type RequestBudget, type PastMarket, plan } from '../../src/core/history/plan.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NOW = Date.UTC(2024, 5, 10, 12, 10)
const MOMENT = { grid: gridOf(HOUR / 2), now: NOW }
const ALL: RequestBudget = { perRun: 1000, most: () => 1000, turn: 0 }

const venue = (source_id: string, given: Partial<PastMarket> = {}): PastMarket => ({
  source_id,
  kind: 'exchange',
  market: 'ACMEUSD',
  quote: 'USD',
  intervals: ['15m', '1h', '4h', '1d'],
  most: 1000,
  volume_24h_usd: 100,
  ...given,
})
const listing = (rank: number, given: Partial<PastListing> = {}): PastListing => ({
  slug: `asset-${rank}`,
  rank,
  candidates: [venue('a'), venue('b'), venue('c')],
  past: undefined,
  ...given,
})
function plannedFor(listings: readonly PastListing[], given: Partial<RequestBudget> = {}) {
  const budget = { ...ALL, ...given }
  const most = (id: string) => budget.most(id) * FOLLOWING.sourceShare
  return plan(
    listings.flatMap((one) => candleDemands(one, MOMENT)),
    { ...budget, perRun: budget.perRun * FOLLOWING.share, most },
  )
}
const textOf = ({ slug, days, source_id }: { slug: string; days: number | string; source_id: string }) =>
  `${slug} ${days} ${source_id}`

describe('the first bars of a listing', () => {
  it('are requested for the whole ranges, in three widths of three venues', () => {
    const planned = plannedFor([listing(1)])
    expect(planned.map(({ days, interval, source_id }) => `${days} ${interval} ${source_id}`)).toEqual(
      ['365 1d', '7 1h', '1 30m'].flatMap((width) => ['a', 'b', 'c'].map((id) => `${width} ${id}`)),
    )
    const reach = planned.map(({ requests }) => Math.round((NOW - (requests[0]?.from ?? 0)) / DAY))
    expect([...new Set(reach)]).toEqual([366, 30, 1])
    for (const { requests } of planned) expect(requests.at(-1)?.to).toBeLessThan(NOW)
  })

  it('come from the venues with the largest volume, one market of each, and no aggregator', () => {
    const candidates = [
      venue('small', { volume_24h_usd: 1 }),
      venue('a', { market: 'ACMEUSDT', quote: 'USDT', volume_24h_usd: 900 }),
      venue('a'),
      venue('b', { volume_24h_usd: 200 }),
      venue('c', { volume_24h_usd: 300 }),
      venue('index', { kind: 'aggregator', volume_24h_usd: 1e9 }),
    ]
    const daily = plannedFor([listing(1, { candidates })]).filter(({ days }) => days === 365)
    expect(daily.map(({ source_id, market }) => `${source_id} ${market}`)).toEqual([
      'c ACMEUSD',
      'b ACMEUSD',
      'a ACMEUSD',
    ])
  })
})

describe('bars after the first', () => {
  function known(ageMs: number) {
    const past = noPast()
    for (const interval of Object.values(MOMENT.grid))
      barsOf(past, interval).columns.set('close_usd', bucketOf(NOW - ageMs, interval), 1)
    return listing(1, { past })
  }

  it('are requested once they are due, from one bucket before the newest', () => {
    expect(plannedFor([known(HOUR)])).toEqual([])
    const planned = plannedFor([known(5 * HOUR + 600_000)])
    expect(planned.map(({ days }) => days)).toEqual([7, 7, 7, 1, 1, 1])
    expect(planned[0]?.requests).toEqual([
      { market: 'ACMEUSD', interval: '1h', from: Date.UTC(2024, 5, 10, 0), to: Date.UTC(2024, 5, 10, 11) },
    ])
  })

  it('reach back no farther than the range, however long nothing was requested', () => {
    const [{ requests } = { requests: [] }] = plannedFor([known(900 * DAY)])
    expect(Math.round((NOW - (requests[0]?.from ?? 0)) / DAY)).toBe(366)
  })
})

describe('the budget', () => {
  const market = Array.from({ length: 40 }, (_, index) => listing(index + 1))

  it('is a quarter of the requests, most of them for the largest listings', () => {
    const planned = plannedFor(market, { perRun: 120, turn: 7 })
    expect(planned.reduce((sum, { requests }) => sum + requests.length, 0)).toBeLessThanOrEqual(30)
    expect(new Set(planned.slice(0, 21).map(({ slug }) => slug))).toEqual(new Set(['asset-1', 'asset-2', 'asset-3']))
  })

  it('reaches every listing in turn', () => {
    const reached = new Set(
      Array.from({ length: 400 }, (_, turn) => plannedFor(market, { perRun: 120, turn })).flatMap((planned) =>
        planned.map(({ slug }) => slug),
      ),
    )
    expect(reached.size).toBe(market.length)
  })

  it('holds for each source, and another venue takes its place', () => {
    const candidates = ['a', 'b', 'c', 'd'].map((id) => venue(id))
    const planned = plannedFor([listing(1, { candidates })], { most: (id) => (id === 'b' ? 0 : 1000) })
    expect(planned.filter(({ days }) => days === 1).map(textOf)).toEqual(['a', 'c', 'd'].map((id) => `asset-1 1 ${id}`))
    const few = plannedFor(market, { most: () => 10 })
    for (const id of ['a', 'b', 'c'])
      expect(few.filter(({ source_id }) => source_id === id).length).toBeLessThanOrEqual(10 * FOLLOWING.sourceShare)
  })
})
