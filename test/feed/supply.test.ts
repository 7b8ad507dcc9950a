import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../src/core/feed/methodology.ts'
import type { SupplyBasis } from '../../src/core/contract/asset.ts'
import type { Feed } from '../../src/core/feed/feed.ts'
import { NOTHING_BEFORE } from '../../src/core/feed/listing.ts'
import { decideSupply } from '../../src/core/feed/supply.ts'
import { isCounted, totalsOf } from '../../src/core/feed/totals.ts'
import type { Sighting } from '../../src/core/sources/source.ts'
import type { Report } from '../../src/core/sources/collect.ts'
import { AT, HOUR, NOW, entryOf, feedFrom, listOf, publishedBy, registryOf, sightingOf, silent } from './world.ts'

const COINS = { one: 1e9, two: 5e8, three: 2e8, four: 1e8 } as const
type Slug = keyof typeof COINS
const slugs: readonly Slug[] = ['one', 'two', 'three', 'four']
const ids = Object.fromEntries(['coingecko', 'coinlore', 'coinpaprika'].map((source) => [source, '']))
const registry = registryOf(
  ...slugs.map((slug) =>
    entryOf(slug, { external_ids: Object.fromEntries(Object.keys(ids).map((source) => [source, slug])) }),
  ),
)

const lists = (
  source: string,
  factors: Partial<Record<Slug, number>> = {},
  given: (supply: number, slug: Slug) => Partial<Sighting> = (supply) => ({ market_cap_usd: supply }),
): Report =>
  listOf(
    source,
    ...slugs.map((slug, index) => {
      const supply = COINS[slug] * (factors[slug] ?? 1)
      return sightingOf(slug, {
        rank: index + 1,
        price_usd: 1,
        volume_24h_usd: 1e8,
        circulating_supply: supply,
        total_supply: supply,
        ...given(supply, slug),
      })
    }),
  )
const run = (reports: readonly Report[], hours: number, last?: Feed): Feed =>
  feedFrom(reports, { registry, now: NOW + hours * HOUR, previous: last ? publishedBy(last) : NOTHING_BEFORE })
const asset = ({ snapshot }: Feed, slug: Slug = 'four') => snapshot.bySlug.get(slug)?.asset
const total = ({ snapshot }: Feed): number =>
  totalsOf(snapshot.listed.map((listing) => listing.asset).filter(isCounted)).market_cap_usd ?? 0
const held = ({ snapshot }: Feed) => snapshot.quarantine.map(({ slug, field }) => `${slug} ${field}`)
const TRUTH = 1.8e9
const lie = { two: 1000, four: 1000 }
const SUPPLIES = ['circulating_supply', 'total_supply'] as const
const HELD = ['four', 'two'].flatMap((slug) => SUPPLIES.map((field) => `${slug} ${field}`))

