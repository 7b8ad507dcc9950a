import type { ReferenceRate } from '../contract/collector.ts'
import { roundMoney, roundPrice, roundShare } from '../contract/numbers.ts'
import { compare, by, byKey, groupBy } from '../contract/order.ts'
import { hoursSince } from '../contract/time.ts'
import { consensusOf, within } from './consensus.ts'
import { LIMITS } from './methodology.ts'
import { centralMean, isWithin, median } from './statistics.ts'
import { venueWeights } from './weights.ts'

export interface AuditedQuote {
  /** A venue, or an aggregator that lists the base in dollars. */
  readonly venue: string
  readonly base: string
  readonly quote: string
  /** Held within the book. */
  readonly price: number
}

/** One live price of a pair, of a venue that is trusted in this run. */
export interface PairPrice extends AuditedQuote {
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

export type RateOpinions = ReadonlyMap<string, readonly RateOpinion[]>
export type Rates = ReadonlyMap<string, ReferenceRate>
type RateInput = ReferenceRate['inputs'][number]

/** The `source_id` of the last price, or the last rate, where it is a witness. */
export const PREVIOUS = 'previous'

/** The `source_id` of what the dollar prices of assets imply that a currency is worth: it confirms a rate, and makes none. */
export const PARITY = 'parity'

interface RateWitness {
  readonly input: Omit<RateInput, 'weight'>
  readonly value: number
}

/** Dollars for one unit of `symbol` as an input has it, by the rate of the other currency of its pair; null without one. */
export function valueOf({ pair, price }: Pick<RateInput, 'pair' | 'price'>, symbol: string, rates: Rates) {
  const [base = '', quote = ''] = pair.split('/')
  const rate = rates.get(base === symbol ? quote : base)?.price_usd
  if (rate === undefined) return null
  return base === symbol ? price * rate : rate / price
}

/** Returns the rate that follows from its published inputs and the published rates of their quote currencies. */
export function recomputeRate({ symbol, inputs }: ReferenceRate, rates: Rates): number | null {
  const counted = inputs.filter(({ weight }) => weight > 0)
  const entries = counted.map((input) => ({ value: valueOf(input, symbol, rates) ?? Number.NaN, weight: input.weight }))
  const mean = centralMean(entries)
  return Number.isNaN(mean) ? null : roundPrice(mean)
}

export function measureRates(
  quotes: readonly PairPrice[],
  { opinions, listed }: { opinions: RateOpinions; listed: readonly AuditedQuote[] },
  previous: Rates,
  at: string,
): Rates {
  const references = freshReferences(opinions, at)
  const quoted = groupBy(quotes, ({ quote }) => quote)
  const count = (symbol: string): number => quoted.get(symbol)?.length ?? 0
  // The currency that most pairs are quoted in first, so that others that too few venues trade can lean on it.
  const currencies = [...new Set([...quoted.keys(), ...references.keys()])].toSorted(
    (a, b) => count(b) - count(a) || compare(a, b),
  )
  const estimates = estimator(quotes, new Set(currencies))
  const dollar = { symbol: 'USD', price_usd: 1, method: 'definition', as_of: at, quotes: 0 } as const
  const rates = new Map<string, ReferenceRate>([['USD', { ...dollar, inputs: [], cross_check: null }]])
  const open = () => currencies.filter((symbol) => !rates.has(symbol))

  const measure = (): void => {
    const method = rates.size === 1 ? 'exchanges' : 'crosses'
    const measured = open().flatMap((symbol) => {
      const reference = references.get(symbol)
      const all = estimates(symbol, rates)
      const { counted: checked } = crossChecked(all, reference)
      const consensus = consensusOf(checked.map(({ value }) => value))
      const counted = checked.filter(({ value }) => within(consensus, value))
      if (counted.length < LIMITS.quorum) return []
      return [rateOf({ symbol, method, as_of: at, cross_check: reference ?? null }, all, counted)]
    })
    // One step away from what is known at a time, so that the order of the currencies does not matter.
    for (const rate of measured) rates.set(rate.symbol, rate)
    if (measured.length > 0) measure()
  }
  measure()
  const settle = (of: (symbol: string) => ReferenceRate | null): boolean =>
    open().some((symbol) => {
      const rate = of(symbol)
      if (rate === null) return false
      rates.set(symbol, rate)
      measure()
      return true
    })
  const few = (symbol: string) => {
    const own = { estimates: estimates(symbol, rates), opinions: opinions.get(symbol) ?? [] }
    const witnesses = { ...own, reference: references.get(symbol), parities: () => paritiesOf(symbol, quotes, listed) }
    return ofFew(symbol, witnesses, young(previous.get(symbol), at, LIMITS.rate_memory_hours), at)
  }
  const last = (symbol: string): ReferenceRate | null => {
    const rate = young(previous.get(symbol), at, LIMITS.carry_hours)
    return rate ? { ...rate, method: 'carried', quotes: 0, cross_check: null } : null
  }
  // A currency that venues price in another one has their rate, where a bank's would ignore what they ask for it.
  const traded = (symbol: string) => (estimates(symbol, rates).length > 0 ? few(symbol) : null)
  while (settle(traded) || settle(few) || settle(last));
  return new Map([...rates].toSorted(byKey))
}

/** An earlier rate up to an age in hours; undefined where it is older. */
const young = (rate: ReferenceRate | undefined, at: string, hours: number): ReferenceRate | undefined =>
  rate && hoursSince(rate.as_of, Date.parse(at)) <= hours ? rate : undefined

type CrossCheck = NonNullable<ReferenceRate['cross_check']>

function freshReferences(opinions: RateOpinions, at: string): ReadonlyMap<string, CrossCheck> {
  const fresh = new Map<string, CrossCheck>()
  // A day may be tomorrow’s, east of Greenwich.
  const isFresh = (day: string) => Math.abs(hoursSince(day, Date.parse(at))) <= LIMITS.bank_days * 24
  for (const [symbol, reported] of opinions)
    for (const { source_id, price_usd, set_on } of reported)
      if (set_on !== undefined && isFresh(set_on) && !fresh.has(symbol))
        fresh.set(symbol, { source_id, price_usd: roundPrice(price_usd), as_of: set_on })
  return fresh
}

/** Whether no central bank contradicts a rate. */
export const nearReference = (value: number, reference: Pick<CrossCheck, 'price_usd'> | undefined): boolean =>
  !reference || isWithin(LIMITS.rate_tolerance_percent, value, reference.price_usd)

/** The venues that a central bank does not contradict; all where they agree that the market has moved since. */
function crossChecked(estimates: readonly RateWitness[], reference: CrossCheck | undefined) {
  if (!reference) return { counted: estimates, hasMoved: false }
  const center = median(estimates.map(({ value }) => value))
  const agreeing = estimates.filter(({ value }) => isWithin(LIMITS.rate_tolerance_percent, value, center)).length
  const hasMoved = agreeing >= 2 && agreeing * 2 > estimates.length && !nearReference(center, reference)
  return { counted: hasMoved ? estimates : estimates.filter(({ value }) => nearReference(value, reference)), hasMoved }
}

/** Gives the estimate of each venue of a currency: by its busiest pair with a currency that is known. */
function estimator(quotes: readonly PairPrice[], wanted: ReadonlySet<string>) {
  const between = quotes.filter(({ base, quote }) => quote === 'USD' || base === 'USD' || wanted.has(base))
  const sides = between.flatMap((row) => [row.base, row.quote].map((symbol) => ({ symbol, quote: row })))
  const pairs = groupBy(sides, ({ symbol }) => symbol)
  return (symbol: string, rates: Rates): RateWitness[] => {
    const estimates = (pairs.get(symbol) ?? []).flatMap(({ quote }) => estimateOf(quote, symbol, rates) ?? [])
    return [...groupBy(estimates, ({ input }) => input.source_id)]
      .toSorted(byKey)
      .flatMap(([, own]) => own.toSorted(byVolume).slice(0, 1))
  }
}

const volumeOf = ({ input }: RateWitness): number => input.volume_24h_usd ?? 0

const byVolume = (a: RateWitness, b: RateWitness): number =>
  volumeOf(b) - volumeOf(a) || compare(a.input.pair, b.input.pair) || a.input.price - b.input.price

function estimateOf(quote: PairPrice, symbol: string, rates: Rates): RateWitness | null {
  const { venue, base, volume_base, volume_quote } = quote
  if (base === quote.quote) return null
  const input = { source_id: venue, pair: `${base}/${quote.quote}`, price: roundPrice(quote.price) }
  const value = valueOf(input, symbol, rates)
  if (value === null) return null
  const baseRate = base === symbol ? value : (rates.get(base)?.price_usd ?? 0)
  const volume_24h_usd = roundMoney((volume_base ?? (volume_quote ?? 0) / quote.price) * baseRate)
  return { input: { ...input, volume_24h_usd }, value }
}

/** Weighs those that count by credible volume, which is equally where they are few. The weight of the others is 0. */
export function weighed<One>(all: readonly One[], counted: readonly One[], volume: (one: One) => number | null) {
  const shares = venueWeights(counted.map((one) => volume(one) ?? 0))
  const weights = new Map(counted.map((one, index) => [one, roundShare(shares[index] ?? 0)]))
  return all.map((one) => ({ ...one, weight: weights.get(one) ?? 0 }))
}

function rateOf(
  { symbol, method, as_of, cross_check }: Omit<ReferenceRate, 'price_usd' | 'quotes' | 'inputs'>,
  witnesses: readonly RateWitness[],
  counted: readonly RateWitness[],
): ReferenceRate {
  const weighted = weighed(witnesses, counted, ({ input }) => input.volume_24h_usd)
  const mean = centralMean(weighted)
  const inputs = weighted.map(({ input, weight }) => ({ ...input, weight }))
  const quotes = inputs.filter(({ volume_24h_usd, weight }) => volume_24h_usd !== null && weight > 0).length
  return { symbol, price_usd: roundPrice(mean), method, quotes, as_of, inputs, cross_check }
}

/**
 * Returns the rate of a currency that fewer venues than the quorum trade, or disagree about; null if no source reports one.
 * The last rate is a witness where it is young and no central bank contradicts it.
 */
function ofFew(
  symbol: string,
  witnesses: {
    readonly estimates: readonly RateWitness[]
    readonly opinions: readonly RateOpinion[]
    readonly reference: CrossCheck | undefined
    readonly parities: () => ReadonlyMap<string, number>
  },
  previous: ReferenceRate | undefined,
  at: string,
): ReferenceRate | null {
  const { estimates, opinions, reference, parities } = witnesses
  const { counted: venues, hasMoved } = crossChecked(estimates, reference)
  // A central bank speaks once, and not at all where its rate is too old or the market has moved since.
  const reported = opinions
    .filter(({ source_id, set_on }) => set_on === undefined || (!hasMoved && source_id === reference?.source_id))
    .map(({ source_id, price_usd }) => opinionOf(source_id, symbol, price_usd))
  const live = [...venues, ...reported]
  if (live.length === 0) return null
  const isRemembered = previous && !hasMoved && nearReference(previous.price_usd, reference)
  const remembered = isRemembered ? [opinionOf(PREVIOUS, symbol, previous.price_usd)] : []
  const implied = parities()
  const counted = believed([...live, ...remembered], implied)
  const traded = counted.filter(({ input }) => input.volume_24h_usd !== null)
  const direct = traded.some(({ input }) => input.pair.split('/').includes('USD'))
  const isOfBank = reference !== undefined && counted.every(({ input }) => input.source_id === reference.source_id)
  const isOfPast = previous !== undefined && counted.every(({ input }) => input.source_id === PREVIOUS)
  const method = isOfBank ? 'reference' : traded.length === 0 ? 'aggregators' : direct ? 'exchanges' : 'crosses'
  const parity = implied.size === 0 ? [] : [opinionOf(PARITY, symbol, median([...implied.values()]))]
  const inputs = [...estimates, ...reported, ...remembered, ...parity]
  const as_of = isOfBank ? reference.as_of : isOfPast ? previous.as_of : at
  return rateOf({ symbol, method, as_of, cross_check: reference ?? null }, inputs, counted)
}

const opinionOf = (source_id: string, symbol: string, price_usd: number): RateWitness => ({
  input: { source_id, pair: `${symbol}/USD`, price: roundPrice(price_usd), volume_24h_usd: null },
  value: roundPrice(price_usd),
})

/** Which of few witnesses count: venues, then other sources, which have no volume, then the last rate. */
export function believed<One extends RateWitness>(
  witnesses: readonly One[],
  implied: ReadonlyMap<string, number> = new Map(),
): readonly One[] {
  // The last rate never delays the only live one.
  const live = witnesses.filter(({ input }) => input.source_id !== PREVIOUS)
  const all = live.length === 1 ? live : witnesses
  if (agreeingOf(all) === all.length) return middleOf(all)
  const confirmed = ({ input, value }: One): boolean | null => {
    const parity = implied.get(input.source_id)
    return parity === undefined ? null : isWithin(LIMITS.many_percent, value, parity)
  }
  const sound = all.filter((one) => confirmed(one) !== false)
  const counted = sound.length > 0 ? sound : all
  if (agreeingOf(counted) * 2 > counted.length) return middleOf(counted)
  const seconded = counted.filter((one) => confirmed(one) === true)
  if (seconded.length > 0) return middleOf(seconded)
  const reported = live.find(({ input }) => input.volume_24h_usd === null)
  return reported ? [reported] : middleOf(counted)
}

/** How many witnesses are within the tolerance of the middle one: of an even number, the lower. */
function agreeingOf(witnesses: readonly RateWitness[]): number {
  const middle = middleOf(witnesses)[0]?.value ?? Number.NaN
  return witnesses.filter(({ value }) => isWithin(LIMITS.rate_tolerance_percent, value, middle)).length
}

/** The middle one alone, or the middle two: with so few, a mean of more would let each one pull. */
function middleOf<One extends RateWitness>(witnesses: readonly One[]): readonly One[] {
  const sorted = witnesses.toSorted(by((row) => row.value))
  return sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1)
}

/**
 * What the other figures of each source imply that a currency is worth: its dollar prices of assets over what venues
 * typically ask for them in the currency. A source with too few of such prices is not in the map.
 */
export function paritiesOf(symbol: string, quotes: readonly AuditedQuote[], listed: readonly AuditedQuote[]) {
  const asked = groupBy(
    quotes.filter(({ quote }) => quote === symbol),
    ({ base }) => base,
  )
  const typical = new Map([...asked].map(([base, own]) => [base, median(own.map(({ price }) => price))]))
  const implied = [...quotes, ...listed].flatMap(({ venue, base, quote, price }) => {
    const inCurrency = quote === 'USD' && base !== symbol ? typical.get(base) : undefined
    return inCurrency === undefined ? [] : [{ venue, value: price / inCurrency }]
  })
  return new Map(
    [...groupBy(implied, ({ venue }) => venue)].flatMap(([venue, own]) =>
      own.length < LIMITS.few_figures ? [] : [[venue, median(own.map(({ value }) => value))] as const],
    ),
  )
}
