import { describe, expect, it } from 'vitest'
import { confidenceOf, fragilityOf } from '../../src/core/feed/confidence.ts'
import { type Evidence, priceOf } from '../../src/core/feed/price.ts'
import { rateDependence } from '../../src/core/feed/rate-dependence.ts'
import { type PairPrice, measureRates } from '../../src/core/feed/rates.ts'
import type { PriceBasis } from '../../src/core/contract/asset.ts'
import { AT, SURE, basisOf, marketOf } from './world.ts'

const pair = (name: string, price: number, venue: string): PairPrice => {
  const [base = '', quote = ''] = name.split('/')
  return { venue, base, quote, price, volume_base: 1, volume_quote: null }
}
/** The rates of a market in which venues and an aggregator say this of USDT, and three venues trade BTC in it. */
const ratesOf = (venues: readonly number[], aggregator?: number) =>
  measureRates(
    [
      ...venues.map((value, index) => pair('USDT/USD', value, `v${index}`)),
      ...['a', 'b', 'c'].flatMap((venue) => [pair('BTC/USDT', 16_000, venue), pair('ACME/BTC', 1, venue)]),
    ],
    {
      opinions: new Map(aggregator === undefined ? [] : [['USDT', [{ source_id: 'list', price_usd: aggregator }]]]),
      listed: [],
    },
    new Map(),
    AT,
  )
const dependence = (...given: Parameters<typeof ratesOf>) => rateDependence(ratesOf(...given))

describe('the confidence that a rate allows', () => {
  it.each<readonly [string, ReturnType<typeof dependence>, number]>([
    ['is whole with three witnesses that agree', dependence([1, 1, 1]), 1],
    ['is whole with two venues and an aggregator', dependence([1, 1], 1.001), 1],
    ['is whole with three of four', dependence([1, 1, 1, 1.05]), 1],
    ['is low where exactly half of six agree', dependence([0.98, 0.98, 1, 1.002, 1.004, 1.02]), 0.3],
    ['is bounded with two that agree', dependence([1, 1]), 0.6],
    ['is low with one', dependence([1]), 0.3],
    ['is low with two that disagree', dependence([1, 1.05]), 0.3],
    ['is low where two agree against another', dependence([1, 1], 1.05), 0.3],
  ])('%s', (_, { most }, expected) => {
    expect(most('USDT')).toBe(expected)
    // Bitcoin has three venues, but all of it goes through that rate.
    expect(most('BTC')).toBe(expected)
    expect([most('USD'), most('XYZ')]).toEqual([1, 1])
  })
})

describe('a lie about a rate', () => {
  it('moves no rate that is carried, and that has no live witness', () => {
    const rates = new Map(
      [...ratesOf([1, 1, 1])].map(([symbol, rate]) => [symbol, { ...rate, method: 'carried' as const }]),
    )
    const { most, move, sources } = rateDependence(rates)
    expect([most('USDT'), move('USDT', 'v0'), sources]).toEqual([0.3, 0, []])
  })

  it('moves it by all of it where one witness is alone, by half where one of two is heard, and hardly where three agree', () => {
    expect(dependence([1]).move('USDT', 'v0')).toBeCloseTo(0.05, 9)
    expect(dependence([1, 1]).move('USDT', 'v0')).toBeCloseTo(0.025, 9)
    expect(dependence([1, 1.001, 1.002]).move('USDT', 'v0')).toBeLessThan(0.002)
    expect(dependence([1, 1.001, 1.002]).move('USDT', 'none')).toBe(0)
  })

  it('moves the rates that are measured in it', () => {
    expect(dependence([1]).move('BTC', 'v0')).toBeCloseTo(0.05, 9)
    expect(dependence([1]).sources).toEqual(['a', 'b', 'c', 'v0'])
  })
})

