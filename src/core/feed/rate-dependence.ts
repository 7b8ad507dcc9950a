import { ensured } from '../contract/order.ts'
import type { ReferenceRate } from '../contract/collector.ts'
import { consensusOf, within } from './consensus.ts'
import { LIMITS } from './methodology.ts'
import { PARITY, PREVIOUS, type Rates, believed, valueOf } from './rates.ts'
import { centralMean, isWithin, typical } from './statistics.ts'
import { venueWeights } from './weights.ts'

/** The factors by which a lie is off. */
export const LIES = [1 + LIMITS.lie_percent / 100, 1 - LIMITS.lie_percent / 100] as const

export type RateDependence = ReturnType<typeof rateDependence>

export function rateDependence(rates: Rates) {
  const known = new Map<string, number>()
  /** The confidence that a price in a currency has at most. */
  const most = (symbol: string): number =>
    ensured(known, symbol, () => {
      const rate = rates.get(symbol)
      const through = heardOf(rate).map(({ pair, weight }) => ({ value: -most(otherOf(pair, symbol)), weight }))
      return Math.min(rate ? sureness(rate, rates) : 1, through.length === 0 ? 1 : -typical(through))
    })
  const lies = new Map<string, (symbol: string) => number>()
  const ratesIf = (source: string, factor: number) =>
    ensured(lies, `${source} ${factor}`, () => misreported(rates, source, factor))
  /** How far, as a fraction, a rate moves if a source lies about all rates. */
  const move = (symbol: string, source: string): number => {
    const honest = ratesIf(source, 1)(symbol)
    return Math.max(...LIES.map((factor) => Math.abs(ratesIf(source, factor)(symbol) / honest - 1)))
  }
  const inputs = [...rates.values()].flatMap(witnessesOf)
  const sources = [...new Set(inputs.map(({ source_id }) => source_id))].filter(
    (id) => id !== PREVIOUS && id !== PARITY,
  )
  return { most, move, sources }
}

/** The witnesses of a rate in this run: those of a carried one are of an earlier run. */
const witnessesOf = (rate: ReferenceRate | undefined) =>
  rate === undefined || rate.method === 'carried' ? [] : rate.inputs

const heardOf = (rate: ReferenceRate | undefined) => witnessesOf(rate).filter(({ weight }) => weight > 0)

function otherOf(pair: string, symbol: string): string {
  const [base = '', quote = ''] = pair.split('/')
  return base === symbol ? quote : base
}

function sureness(rate: ReferenceRate, rates: Rates): number {
  if (rate.method === 'definition') return 1
  const live = witnessesOf(rate).filter(({ source_id }) => source_id !== PREVIOUS)
  const agreeing = live.filter((input) => {
    const value = valueOf(input, rate.symbol, rates)
    return value !== null && isWithin(LIMITS.rate_tolerance_percent, value, rate.price_usd)
  }).length
  if (agreeing >= LIMITS.quorum && agreeing * 2 > live.length) return 1
  return agreeing >= 2 && agreeing === live.length ? LIMITS.rate_of_two : LIMITS.doubted
}

/** Returns each rate as if a source had reported `factor` times its value of every currency, with unlimited volume. */
function misreported(rates: Rates, liar: string, factor: number): (symbol: string) => number {
  const known = new Map<string, number>()
  const rateIn = (symbol: string): number => {
    const rate = rates.get(symbol)
    const before = known.get(symbol)
    if (before !== undefined || !rate) return before ?? 1
    const own = witnessesOf(rate).filter(({ source_id }) => source_id !== PARITY)
    // Each rate is measured in rates that were known before it, and should a tree say otherwise, this ends.
    known.set(symbol, rate.price_usd)
    if (own.length === 0) return rate.price_usd
    const witnesses = own.map((input) => {
      const other = otherOf(input.pair, symbol)
      const shift = rateIn(other) / (rates.get(other)?.price_usd ?? 1)
      const isLiar = input.source_id === liar
      const value = (valueOf(input, symbol, rates) ?? rate.price_usd) * shift * (isLiar ? factor : 1)
      return { input, isLiar, value }
    })
    // Of fewer witnesses than a quorum of venues no more than two count.
    const isFew = heardOf(rate).length < LIMITS.quorum
    const consensus = consensusOf(witnesses.map(({ value }) => value))
    const counted = isFew ? believed(witnesses) : witnesses.filter(({ value }) => within(consensus, value))
    const volumes = counted.map(({ input, isLiar }) => (isLiar ? 1e15 : (input.volume_24h_usd ?? 0)))
    const weights = venueWeights(volumes)
    const price = centralMean(counted.map(({ value }, index) => ({ value, weight: weights[index] ?? 0 })))
    known.set(symbol, price)
    return price
  }
  return rateIn
}
