import { groupBy } from './group-by.ts'
import type { ReferenceRate } from '../contract/collector.ts'
import { roundMoney, roundPrice, roundShare } from '../contract/numbers.ts'
import { consensusOf, within } from './consensus.ts'
import { PRICE } from './price.ts'
import { centralMean } from './statistics.ts'
import { venueWeights } from './weights.ts'

/** The numbers of the rule. */
export const REFERENCE = {
  rule:
    'A dollar is a dollar. Any other currency is measured at `quorum` venues or more, first in dollars, then in currencies ' +
    'already measured: each venue has one opinion, that of its busiest such pair, outliers are left out as in a price, ' +
    'and the rate is the central mean by credible volume. Below the quorum the aggregators or the central bank, and the ' +
    'last rate up to `memory_hours`, are witnesses too: the rate is the median of three or more, the mean of two within ' +
    '`tolerance_percent`, and else what the aggregator says. Without a witness it is the last rate up to `carry_hours`. ' +
    'No stablecoin is assumed to keep its peg.',
  quorum: 3,
  tolerance_percent: 0.5,
  memory_hours: 2,
  carry_hours: 24,
} as const

/** One live price of a pair, of a venue that is trusted in this run. */
export interface PairPrice {
  readonly venue: string
  readonly base: string
  readonly quote: string
  /** Held within the book. */
  readonly price: number
  readonly volume_base: number | null
  readonly volume_quote: number | null
}

/** What a source beside the venues says that a currency is worth: an aggregator, or a central bank. */
export interface RateOpinion {
  readonly source_id: string
  readonly price_usd: number
}

export type Rates = ReadonlyMap<string, ReferenceRate>
type RateInput = ReferenceRate['inputs'][number]

interface Estimate {
  readonly input: Omit<RateInput, 'weight'>
  readonly value: number
  readonly volume_usd: number
}

/** Dollars for one unit of `symbol` as an input has it, by the rate of the other currency of its pair; null without one. */
export function valueOf(
  { pair, price }: Pick<RateInput, 'pair' | 'price'>,
  symbol: string,
  rates: Rates,
): number | null {
  const [base = '', quote = ''] = pair.split('/')
  const rate = rates.get(base === symbol ? quote : base)?.price_usd
  if (rate === undefined) return null
  return base === symbol ? price * rate : rate / price
}

/** The rate that its published inputs stand for, by the published rates of the currencies they are quoted in. */
export function recomputeRate({ symbol, inputs }: ReferenceRate, rates: Rates): number | null {
  const entries = inputs.map((input) => ({ value: valueOf(input, symbol, rates) ?? Number.NaN, weight: input.weight }))
  const mean = centralMean(entries, PRICE.central_share / 2)
  return Number.isNaN(mean) ? null : roundPrice(mean)
}

/**
 * What one unit of each quote currency is worth in US dollars, measured from the quotes of this run.
 *
 * @param opinions what aggregators, and for fiat money a central bank, say of a currency, by symbol
 * @param at the run's clock, as published
 */
