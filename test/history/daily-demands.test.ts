import { describe, expect, it } from 'vitest'
import { DAILY, type DailySource } from '../../src/core/contract/daily.ts'
import { dayOf } from '../../src/core/contract/time.ts'
import { type PastListing, dailyDemand, isEndOf, lastFinalDay } from '../../src/core/history/demands.ts'
import { noPast } from '../../src/core/history/past.ts'
import { type RequestBudget, type PastMarket, type GapRequest, plan } from '../../src/core/history/plan.ts'
import { DAY } from './pasts.ts'

const NOW = Date.UTC(2026, 10, 23, 12, 10)
const LAST = lastFinalDay(NOW)
const day = (ago: number) => dayOf(LAST - ago * DAY)

const venue = (source_id: string, given: Partial<PastMarket> = {}): PastMarket => ({
  source_id,
  kind: 'exchange',
  market: 'ACMEUSD',
  quote: 'USD',
  intervals: ['1d'],
  most: 1000,
  volume_24h_usd: 1,
  ...given,
})
const BUDGET = { perRun: 100, most: () => 100, turn: 0 }
const planDaily = (listings: readonly PastListing[], budget: RequestBudget = BUDGET) =>
  plan(
    listings.flatMap((one) => dailyDemand(one, NOW) ?? []),
    { ...budget, perRun: Math.min(DAILY.requests, budget.perRun) },
  )
const aged = (rank: number, given: Partial<PastListing> = {}): PastListing => ({
  slug: `asset-${rank}`,
  rank,
  candidates: [venue('a', { volume_24h_usd: 9 }), venue('b', { volume_24h_usd: 8 }), venue('c')],
  past: undefined,
  ...given,
})
function pastFrom(from: string | null, asked: readonly DailySource[]) {
  const past = noPast()
  if (from !== null) past.days.set('venues', Date.parse(from), 1)
  return Object.assign(past, { asked })
}
const textOf = ({ slug, source_id, requests }: GapRequest) =>
  `${slug} ${source_id} ${requests.map(({ from, to }) => `${dayOf(from)} ${dayOf(to)}`).join(', ')}`

describe('requests for daily bars', () => {
  it('begin with the final days of the largest listings, at the venues with the largest volume', () => {
    const first = `${day(999)} ${day(0)}`
    expect(planDaily([aged(500), aged(1)]).map(textOf)).toEqual([
      `asset-1 a ${first}`,
      `asset-1 b ${first}`,
      `asset-500 a ${first}`,
    ])
    // It takes fewer requests at another venue.
    const small = [venue('a', { volume_24h_usd: 9, most: 300 }), venue('b')]
    expect(planDaily([aged(500, { candidates: small })]).map(textOf)).toEqual([`asset-500 b ${first}`])
  })

  const source = (source_id: string, from: number, complete: boolean, to = 0) =>
    ({ source_id, market: 'ACMEUSD', from: day(from), to: day(to), complete }) as const

  it('go back until a venue has no more, then to other venues, and then follow new days', () => {
    const next = (sources: readonly DailySource[], from = 1999) =>
      planDaily([aged(7, { past: pastFrom(day(from), sources) })]).map(textOf)
    expect(next([source('a', 999, false), source('b', 999, true)])).toEqual([`asset-7 a ${day(1999)} ${day(1000)}`])
    expect(next([source('a', 1999, true), source('b', 999, true)], 1500)).toEqual([
      `asset-7 c ${day(2500)} ${day(1501)}`,
    ])
    expect(next(['a', 'b', 'c'].map((id) => source(id, 1999, true)))).toEqual([])
    expect(next([source('a', 1999, true, 60), source('b', 1999, true, 60), source('c', 2999, true, 2000)])).toEqual(
      ['a', 'b'].map((id) => `asset-7 ${id} ${day(59)} ${day(0)}`),
    )
  })

  it('never exceed the budget of a run or of a source, and go on past a market that always fails', () => {
    const many = Array.from({ length: 40 }, (_, index) => aged(index + 1))
    expect(planDaily(many)).toHaveLength(DAILY.requests)
    expect(planDaily(many, { ...BUDGET, perRun: 4 })).toHaveLength(4)
    expect(planDaily(many, { ...BUDGET, most: () => 0 })).toEqual([])
    const planned = planDaily(many, { ...BUDGET, most: (id) => (id === 'a' ? 3 : 100) })
    expect(planned.filter(({ source_id }) => source_id === 'a')).toHaveLength(3)
    const slugs = (turn: number) => planDaily(many, { ...BUDGET, turn }).map(({ slug }) => slug)
    expect(new Set([0, 3, 6, 9, 12].flatMap(slugs)).size).toBeGreaterThan(7)
  })

  it('reach ten years of the largest listing and four of 500 in three days of half hours', () => {
    const began = ({ slug }: Pick<PastListing, 'slug'>) => LAST - (slug === 'asset-1' ? 3653 : 1461) * DAY
    const known = new Map<string, { readonly from: string | null; readonly sources: readonly DailySource[] }>()
    for (let run = 0; run < 144; run++) {
      const listings = Array.from({ length: 500 }, (_, index) => {
        const { from = null, sources = [] } = known.get(`asset-${index + 1}`) ?? {}
        return aged(index + 1, { past: pastFrom(from, sources) })
      })
      const planned = planDaily(listings, { ...BUDGET, most: () => 15, turn: run * 2 })
      expect(planned.length).toBeLessThanOrEqual(DAILY.requests)
      for (const { slug, source_id, market, requests } of planned) {
        const [from = 0, to = 0] = [requests[0]?.from, requests.at(-1)?.to]
        const first = to < began({ slug }) ? undefined : Math.max(from, began({ slug }))
        const { sources = [], from: before = null } = known.get(slug) ?? {}
        const until = sources.find((one) => one.source_id === source_id)?.to ?? dayOf(to)
        const asked = { source_id, market, from: dayOf(from), to: until, complete: isEndOf(first, from) }
        const others = sources.filter((one) => one.source_id !== source_id)
        known.set(slug, { from: first === undefined ? before : dayOf(first), sources: [...others, asked] })
      }
    }
    expect([...known].filter(([slug, { from }]) => from === dayOf(began({ slug })))).toHaveLength(500)
  })
})
