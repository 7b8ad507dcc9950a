import { describe, expect, it } from 'vitest'
import { type Days, gridOf } from '../../src/core/contract/history.ts'
import { gapDemand } from '../../src/core/history/demands.ts'
import {
  type Demand,
  type RequestBudget,
  type PastMarket,
  type GapRequest,
  UNRANKED,
  plan as planOf,
} from '../../src/core/history/plan.ts'

const NOON = Date.UTC(2024, 5, 10, 12)
const MIDNIGHT = Date.UTC(2024, 5, 10)
const HOUR = 3_600_000
const DAY = 24 * HOUR

const GRID = gridOf(HOUR / 2)

const gap = (days: Days, missing: number, more: Partial<Demand> = {}) => {
  const buckets = { interval: GRID[days], from: MIDNIGHT - missing * DAY, to: MIDNIGHT - DAY }
  return { missing, buckets: { days, ...buckets, asked: false, ...more } }
}
type Gap = ReturnType<typeof gap>
const venue = (source_id: string, more: Partial<PastMarket> = {}): PastMarket => ({
  source_id,
  kind: 'exchange',
  market: 'BTC-USD',
  quote: 'USD',
  intervals: ['15m', '1h', '4h', '1d'],
  most: 1000,
  ...more,
})
const wanted = (slug: string, rank: number, gaps: readonly Gap[], candidates = [venue('kraken')]) => ({
  slug,
  demands: gaps.map(({ buckets, missing }) => gapDemand({ slug, rank, candidates, past: undefined }, buckets, missing)),
})
type Wanted = ReturnType<typeof wanted>

const plan = (assets: readonly Wanted[], budget: RequestBudget) =>
  planOf(
    assets.flatMap(({ demands }) => demands),
    budget,
  )
const plenty = { perRun: 100, most: () => 100, turn: 0 }
const named = (asks: readonly GapRequest[]) => asks.map(({ slug, days }) => `${slug} ${days}`)
const sources = (asks: readonly GapRequest[]) => asks.map(({ source_id }) => source_id)

describe('the order', () => {
  it('is the largest gaps of the highest ranks first', () => {
    const assets = [
      wanted('unranked', UNRANKED, [gap(365, 300)]),
      wanted('second', 2, [gap(365, 300), gap(1, 10, { from: NOON - 10 * HOUR, to: NOON })]),
      wanted('hundredth', 100, [gap(365, 300)]),
      wanted('first', 1, [gap(30, 40), gap(365, 300)]),
    ]
    const order = ['first 365', 'second 365', 'hundredth 365', 'first 30', 'unranked 365', 'second 1']
    expect(named(plan(assets, plenty))).toEqual(order)
    expect(named(plan(assets.toReversed(), plenty))).toEqual(order)
  })

  it('continues where the last run stopped', () => {
    const assets = ['a', 'b', 'c'].map((slug, index) => wanted(slug, index + 1, [gap(365, 300)]))
    const first = plan(assets, { ...plenty, perRun: 1 })
    const left = assets.filter(({ slug }) => !first.some((ask) => ask.slug === slug))
    expect([...named(first), ...named(plan(left, { ...plenty, perRun: 1 }))]).toEqual(['a 365', 'b 365'])
  })
})

describe('gaps that no source fills', () => {
  const stubborn = Array.from({ length: 8 }, (_, index) => wanted(`old-${index}`, 1, [gap(365, 300, { asked: true })]))

  it('take no more than a quarter of the requests when they were asked for before', () => {
    expect(plan(stubborn, { ...plenty, perRun: 8 })).toHaveLength(2)
    const young = wanted('young', 900, [gap(365, 10)])
    expect(named(plan([...stubborn, young], { ...plenty, perRun: 4 }))[0]).toBe('young 365')
  })

  it('are all asked for again in turn', () => {
    const runs = [0, 1, 2, 3].flatMap((turn) => named(plan(stubborn, { ...plenty, perRun: 8, turn })))
    expect(runs.toSorted()).toEqual(stubborn.map(({ slug }) => `${slug} 365`))
  })

  it('cannot keep the others from their turn, even if they left no trace', () => {
    const assets = Array.from({ length: 12 }, (_, index) => wanted(`asset-${index}`, index + 1, [gap(365, 300)]))
    const turns = Array.from({ length: 12 }, (_, turn) => named(plan(assets, { ...plenty, perRun: 4, turn })))
    expect(new Set(turns.flat()).size).toBe(12)
  })

  it('are tried elsewhere on the next turn', () => {
    const assets = [wanted('a', 1, [gap(365, 300, { asked: true })], [venue('kraken'), venue('okx')])]
    const turns = [0, 1, 2].map((turn) => sources(plan(assets, { ...plenty, turn })))
    expect(turns).toEqual([['kraken'], ['okx'], ['kraken']])
  })

  it('are tried elsewhere in one run of four, though they left no trace', () => {
    const assets = [wanted('a', 1, [gap(365, 300)], [venue('kraken'), venue('okx')])]
    const turns = [0, 1, 2, 3, 4, 5].flatMap((turn) => sources(plan(assets, { ...plenty, turn })))
    expect(turns).toEqual(['kraken', 'kraken', 'kraken', 'kraken', 'okx', 'kraken'])
  })
})

