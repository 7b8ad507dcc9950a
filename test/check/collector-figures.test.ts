import { describe, expect, it } from 'vitest'
import { Comparison } from '../../src/check/deviation.ts'
import { compareRates } from '../../src/check/run-figures.ts'
import type { ReferenceRate } from '../../src/contract/collector.ts'
import { type Rates, measureRates } from '../../src/feed/rates.ts'
import { AT } from '../feed/world.ts'

const YEN = 0.0066
/** The rates of a market where one venue trades yen at this price, and the central bank says what they are worth. */
const ratesWith = (price: number): Rates =>
  measureRates(
    [{ venue: 'kraken', base: 'USD', quote: 'JPY', price: 1 / price, volume_base: 1e6, volume_quote: null }],
    { opinions: new Map([['JPY', [{ source_id: 'frankfurter', price_usd: YEN, set_on: AT }]]]), listed: [] },
    new Map(),
    AT,
  )
const differing = (rates: Rates): string[] => {
  const comparison = new Comparison()
  compareRates(rates, new Set(['kraken', 'frankfurter']), comparison)
  return comparison.deviations.map(({ member }) => member)
}
const changed = (rates: Rates, given: Partial<ReferenceRate>): Rates =>
  new Map([...rates].map(([symbol, rate]) => [symbol, symbol === 'JPY' ? { ...rate, ...given } : rate]))

describe('the rates of a tree', () => {
  it('are computed again from their inputs, whether the central bank believes the venue or not', () => {
    expect(ratesWith(YEN * 1.0064).get('JPY')).toMatchObject({ price_usd: YEN, method: 'reference' })
    expect(differing(ratesWith(YEN * 1.0064))).toEqual([])
    expect(differing(ratesWith(YEN * 1.004))).toEqual([])
  })

  it('differ where a venue was heard that the central bank contradicts', () => {
    const honest = ratesWith(YEN * 1.004)
    const cross_check = { source_id: 'frankfurter', price_usd: YEN * 0.99, as_of: AT }
    expect(differing(changed(honest, { cross_check }))).toEqual(['referenceRates[0].cross_check'])
  })

  it('differ where the day of a rate is not that of the central bank', () => {
    const of = ratesWith(YEN * 1.0064)
    expect(differing(changed(of, { as_of: '2026-11-19T00:00:00Z' }))).toEqual(['referenceRates[0].as_of'])
  })
})
