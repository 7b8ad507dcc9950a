import { describe, expect, it } from 'vitest'
import { AGGREGATOR_AUDIT, auditAggregators } from '../../src/feed/aggregator-audit.ts'
import type { Market } from '../../src/contract/market.ts'
import { marketOf, quoteOf } from './world.ts'

const slugs = Array.from({ length: AGGREGATOR_AUDIT.listings }, (_, index) => `coin-${index}`)
const matched = (venues: readonly Market[]) =>
  slugs.flatMap((slug) => venues.map((market) => ({ slug, market, quote: quoteOf('ACME/USD', market.price_usd) })))
const three = ['a', 'b', 'c'].map((venue) => marketOf(venue, 100))

/** By how much an aggregator is off whose price of some listings is this, of those that venues price. */
const found = (
  price_usd: number,
  venues: readonly Market[] = three,
  listed = slugs,
  distrusted = new Map<string, number>(),
) => {
  const opinion = { source_id: 'list', pair: 'ACME/USD', price_usd, at: null }
  const off = auditAggregators(new Map(listed.map((slug) => [slug, [opinion]])), matched(venues), distrusted)
  return [...off].map(([id, factor]) => `${id} ${factor.toFixed(2)}`)
}

describe('an aggregator', () => {
  it('is off by the median over five listings, and cannot be told over four', () => {
    expect(found(110)).toEqual(['list 1.10'])
    expect(found(110, three, slugs.slice(1))).toEqual([])
  })

  it.each([
    ['up to 5 % above the venues', 104.9, []],
    ['up to 5 % below them', 95.3, []],
    ['more than 5 % below them', 95.2, ['list 0.95']],
  ])('%s is judged by its distance', (_, price, expected) => {
    expect(found(price)).toEqual(expected)
  })

  it.each<readonly [string, readonly Market[]]>([
    ['is stale', [...three.slice(0, 2), marketOf('c', 100, { is_stale: true })]],
    ['has no price', [...three.slice(0, 2), marketOf('c', null)]],
    ['is of the same venue', [...three.slice(0, 2), marketOf('b', 100, { pair: 'ACME/EUR' })]],
  ])('is not held against two venues and a market that %s', (_, venues) => {
    expect(found(110, venues)).toEqual([])
  })

  it('is not held against venues that disagree, or that are not believed', () => {
    expect(found(110, [marketOf('a', 100), marketOf('b', 120), marketOf('c', 140)])).toEqual([])
    expect(found(110, three, slugs, new Map([['c', 2]]))).toEqual([])
  })
})