describe('a price through a rate', () => {
  const evidence = (quote_symbol: string, rates: Evidence['rates']): Evidence => ({
    markets: ['a', 'b', 'c', 'd', 'e'].map((venue) => marketOf(venue, 100, { quote_symbol })),
    aggregators: [],
    ...SURE,
    rates,
  })
  const made = (all: Evidence) => {
    const { price_usd, basis } = priceOf(all)
    const fragility_bp = fragilityOf(all)
    return {
      reason: basis.low_confidence_reason,
      confidence: confidenceOf({ price_usd, basis: { ...basis, fragility_bp } }, all),
      fragility_bp,
    }
  }

  it('has the confidence and the fragility of the rate, and says so', () => {
    expect(made(evidence('USDT', dependence([1, 1.05])))).toMatchObject({ reason: 'weak_rate', confidence: 0.3 })
    expect(made(evidence('USDT', dependence([1])))).toEqual({ reason: 'weak_rate', confidence: 0.3, fragility_bp: 500 })
    expect(made(evidence('USDT', dependence([1, 1])))).toEqual({
      reason: 'weak_rate',
      confidence: 0.6,
      fragility_bp: 250,
    })
  })

  it('is as fragile as one source of both the rate and the price makes it', () => {
    const markets = [marketOf('v0', 100, { quote_symbol: 'USDT' })]
    expect(fragilityOf({ ...evidence('USDT', dependence([1])), markets })).toBe(1000)
  })

  it('is sure where the rate is, and in dollars', () => {
    for (const all of [evidence('USDT', dependence([1, 1, 1])), evidence('USD', dependence([1]))]) {
      expect(made(all)).toMatchObject({ reason: null, fragility_bp: 0 })
      expect(made(all).confidence).toBeGreaterThan(0.7)
    }
  })

  it('goes by the rates that more than half of its weight goes through', () => {
    const mixed = (weak: number): Evidence => {
      const all = evidence('USD', dependence([1]))
      return {
        ...all,
        markets: all.markets.map((market, at) => (at < weak ? { ...market, quote_symbol: 'USDT' } : market)),
      }
    }
    expect(made(mixed(2))).toMatchObject({ reason: null, fragility_bp: 0 })
    expect(made(mixed(3))).toMatchObject({ reason: 'weak_rate', fragility_bp: 500 })
  })
})

/** Evidence of venues with these prices and a million each, and of aggregators with those. */
const told = (venues: readonly number[], aggregators: readonly number[] = []): Evidence => ({
  markets: venues.map((price, index) => marketOf(`venue-${index}`, price)),
  aggregators: aggregators.map((price_usd, index) => ({ source_id: `list-${index}`, pair: 'ACME/USD', price_usd })),
  ...SURE,
})
const confidence = (
  method: PriceBasis['method'],
  evidence: Evidence,
  low_confidence_reason: PriceBasis['low_confidence_reason'] = null,
) => confidenceOf({ price_usd: 1, basis: { ...basisOf(method), low_confidence_reason } }, evidence)

const eight = told(Array.from({ length: 8 }, () => 1))

describe('the confidence of a price', () => {
  it.each<readonly [string, number | null, number]>([
    ['of eight venues that agree', confidence('exchanges', eight), 0.875],
    ['of four venues that agree', confidence('exchanges', told([1, 1, 1, 1])), 0.75],
    ['of three venues that agree', confidence('exchanges', told([1, 1, 1])), 0.666667],
    ['of three of four', confidence('exchanges', told([1, 1, 1, 1.021])), 0.5],
    ['of two is bounded', confidence('exchanges', told([1, 1])), 0.3],
    ['of two of many is less', confidence('exchanges', told([1, 1, 2, 3, 4])), 0.2],
    ['of one is none', confidence('aggregators', told([], [1])), 0],
    ['of none is none', confidence('exchanges', told([2, 2], [2])), 0],
    ['counts aggregators as venues', confidence('mixed', told([1, 1], [1.019, 1])), 0.75],
    ['counts no aggregator beyond the tolerance', confidence('exchanges', told([1, 1, 1], [1.021])), 0.5],
    ['of a pool', confidence('dex', told([])), 0],
    ['that is carried', confidence('carried', eight), 0],
  ])('%s', (_, actual, expected) => {
    expect(actual).toBe(expected)
  })

  it('is unknown without a price', () => {
    expect(confidenceOf({ price_usd: null, basis: basisOf('none') }, eight)).toBeNull()
  })

  it('is low where the price is doubted', () => {
    for (const reason of ['split', 'match_disputed', 'contested', 'dispersed', 'halted'] as const)
      expect(confidence('exchanges', eight, reason)).toBe(0.3)
  })
})
