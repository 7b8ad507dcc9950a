import { groupBy } from './group-by.ts'
import type { ReferenceRate } from '../contract/collector.ts'
import { roundMoney, roundPrice, roundShare } from '../contract/numbers.ts'
import { consensusOf, within } from './consensus.ts'
import { STALENESS, carried } from './freshness.ts'
import { PRICE } from './price.ts'
import { centralMean, median } from './statistics.ts'
import { venueWeights } from './weights.ts'

/** The numbers of the rule. */
export const REFERENCE = {
  rule:
    'A dollar is a dollar. Any other currency is measured at `quorum` venues or more, first in dollars, then in currencies ' +
    'already measured: each venue has one opinion, that of its busiest such pair, outliers are left out as in a price, ' +
    'and the rate is the central mean by credible volume. Below the quorum the aggregators or the central bank, and the ' +
    'last rate up to `memory_hours`, are witnesses too: the rate is the median of three or more, the mean of two within ' +
    '`tolerance_percent`, and else what the aggregator or the central bank says. Without a witness it is the last rate up ' +
    'to `carry_hours`. A venue whose rate is further than `reference_percent` from a central bank’s that is not older than ' +
    '`reference_days` is left out, unless most venues, and two at least, agree within `tolerance_percent` on a rate that ' +
    'is as far from it: then the market has moved since, and the central bank is left out. A currency that no venue ' +
    'trades has the rate of the central bank. No stablecoin is assumed to keep its peg.',
  quorum: 3,
  tolerance_percent: 0.5,
  memory_hours: 2,
  carry_hours: STALENESS.carry_hours,
  reference_percent: 0.5,
  reference_days: 4,
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

/** The value of a currency at a source other than a venue: an aggregator or a central bank. */
export interface RateOpinion {
  readonly source_id: string
  readonly price_usd: number
  /** Of a central bank: the day of the rate. */
  readonly set_on?: string
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

/** Returns the rate that follows from its published inputs and the published rates of their quote currencies. */
export function recomputeRate({ symbol, inputs }: ReferenceRate, rates: Rates): number | null {
  const entries = inputs.map((input) => ({ value: valueOf(input, symbol, rates) ?? Number.NaN, weight: input.weight }))
  const mean = centralMean(entries, PRICE.central_share / 2)
  return Number.isNaN(mean) ? null : roundPrice(mean)
}

/**
 * What one unit of each quote currency is worth in US dollars, measured from the quotes of this run.
 *
 * @param opinions what aggregators, and for fiat money a central bank, say of a currency, by symbol. Fiat money that
 *   only a central bank speaks of has a rate too
 * @param at the run's clock, as published
 */
export function measureRates(
  quotes: readonly PairPrice[],
  opinions: ReadonlyMap<string, readonly RateOpinion[]>,
  previous: Rates,
  at: string,
): Rates {
  const references = freshReferences(opinions, at)
  const currencies = [...new Set([...quotes.map(({ quote }) => quote), ...references.keys()])].toSorted()
  const estimates = estimator(quotes, new Set(currencies))
  const rates = new Map<string, ReferenceRate>([['USD', { ...EMPTY, symbol: 'USD', price_usd: 1, as_of: at }]])
  const open = () => currencies.filter((symbol) => !rates.has(symbol))

  const measure = () => {
    for (let found = true; found;) {
      // One step away from what is known at a time, so that the order of the currencies does not matter.
      const known: Rates = new Map(rates)
      const method = known.size === 1 ? 'exchanges' : 'crosses'
      const measured = open().flatMap((symbol) => {
        const reference = references.get(symbol)
        const { heard } = crossChecked(estimates(symbol, known), reference)
        return heard.length < REFERENCE.quorum ? [] : [withCrossCheck(ofVenues(symbol, method, heard, at), reference)]
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
      { estimates: estimates(symbol, rates), opinions: opinions.get(symbol) ?? [], reference: references.get(symbol) },
      previous.get(symbol),
      at,
    )
  const last = (symbol: string) => carriedRate(previous.get(symbol), at)
  while (settle(few) || settle(last));
  return new Map([...rates].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

const EMPTY = { method: 'definition', quotes: 0, inputs: [], cross_check: null } satisfies Partial<ReferenceRate>

/** The rate of a currency at a central bank, and its day. */
type CrossCheck = NonNullable<ReferenceRate['cross_check']>

/** The rates of central banks that are not too old, by symbol. */
function freshReferences(
  opinions: ReadonlyMap<string, readonly RateOpinion[]>,
  at: string,
): ReadonlyMap<string, CrossCheck> {
  const fresh = new Map<string, CrossCheck>()
  for (const [symbol, said] of opinions)
    for (const { source_id, price_usd, set_on } of said)
      if (set_on !== undefined && isFresh(set_on, at) && !fresh.has(symbol))
        fresh.set(symbol, { source_id, price_usd: roundPrice(price_usd), as_of: set_on })
  return fresh
}

/** Whether a day is recent. It may be tomorrow’s, east of Greenwich. */
const isFresh = (set_on: string, at: string): boolean =>
  Math.abs(hoursBetween(set_on, at)) <= REFERENCE.reference_days * 24

/** Whether a rate is as near to a central bank’s as it must be. */
export const nearReference = (value: number, { price_usd }: Pick<CrossCheck, 'price_usd'>): boolean =>
  Math.abs(value / price_usd - 1) <= REFERENCE.reference_percent / 100

/**
 * The venues that a central bank does not contradict; all of them where they agree among themselves that the market has
 * moved since its rate was set.
 */
function crossChecked(
  estimates: readonly Estimate[],
  reference: CrossCheck | undefined,
): { readonly heard: readonly Estimate[]; readonly hasMoved: boolean } {
  if (!reference) return { heard: estimates, hasMoved: false }
  const center = median(estimates.map(({ value }) => value))
  const agreeing = estimates.filter(
    ({ value }) => Math.abs(value / center - 1) <= REFERENCE.tolerance_percent / 100,
  ).length
  const hasMoved = agreeing >= 2 && agreeing * 2 > estimates.length && !nearReference(center, reference)
  return { heard: hasMoved ? estimates : estimates.filter(({ value }) => nearReference(value, reference)), hasMoved }
}

const withCrossCheck = (rate: ReferenceRate, reference: CrossCheck | undefined): ReferenceRate =>
  reference ? { ...rate, cross_check: reference } : rate

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
  return { symbol, price_usd: roundPrice(mean), method, quotes, as_of, inputs, cross_check: null }
}

/** Returns the rate of a currency that fewer venues than the quorum trade; null if no source reports one. */
function ofFew(
  symbol: string,
  { estimates, opinions, reference }: FewWitnesses,
  previous: ReferenceRate | undefined,
  at: string,
): ReferenceRate | null {
  const { heard: venues, hasMoved } = crossChecked(estimates, reference)
  // A central bank speaks once, and not at all where its rate is too old or the market has moved since.
  const said = opinions
    .filter(({ source_id, set_on }) => set_on === undefined || (!hasMoved && source_id === reference?.source_id))
    .map(({ source_id, price_usd }) => opinionOf(source_id, symbol, price_usd))
  const live = [...venues, ...said]
  if (live.length === 0) return null
  const heard = heardOf(live, said, hasMoved ? [] : rememberedRate(symbol, previous, reference, at))
  const traded = heard.filter(({ input }) => input.volume_24h_usd !== null)
  const direct = traded.some(({ input }) => input.pair.split('/').includes('USD'))
  const isOfBank = reference !== undefined && heard.every(({ input }) => input.source_id === reference.source_id)
  const method = isOfBank ? 'reference' : traded.length === 0 ? 'aggregators' : direct ? 'exchanges' : 'crosses'
  const weighted = heard.map((one) => ({ ...one, weight: 1 / heard.length }))
  return withCrossCheck(rateOf(symbol, method, weighted, isOfBank ? reference.as_of : at), reference)
}

/** Who speaks of a currency that too few venues trade. */
interface FewWitnesses {
  readonly estimates: readonly Estimate[]
  readonly opinions: readonly RateOpinion[]
  readonly reference: CrossCheck | undefined
}

/** The last rate as a witness, where it is young and no central bank contradicts it. */
function rememberedRate(
  symbol: string,
  previous: ReferenceRate | undefined,
  reference: CrossCheck | undefined,
  at: string,
): Said[] {
  if (!previous || hoursBetween(previous.as_of, at) > REFERENCE.memory_hours) return []
  if (reference && !nearReference(previous.price_usd, reference)) return []
  return [opinionOf('previous', symbol, previous.price_usd)]
}

/** Returns the last rate with its inputs, while it may be carried. */
function carriedRate(previous: ReferenceRate | undefined, at: string): ReferenceRate | null {
  const last = previous === undefined ? null : { value: previous, seenAt: previous.as_of, source: null }
  const kept = carried('rate', last, { now: Date.parse(at), isSilent: () => true })
  return kept && { ...kept.value, method: 'carried', quotes: 0, cross_check: null }
}

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
