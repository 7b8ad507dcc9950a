import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { fragilitiesOf, fragilityOf, withoutWitness } from '../../src/feed/fragility.ts'
import type { Evidence } from '../../src/feed/price.ts'
import { distributionOf, validationOf } from '../../src/feed/validation.ts'
import { assetOf, marketOf } from './world.ts'

const evidenceOf = (...prices: readonly number[]): Evidence => ({
  markets: prices.map((price, index) => marketOf(`venue-${index}`, price)),
  aggregators: [],
  distrusted: new Set(),
})

it('gives nearest-rank quantiles that are values of the distribution, in order', () => {
  expect(distributionOf([])).toBeNull()
  expect(distributionOf([3, 1, 2])).toEqual({ p50: 2, p90: 3, p95: 3, p99: 3, most: 3 })
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1 }), (moves) => {
      const { p50 = NaN, p90 = NaN, p95 = NaN, p99 = NaN, most = NaN } = distributionOf(moves) ?? {}
      expect([p50, p90, p95, p99, most].every((value) => moves.includes(value))).toBe(true)
      expect([p50, p90, p95, p99, most]).toEqual([p50, p90, p95, p99, most].toSorted((a, b) => a - b))
      expect(most).toBe(Math.max(...moves))
    }),
  )
})

it('finds the witness whose absence moves the price furthest, and none for the only one', () => {
  expect(withoutWitness(evidenceOf(1))).toBeNull()
  expect(withoutWitness(evidenceOf(1, 1, 1, 1.002))?.move_bp).toBeGreaterThanOrEqual(0)
  expect(withoutWitness(evidenceOf(1, 1.01))?.move_bp).toBeGreaterThan(0)
})

it('moves the price of a single witness by its whole lie, and that of many by little', () => {
  expect(fragilitiesOf(evidenceOf(1), [2, 5, 30])).toEqual([200, 500, 3000])
  expect(fragilityOf(evidenceOf(1, 1, 1, 1, 1, 1), 30)).toBeLessThan(10)
})

it('counts listings and their volume by method, and leaves out prices of earlier runs', () => {
  const priced = (slug: string, method: 'exchanges' | 'carried', volume_24h_usd: number) => ({
    asset: assetOf(slug, {
      volume_24h_usd,
      price_basis: { method, sources: [], excluded: [], low_confidence_reason: null, fragility_bp: 1 },
    }),
    markets: [marketOf('a', 1), marketOf('b', 1), marketOf('c', 1)],
  })
  const report = validationOf([priced('one', 'exchanges', 300), priced('two', 'carried', 100)], new Set())
  expect(report.rows.map(({ slug }) => slug)).toEqual(['one'])
  expect(report.methods).toEqual([
    { method: 'exchanges', listings: 1, volume_24h_usd: 300, volume_percent: 75 },
    { method: 'carried', listings: 1, volume_24h_usd: 100, volume_percent: 25 },
  ])
})
