import { group } from 'd3-array'
import type { ReferenceRate } from '../contract/collector.ts'
import { roundPrice } from '../contract/numbers.ts'
import { median } from './statistics.ts'

/** The numbers of the rule. */
export const REFERENCE = {
  rule:
    'A dollar is a dollar. Any other currency is worth the median of its direct dollar quotes; without one, the median of ' +
    'its quotes in currencies already measured; without those, what the aggregators say of the asset; else the rate of ' +
    'the last run. Fewer direct quotes than the quorum give way to the aggregators when the two disagree beyond the ' +
    'tolerance. No stablecoin is assumed to be worth anything.',
  quorum: 3,
  tolerance_percent: 2,
  carry_hours: 24,
} as const

/** One live price of a pair, of a venue that is trusted in this run. */
export interface PairPrice {
  readonly base: string
  readonly quote: string
  readonly last: number
}

export type Rates = ReadonlyMap<string, ReferenceRate>

/**
 * What one unit of each quote currency is worth in US dollars, measured from the quotes of this run.
 *
 * @param opinions the aggregators' dollar price of the asset that a currency is, by symbol
 * @param at the run's clock, as published
 */
export function measureRates(
  quotes: readonly PairPrice[],
  opinions: ReadonlyMap<string, number>,
  previous: Rates,
  at: string,
): Rates {
  const rates = new Map<string, ReferenceRate>([
    ['USD', { symbol: 'USD', price_usd: 1, method: 'definition', quotes: 0, as_of: at }],
  ])
  const currencies = [...new Set(quotes.map(({ quote }) => quote))].toSorted()
  const wanted = new Set(currencies)
  // Each estimate of a currency comes from a pair with another; both directions count.
  const pairs = group(
    quotes
      .flatMap(({ base, quote, last }) => [
        { of: base, via: quote, worth: last },
        { of: quote, via: base, worth: 1 / last },
      ])
      .filter(({ of, via }) => wanted.has(of) && (wanted.has(via) || via === 'USD')),
    ({ of }) => of,
  )
  const estimates = (symbol: string, known: Rates) =>
    (pairs.get(symbol) ?? []).flatMap(({ via, worth }) => {
      const rate = known.get(via)
      return rate && via !== symbol ? [worth * rate.price_usd] : []
    })
  const set = (symbol: string, method: ReferenceRate['method'], price: number, count: number) =>
    rates.set(symbol, { symbol, price_usd: roundPrice(price), method, quotes: count, as_of: at })

  const dollar: Rates = new Map(rates)
  for (const symbol of currencies) {
    if (rates.has(symbol)) continue
    const direct = estimates(symbol, dollar)
    const opinion = opinions.get(symbol)
    if (direct.length === 0) continue
    const price = median(direct)
    const few = direct.length < REFERENCE.quorum
    // Set at once: left open, the same few quotes would come back as a cross by way of the dollar.
    if (few && opinion !== undefined && !agree(price, opinion)) set(symbol, 'aggregators', opinion, 0)
    else set(symbol, 'exchanges', price, direct.length)
  }

  const cross = () => {
    for (let found = true; found;) {
      found = false
      // One step away from what is known at a time, so that the order of the currencies does not matter.
      const known: Rates = new Map(rates)
      for (const symbol of currencies) {
        const indirect = rates.has(symbol) ? [] : estimates(symbol, known)
        if (indirect.length === 0) continue
        set(symbol, 'crosses', median(indirect), indirect.length)
        found = true
      }
    }
  }
  cross()
  // Nothing is quoted in dollars, or some currencies are an island: the aggregators' word on the one that most pairs are
  // quoted in opens it, and the rest is measured against that.
  const quoted = group(quotes, ({ quote }) => quote)
  const busiest = currencies.toSorted((a, b) => (quoted.get(b)?.length ?? 0) - (quoted.get(a)?.length ?? 0))
  for (const symbol of busiest) {
    if (rates.has(symbol)) continue
    const opinion = opinions.get(symbol)
    const before = previous.get(symbol)
    if (opinion !== undefined) set(symbol, 'aggregators', opinion, 0)
    else if (before && hoursBetween(before.as_of, at) <= REFERENCE.carry_hours)
      rates.set(symbol, { ...before, method: 'carried' })
    else continue
    cross()
  }
  return new Map([...rates].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const agree = (a: number, b: number): boolean => Math.abs(a / b - 1) <= REFERENCE.tolerance_percent / 100

const hoursBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 3_600_000