describe('a supply that one source multiplies by 1000', () => {
  const honest = run([lists('coingecko'), lists('coinlore')], 0)

  it.each([
    ['another source is right', lists('coinlore')],
    ['another source is silent', silent(lists('coinlore'))],
  ])('is held back in every run while %s, and moves no total and no rank', (_, coinlore) => {
    let last = honest
    for (let hours = 0.5; hours < 12; hours += 0.5) {
      last = run([lists('coingecko', lie), coinlore], hours, last)
      expect(total(last)).toBe(TRUTH)
      expect(held(last)).toEqual(HELD)
      expect(asset(last)).toMatchObject({ circulating_supply: 1e8, total_supply: 1e8, market_cap_rank: 4 })
    }
    expect(asset(last)?.held[0]).toMatchObject({
      held_value: 1e8,
      offered_value: 1e11,
      rule: 'lone_supply',
      source_ids: ['coingecko'],
      since: '2026-11-20T12:30:00Z',
    })
  })

  it('is held back on a tree of one source alone, marked as carried', () => {
    const alone = run([lists('coingecko')], 0)
    const after = run([lists('coingecko', lie)], 0.5, alone)
    expect(total(after)).toBe(TRUTH)
    expect(asset(after)).toMatchObject({ circulating_supply: 1e8, carried: { circulating_supply: AT } })
    expect(asset(after)?.held[0]).toMatchObject({
      reason: 'It differs by a factor of 1000: coingecko alone reports it.',
      releases_at: '2026-11-21T12:30:00Z',
      release: 'Another source or the registry within 10 % of it, or the same report for 24 hours.',
    })
    expect(held(run([lists('coingecko')], 1, after))).toEqual([])
  })

  it('is held back on a fresh tree where a second source contradicts it', () => {
    const fresh = run([lists('coingecko', lie), lists('coinlore')], 0)
    expect(total(fresh)).toBe(TRUTH)
    expect(held(fresh)).toEqual(HELD)
    expect(asset(fresh)?.held[0]).toMatchObject({
      reason: expect.stringContaining('against coinlore'),
      releases_at: null,
    })
  })

  it('is outvoted on a fresh tree by a market cap that implies the true one', () => {
    const paprika = lists('coinpaprika', {}, (supply) => ({ market_cap_usd: supply, circulating_supply: null }))
    const fresh = run([lists('coingecko', lie), paprika], 0)
    expect(total(fresh)).toBe(TRUTH)
    expect(asset(fresh)).toMatchObject({ circulating_supply: null, market_cap_usd: 1e8 })
  })

  it('is not published on a fresh tree of one source whose market cap contradicts it', () => {
    const contradicting = lists('coingecko', lie, (_, slug) => ({ market_cap_usd: COINS[slug], total_supply: null }))
    const fresh = run([contradicting], 0)
    expect(total(fresh)).toBe(1.2e9)
    expect(asset(fresh)).toMatchObject({ circulating_supply: null, market_cap_usd: null })
    expect(held(fresh)).toEqual(['four circulating_supply', 'two circulating_supply'])
  })

  it('is not published where it is above the maximum that the same source reports', () => {
    const after = run([lists('coingecko', lie, (supply) => ({ market_cap_usd: supply, max_supply: 2e9 }))], 0.5, honest)
    expect(asset(after)?.circulating_supply).toBe(1e8)
    expect(asset(after)?.held[0]?.reason).toContain('above its own maximum')
  })

  it('is held back where it comes as a market cap alone', () => {
    const caps = (factors = {}) =>
      lists('coingecko', factors, (supply) => ({
        market_cap_usd: supply,
        circulating_supply: null,
        total_supply: null,
      }))
    const after = run([caps(lie)], 0.5, run([caps()], 0))
    expect(total(after)).toBe(TRUTH)
    expect(asset(after)?.held).toMatchObject([{ field: 'market_cap_usd', held_value: 1e8, offered_value: 1e11 }])
  })
})

describe('a supply that changes', () => {
  const burned = { four: 0.5 }

  it('is published in the run in which a second source reports it', () => {
    const before = run([lists('coingecko'), lists('coinlore')], 0)
    const lone = run([lists('coingecko', burned), lists('coinlore')], 0.5, before)
    expect(asset(lone)).toMatchObject({ circulating_supply: 1e8, told_by: { coinlore: expect.any(Array) } })
    expect(held(lone)).toEqual(SUPPLIES.map((field) => `four ${field}`))
    const both = run([lists('coingecko', burned), lists('coinlore', burned)], 1, lone)
    expect(asset(both)?.circulating_supply).toBe(5e7)
    expect(held(both)).toEqual([])
  })

  it('is published when one source alone has reported it for a day, and stays', () => {
    let last = run([lists('coingecko')], 0)
    for (let hours = 0.5; hours <= 24; hours += 0.5) {
      last = run([lists('coingecko', burned)], hours, last)
      expect(asset(last)?.circulating_supply, `${hours} h`).toBe(1e8)
    }
    last = run([lists('coingecko', burned)], 24.5, last)
    expect(asset(last)).toMatchObject({
      circulating_supply: 5e7,
      carried: null,
      supply_basis: { circulating_supply: { method: 'persisted' } },
    })
    expect(asset(run([lists('coingecko', burned)], 25, last))?.circulating_supply).toBe(5e7)
  })

  it('by a little each run is held back from a tenth on, where one source alone reports it', () => {
    let last = run([lists('coingecko')], 0)
    for (let step = 1; step <= 10; step++) last = run([lists('coingecko', { four: 1.08 ** step })], step / 2, last)
    expect(asset(last)?.circulating_supply).toBe(1.08e8)
    expect(held(last)).toContain('four circulating_supply')
  })

  it('of a tenth or less is published at once', () => {
    const after = run([lists('coingecko', { four: 1.09 })], 0.5, run([lists('coingecko')], 0))
    expect(asset(after)?.circulating_supply).toBe(1.09e8)
    expect(held(after)).toEqual([])
  })
})