export function measureRates(
  quotes: readonly PairPrice[],
  opinions: ReadonlyMap<string, readonly RateOpinion[]>,
  previous: Rates,
  at: string,
): Rates {
  const currencies = [...new Set(quotes.map(({ quote }) => quote))].toSorted()
  const estimates = estimator(quotes, new Set(currencies))
  const rates = new Map<string, ReferenceRate>([['USD', { ...EMPTY, symbol: 'USD', price_usd: 1, as_of: at }]])
  const open = () => currencies.filter((symbol) => !rates.has(symbol))

  const measure = () => {
    for (let found = true; found;) {
      // One step away from what is known at a time, so that the order of the currencies does not matter.
      const known: Rates = new Map(rates)
      const method = known.size === 1 ? 'exchanges' : 'crosses'
      const measured = open().flatMap((symbol) => {
        const own = estimates(symbol, known)
        return own.length < REFERENCE.quorum ? [] : [ofVenues(symbol, method, own, at)]
      })
      for (const rate of measured) rates.set(rate.symbol, rate)
      found = measured.length > 0
    }
  }
  measure()
  // What too few venues trade: the currency that most pairs are quoted in first, so that the others can lean on it.
  const quoted = groupBy(quotes, ({ quote }) => quote)
  const count = (symbol: string): number => quoted.get(symbol)?.length ?? 0
  const left = open().toSorted((a, b) => count(b) - count(a) || (a < b ? -1 : 1))
  const settle = (of: (symbol: string) => ReferenceRate | null): boolean => {
    for (const symbol of left) {
      const rate = rates.has(symbol) ? null : of(symbol)
      if (rate === null) continue
      rates.set(symbol, rate)
      measure()
      return true
    }
    return false
  }
  const few = (symbol: string) =>
    ofFew(
      symbol,
      { estimates: estimates(symbol, rates), opinions: opinions.get(symbol) ?? [] },
      previous.get(symbol),
      at,
    )
  const carried = (symbol: string) => carriedRate(previous.get(symbol), at)
  while (settle(few) || settle(carried));
  return new Map([...rates].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const EMPTY = { method: 'definition', quotes: 0, inputs: [] } satisfies Partial<ReferenceRate>

/** Gives the estimate of each venue of a currency: by its busiest pair with a currency that is known. */
function estimator(quotes: readonly PairPrice[], wanted: ReadonlySet<string>) {
  const pairs = new Map<string, PairPrice[]>()
  for (const quote of quotes) {
    if (quote.quote !== 'USD' && !wanted.has(quote.base) && quote.base !== 'USD') continue
    for (const symbol of [quote.base, quote.quote]) {
      if (!wanted.has(symbol)) continue
      const known = pairs.get(symbol)
      if (known) known.push(quote)
      else pairs.set(symbol, [quote])
    }
  }
  return (symbol: string, rates: Rates): Estimate[] => {
    const busiest = new Map<string, Estimate>()
    for (const quote of pairs.get(symbol) ?? []) {
      const estimate = estimateOf(quote, symbol, rates)
      if (estimate === null) continue
      const known = busiest.get(quote.venue)
      if (!known || isBusier(estimate, known)) busiest.set(quote.venue, estimate)
    }
    return [...busiest.values()].toSorted((a, b) => (a.input.source_id < b.input.source_id ? -1 : 1))
  }
}

const isBusier = (a: Estimate, b: Estimate): boolean =>
  a.volume_usd !== b.volume_usd
    ? a.volume_usd > b.volume_usd
    : a.input.pair !== b.input.pair
      ? a.input.pair < b.input.pair
      : a.input.price < b.input.price

function estimateOf(quote: PairPrice, symbol: string, rates: Rates): Estimate | null {
  const { venue, base, volume_base, volume_quote } = quote
  if (base === quote.quote) return null
  const input = { source_id: venue, pair: `${base}/${quote.quote}`, price: roundPrice(quote.price) }
  const value = valueOf(input, symbol, rates)
  if (value === null) return null
  const baseRate = base === symbol ? value : (rates.get(base)?.price_usd ?? 0)
  const volume_usd = roundMoney((volume_base ?? (volume_quote ?? 0) / quote.price) * baseRate)
  return { input: { ...input, volume_24h_usd: volume_usd }, value, volume_usd }
}

/** The central mean of a quorum of venues, outliers left out. */
function ofVenues(
  symbol: string,
  method: ReferenceRate['method'],
  estimates: readonly Estimate[],
  as_of: string,
): ReferenceRate {
  const consensus = consensusOf(estimates.map(({ value }) => value))
  const heard = estimates.filter(({ value }) => within(consensus, value))
  const weights = venueWeights(heard.map(({ volume_usd }) => volume_usd))
  return rateOf(
    symbol,
    method,
    heard.map((estimate, index) => ({ ...estimate, weight: weights[index] ?? 0 })),
    as_of,
  )
}

function rateOf(
  symbol: string,
  method: ReferenceRate['method'],
  heard: readonly (Pick<Estimate, 'input' | 'value'> & { readonly weight: number })[],
  as_of: string,
): ReferenceRate {
  const shares = heard.map(({ weight }) => roundShare(weight))
  const mean = centralMean(
    heard.map(({ value }, index) => ({ value, weight: shares[index] ?? 0 })),
    PRICE.central_share / 2,
  )
  const inputs = heard.map(({ input }, index) => ({ ...input, weight: shares[index] ?? 0 }))
  const quotes = inputs.filter(({ volume_24h_usd }) => volume_24h_usd !== null).length
  return { symbol, price_usd: roundPrice(mean), method, quotes, as_of, inputs }
}

/** The rate of a currency that fewer venues than the quorum trade; null where nobody says anything of it. */
function ofFew(
  symbol: string,
  { estimates, opinions }: { readonly estimates: readonly Estimate[]; readonly opinions: readonly RateOpinion[] },
  previous: ReferenceRate | undefined,
  at: string,
): ReferenceRate | null {
  const age = previous ? hoursBetween(previous.as_of, at) : Infinity
  const said = opinions.map(({ source_id, price_usd }) => opinionOf(source_id, symbol, price_usd))
  const live = [...estimates, ...said]
  if (live.length === 0) return null
  const remembered =
    previous && age <= REFERENCE.memory_hours ? [opinionOf('previous', symbol, previous.price_usd)] : []
  const heard = heardOf(live, said, remembered)
  const venues = heard.filter(({ input }) => input.volume_24h_usd !== null)
  const direct = venues.some(({ input }) => input.pair.split('/').includes('USD'))
  const method = venues.length === 0 ? 'aggregators' : direct ? 'exchanges' : 'crosses'
  return rateOf(
    symbol,
    method,
    heard.map((one) => ({ ...one, weight: 1 / heard.length })),
    at,
  )
}

const carriedRate = (previous: ReferenceRate | undefined, at: string): ReferenceRate | null =>
  previous && hoursBetween(previous.as_of, at) <= REFERENCE.carry_hours
    ? { ...previous, method: 'carried', quotes: 0, inputs: [] }
    : null

type Said = Pick<Estimate, 'input' | 'value'>

const opinionOf = (source_id: string, symbol: string, price_usd: number): Said => ({
  input: { source_id, pair: `${symbol}/USD`, price: roundPrice(price_usd), volume_24h_usd: null },
  value: roundPrice(price_usd),
})

/** Who is heard of few witnesses. */
function heardOf(live: readonly Said[], said: readonly Said[], remembered: readonly Said[]): readonly Said[] {
  const all = [...live, ...remembered]
  if (all.length >= 3) {
    // The middle one alone, or the middle two: with so few, a mean of more would let each one pull.
    const sorted = all.toSorted((a, b) => a.value - b.value)
    return sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1)
  }
  const [one, other] = all
  if (!one || !other) return all
  const agreeing = Math.abs(one.value / other.value - 1) <= REFERENCE.tolerance_percent / 100
  if (live.length === 2 && agreeing) return all
  return live.length === 1 || said.length === 0 ? live : said.slice(0, 1)
}

const hoursBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 3_600_000