describe('the one that is asked', () => {
  const candidates = [
    venue('aggregator', { kind: 'aggregator' }),
    venue('euros', { quote: 'EUR' }),
    venue('circle', { quote: 'USDC' }),
    venue('tether', { quote: 'USDT' }),
    venue('dollars-b'),
    venue('dollars-a'),
  ]

  it.each([
    ['the exchange that quotes in dollars', candidates, 'dollars-a'],
    ['then one that quotes in tether', candidates.slice(0, 4), 'tether'],
    ['then one that quotes in USDC', candidates.slice(0, 3), 'circle'],
    ['then one in another currency', candidates.slice(0, 2), 'euros'],
    ['then an aggregator', candidates.slice(0, 1), 'aggregator'],
    ['the one that gives all of it in one request', [venue('a', { most: 100 }), venue('b', { quote: 'USDT' })], 'b'],
    ['one that has bars of that size', [venue('a', { intervals: ['1h'] }), venue('b', { quote: 'EUR' })], 'b'],
  ])('is %s', (_, candidates, expected) => {
    expect(sources(plan([wanted('a', 1, [gap(365, 300)], candidates)], plenty))).toEqual([expected])
  })

  it('is the next in line when a source has spent its budget', () => {
    const assets = [1, 2, 3].map((rank) => wanted(`a${rank}`, rank, [gap(365, 300)], [venue('kraken'), venue('okx')]))
    expect(sources(plan(assets, { ...plenty, most: () => 1 }))).toEqual(['kraken', 'okx'])
  })
})

describe('the requests for a gap', () => {
  const requests = (gap: Gap, candidate: PastMarket) => plan([wanted('a', 1, [gap], [candidate])], plenty)[0]?.requests

  it('are for bars of a quarter hour where buckets are of half an hour, which not every source has', () => {
    const halves = gap(1, 2, { from: NOON - HOUR, to: NOON - HOUR / 2 })
    expect(requests(halves, venue('kraken'))).toEqual([
      { market: 'BTC-USD', interval: '15m', from: NOON - HOUR, to: NOON - HOUR / 4 },
    ])
  })

  it('are for the bars of the gap alone', () => {
    const hours = gap(7, 3, { from: NOON - 5 * HOUR, to: NOON - HOUR })
    expect(requests(hours, venue('kraken'))).toEqual([
      { market: 'BTC-USD', interval: '1h', from: NOON - 5 * HOUR, to: NOON - HOUR },
    ])
  })

  it('reach over the whole of the last bucket at an aggregator', () => {
    const hours = gap(7, 3, { from: NOON - 5 * HOUR, to: NOON - HOUR })
    expect(requests(hours, venue('coingecko', { kind: 'aggregator' }))).toEqual([
      { market: 'BTC-USD', interval: '1h', from: NOON - 5 * HOUR, to: NOON - 1 },
    ])
  })

  it('hold no more bars than one answer does, oldest first, without an overlap', () => {
    expect(requests(gap(365, 250), venue('okx', { most: 100 }))).toEqual([
      { market: 'BTC-USD', interval: '1d', from: MIDNIGHT - 250 * DAY, to: MIDNIGHT - 151 * DAY },
      { market: 'BTC-USD', interval: '1d', from: MIDNIGHT - 150 * DAY, to: MIDNIGHT - 51 * DAY },
      { market: 'BTC-USD', interval: '1d', from: MIDNIGHT - 50 * DAY, to: MIDNIGHT - DAY },
    ])
  })

  it('are made whole or not at all', () => {
    const assets = [wanted('a', 1, [gap(365, 250)], [venue('okx', { most: 100 })]), wanted('b', 2, [gap(365, 90)])]
    expect(named(plan(assets, { ...plenty, perRun: 2 }))).toEqual(['b 365'])
  })

  it('never exceed the budgets', () => {
    const assets = Array.from({ length: 50 }, (_, index) => wanted(`a${index}`, index, [gap(365, 250), gap(30, 90)]))
    for (const perRun of [0, 1, 2, 3, 10, 33]) {
      const count = plan(assets, { perRun, most: () => 20, turn: 7 }).flatMap(({ requests }) => requests).length
      expect(count).toBe(Math.min(perRun, 20))
    }
  })
})