describe('sources that count differently', () => {
  const other = { four: 2 }

  it('are heard before those whose market cap alone implies a supply', () => {
    const implied = lists('coingecko', {}, (supply) => ({ market_cap_usd: supply * 1.05, circulating_supply: null }))
    expect(asset(run([implied, lists('coinlore')], 0))?.circulating_supply).toBe(1e8)
  })

  it('are not held back: the first counts, in the first run and later', () => {
    let last = run([lists('coingecko', other), lists('coinlore')], 0)
    for (const hours of [0.5, 1]) last = run([lists('coingecko', other), lists('coinlore')], hours, last)
    expect(asset(last)?.circulating_supply).toBe(2e8)
    expect(held(last)).toEqual([])
  })

  it('follow the majority', () => {
    const fresh = run([lists('coingecko', other), lists('coinlore'), lists('coinpaprika')], 0)
    expect(asset(fresh)).toMatchObject({
      circulating_supply: 1e8,
      supply_basis: { circulating_supply: { method: 'agreed' } },
    })
    expect(held(fresh)).toEqual([])
  })
})

it('a supply that a source leaves out is kept for a day, and marked', () => {
  const bare = lists('coingecko', {}, () => ({ circulating_supply: null, total_supply: null, market_cap_usd: null }))
  const runOf = (report: Report, hours: number, last?: Feed) =>
    feedFrom([report], { now: NOW + hours * HOUR, previous: last ? publishedBy(last) : NOTHING_BEFORE })
  const after = runOf(bare, 0.5, runOf(lists('coingecko'), 0))
  expect(asset(after)).toMatchObject({
    circulating_supply: 1e8,
    market_cap_rank: 4,
    carried: { circulating_supply: AT },
  })
  expect(total(after)).toBe(TRUTH)
  expect(asset(runOf(bare, 24.5, after))?.circulating_supply).toBeNull()
})

it('the registry confirms a maximum supply', () => {
  const reviewed = registryOf(entryOf('four', { max_supply: 21e6, external_ids: { coingecko: 'four' } }))
  const list = (max_supply: number) => listOf('coingecko', sightingOf('four', { price_usd: 1, max_supply }))
  const feed = (reported: number) => asset(feedFrom([list(reported)], { registry: reviewed }))
  expect(feed(21e9)).toMatchObject({ max_supply: 21e6, told_by: { registry: ['max_supply'] } })
  expect(feed(20.9e6)).toMatchObject({ max_supply: 20.9e6, told_by: { coingecko: ['max_supply'] } })
})

describe('a supply by witnesses', () => {
  const witness = fc.record({
    source_id: fc.constantFrom('a', 'b', 'c', 'd'),
    value: fc.double({ min: 1, max: 1e15, noNaN: true }),
    is_implied: fc.boolean(),
  })
  const near = (a: number, b: number) => Math.max(a / b, b / a) <= 1 + LIMITS.same_percent / 100

  it('never leaves the last value for what one witness alone reports', () => {
    fc.assert(
      fc.property(fc.array(witness, { maxLength: 5 }), fc.double({ min: 1, max: 1e15, noNaN: true }), (all, value) => {
        const last: SupplyBasis['last'] = { value, as_of: AT }
        const { witness: chosen } = decideSupply(all, last)
        if (chosen === null) return
        const agreeing = all.filter((one) => near(one.value, chosen.value)).length
        expect(agreeing > 1 || near(chosen.value, value)).toBe(true)
      }),
    )
  })

  it('is never raised by one more witness above what the others report', () => {
    fc.assert(
      fc.property(fc.array(witness, { minLength: 2, maxLength: 4 }), witness, (honest, liar) => {
        const most = Math.max(...honest.map(({ value }) => value))
        const high = { ...liar, value: most * LIMITS.dispute_factor * 2 }
        expect(decideSupply([high, ...honest], null).witness?.value).toBeLessThanOrEqual(most)
      }),
    )
  })
})

it('publishes no maximum below the circulating supply', () => {
  const nano = (max_supply: number) =>
    run([lists('coingecko', {}, (supply) => ({ max_supply: supply + max_supply }))], 0)
  expect(asset(nano(0))).toMatchObject({ circulating_supply: 1e8, max_supply: 1e8 })
  expect(asset(nano(-7))).toMatchObject({ circulating_supply: 1e8, max_supply: null })
})

it('publishes no maximum below the total supply, and no diluted valuation below the market cap', () => {
  const one = (total_supply: number, more: object) =>
    asset(run([lists('coingecko', {}, (supply) => ({ total_supply: supply + total_supply, ...more }))], 0))
  expect(one(7, { max_supply: 1e8 })).toMatchObject({ total_supply: 1e8 + 7, max_supply: null })
  const { market_cap_usd, fully_diluted_valuation_usd, ...supplies } = one(-7, {}) ?? {}
  expect(supplies).toMatchObject({ circulating_supply: 1e8, total_supply: 1e8 - 7 })
  expect([fully_diluted_valuation_usd, typeof market_cap_usd]).toEqual([market_cap_usd, 'number'])
  expect(one(-1e8, { fully_diluted_valuation_usd: 5 })?.fully_diluted_valuation_usd).toBe(null)
})
