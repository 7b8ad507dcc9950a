import type { PriceBasis } from '../contract/asset.ts'
import { type Market, marketKey } from '../contract/market.ts'
import { roundPrice, roundShare } from '../contract/numbers.ts'
import { by, compare, groupBy } from '../contract/order.ts'
import { type Consensus, consensusOf, within } from './consensus.ts'
import { LIMITS } from './methodology.ts'
import { type Weighted, centralMean, factorBetween, isWithin, median, sum, typical } from './statistics.ts'
import { backedVolume, venueWeights } from './weights.ts'

/** An opinion that is not one of the markets. */
export interface Opinion {
  readonly source_id: string
  readonly pair: string
  readonly price_usd: number
}

/** Inputs of a price, all of which are published: markets, the aggregators' prices, and excluded sources. */
export interface Evidence {
  readonly markets: readonly Market[]
  /** In order of preference. */
  readonly aggregators: Opinions
  /** Venues that are not believed in this run, by `exchange_id`. */
  readonly distrusted: ReadonlySet<string>
  /** The last published price, which is heard only where the live witnesses have no majority. */
  readonly last?: Opinion | null
  /** Without it every rate is taken for sure. */
  readonly rates?: RateDependence | undefined
  /** Since when a market must have moved, while most markets of the feed do; null: they do not. */
  readonly movedSince?: string | null | undefined
}

/** How the prices of a run depend on its rates. */
export interface RateDependence {
  /** The confidence that a price in a currency has at most. */
  readonly most: (symbol: string) => number
  /** How far, as a fraction, a rate moves if a source misreports all rates by this many percent. */
  readonly move: (symbol: string, source: string, percent: number) => number
  readonly sources: readonly string[]
}

/** The `source_id` of the last price where it is a witness. */
export const PREVIOUS = 'previous'

export interface PublishedPrice {
  readonly price_usd: number | null
  readonly basis: PriceBasis
}

type Basis = PriceBasis['sources'][number]
type Reason = PriceBasis['low_confidence_reason']
type Opinions = readonly Opinion[]
type Venues = readonly VenueWitness[]

/** One venue with its eligible markets, and the volume that its books make plausible, in dollars. */
export type VenueWitness = ReturnType<typeof venueWitness>

/** Whose opinions make a price, and the jury that they are the majority of. */
type Decision = ReturnType<typeof decide>

export type Priced = ReturnType<typeof price>

/**
 * The evidence of a published price: its market rows, and the aggregators' prices that its basis holds.
 *
 * @param run the venues with a `price_factor` in `collector`, its rates, and since when its markets moved
 */
export function publishedEvidence(
  { sources, excluded }: Pick<PriceBasis, 'sources' | 'excluded'>,
  markets: readonly Market[],
  run: Pick<Evidence, 'distrusted' | 'rates' | 'movedSince'>,
): Evidence {
  const venues = new Set(markets.map(({ exchange_id }) => exchange_id))
  const opinions = [...sources, ...excluded].flatMap(({ source_id, pair, price_usd }) =>
    price_usd === null || venues.has(source_id) ? [] : [{ source_id, pair, price_usd }],
  )
  const last = opinions.find(({ source_id }) => source_id === PREVIOUS) ?? null
  return { ...run, markets, aggregators: opinions.filter((opinion) => opinion !== last), last }
}

/** Returns why a market may not take part in a price, or null. Everything it reads is published. */
export function ineligible(market: Market): string | null {
  if (market.exchange_type === 'dex') return 'pool'
  if (market.price_usd === null) return 'no_price'
  if (market.is_stale) return 'stale'
  // Not `<`: a volume that is not a number is none.
  if (!((market.volume_24h_usd ?? 0) >= LIMITS.eligible_volume_usd)) return 'no_volume'
  if (market.bid !== null && market.ask !== null && market.bid > market.ask) return 'crossed_book'
  if ((market.spread_percent ?? 0) > LIMITS.eligible_spread_percent) return 'wide_spread'
  return null
}

/** The venues that have an opinion. */
export function venueWitnesses({ markets, distrusted }: Evidence): VenueWitness[] {
  const eligible = markets.filter((market) => !distrusted.has(market.exchange_id) && ineligible(market) === null)
  return [...groupBy(eligible, ({ exchange_id }) => exchange_id)]
    .map(([id, own]) => venueWitness(id, own))
    .toSorted(by((row) => row.id))
}

function venueWitness(id: string, own: readonly Market[]) {
  const entries = own
    .toSorted(by(({ pair }) => pair))
    .map((market) => ({ market, price: market.price_usd ?? 0, volume: backedVolume(market) }))
  const price_usd = centralMean(entries.map(({ price: value, volume: weight }) => ({ value, weight })))
  return { id, entries, price_usd, volume: sum(entries.map(({ volume }) => volume)) }
}

const priceOf = ({ price_usd }: Pick<Opinion, 'price_usd'>): number => price_usd

/** Decides whose opinions make the price: see the rule of the price. It runs for every lie that a price is tried with. */
export function decide(venues: Venues, aggregators: Opinions, last: Opinion | null = null) {
  const own = venues.map(priceOf)
  if (venues.length >= LIMITS.jury) {
    const consensus = consensusOf(own)
    if (consensus.majority) return { ...majorityOf(venues, [], consensus), jury: own, last: null }
  }
  const jury = [...own, ...aggregators.map(priceOf)]
  const live = consensusOf(jury)
  if (live.majority || last === null) return { ...majorityOf(venues, aggregators, live), jury, last: null }
  return { ...majorityOf(venues, aggregators, consensusOf([...jury, last.price_usd])), jury, last }
}

/** Who makes a price: the majority, or without one the first aggregator that is not alone, or else the venues. */
function majorityOf(venues: Venues, aggregators: Opinions, consensus: Consensus) {
  const isAlone = ({ price_usd }: Opinion) => supportOf(price_usd, venues, { aggregators }).agreeing === 1
  const first = aggregators.find((one) => !isAlone(one)) ?? (venues.length === 0 ? aggregators[0] : undefined)
  if (!consensus.majority && first) return { venues: [], aggregators: [first], consensus }
  const heard = venues.filter((venue) => within(consensus, venue.price_usd))
  const others = aggregators.filter((opinion) => within(consensus, opinion.price_usd))
  return { venues: heard, aggregators: heard.length === 0 || others.length > 1 ? others : [], consensus }
}

/** The live witnesses that a price is within the tolerance of, and how many there are. */
export function supportOf(price: number, venues: Venues, { aggregators }: Pick<Evidence, 'aggregators'>) {
  const live = [...venues, ...aggregators]
  const agreeing = live.filter((one) => isWithin(LIMITS.tolerance_percent, one.price_usd, price)).length
  return { agreeing, live: live.length }
}

/** Reasons that bound the confidence of a price. */
const DOUBTS: ReadonlySet<Reason> = new Set(['split', 'match_disputed', 'contested', 'dispersed', 'halted'])

export const isDoubted = (reason: Reason): boolean => DOUBTS.has(reason)

/** Returns why a price is doubted, or what its witnesses lack; null where nothing is. */
function reasonOf(decision: Decision, basis: Pick<PriceBasis, 'sources'>, venues: Venues, evidence: Evidence): Reason {
  const price = recompute(basis)
  if (price === null) return null
  if (!decision.consensus.majority) return 'split'
  if (isDisputed(price, decision, evidence)) return 'match_disputed'
  const { agreeing, live } = supportOf(price, venues, evidence)
  // Without an aggregator, three venues are as few as two are with one.
  const few = evidence.aggregators.length === 0 ? 3 : 2
  if (agreeing * 2 <= live || (agreeing <= few && agreeing < live)) return 'contested'
  const center = median(decision.jury)
  const apart = median(decision.jury.map((one) => Math.abs(one / center - 1)))
  if (apart * 100 > LIMITS.dispersed_percent) return 'dispersed'
  if (isHalted(venues, evidence)) return 'halted'
  if (mostThrough(basis, evidence) < 1) return 'weak_rate'
  return agreeing === 1 ? 'single_witness' : agreeing === 2 ? 'few_witnesses' : null
}

/** Whether the markets of a price may be another asset's: every aggregator has another price, or one far from it. */
function isDisputed(price: number, { venues, aggregators: joined }: Decision, { aggregators }: Evidence): boolean {
  if (aggregators.length === 0 || joined.length > 0) return false
  const nearest = Math.min(...aggregators.map((one) => factorBetween(one.price_usd, price)))
  if (nearest > LIMITS.another_factor) return true
  const isKnown = ({ matched_by, matched_at, collected_at }: Market) =>
    matched_by === 'contract' || (matched_by !== 'venues' && (matched_at === null || matched_at < collected_at))
  const isEstablished = venues.some(({ entries }) => entries.some(({ market }) => isKnown(market)))
  return !isEstablished && nearest > 1 + LIMITS.few_percent / 100
}

/** Whether every market of a price stands still while the feed moves. */
const isHalted = (venues: Venues, { movedSince = null }: Evidence): boolean =>
  movedSince !== null &&
  venues.length > 0 &&
  venues.every(({ entries }) => entries.every(({ market }) => (market.unchanged_since ?? movedSince) < movedSince))

interface WeightedSource extends Weighted {
  readonly of: Opinion | Market
}

/** The sources of a decision with their prices and weights. */
function weightedSources({ venues, aggregators }: Decision): WeightedSource[] {
  const equal = 1 / (venues.length + aggregators.length)
  const sources: WeightedSource[] = aggregators.map((of) => ({ value: of.price_usd, weight: equal, of }))
  const shares = venueWeights(venues.map(({ volume }) => volume))
  for (const [index, { entries, volume: whole }] of venues.entries())
    for (const { market: of, price: value, volume } of entries) {
      const weight = ((shares[index] ?? 0) * venues.length * equal * volume) / whole
      if (weight >= LIMITS.least_share) sources.push({ value, weight, of })
    }
  return sources
}

/** The price that a decision gives, before it is rounded: what {@link price} computes, without saying of what. */
export const centralPrice = (decision: Decision): number => centralMean(weightedSources(decision))

/** The price of an asset. The order of the markets does not matter; `markets` hold nothing twice. */
export function price(evidence: Evidence) {
  const venues = venueWitnesses(evidence)
  if (venues.length + evidence.aggregators.length === 0) return { ...poolPrice(evidence), venues, last: null }
  const decision = decide(venues, evidence.aggregators, evidence.last)
  const outliers = outliersOf(evidence, decision.consensus)
  const weighted = weightedSources(decision)
  const used = new Set(weighted.map(({ of }) => of))
  const total = sum(weighted.map(({ weight }) => weight))
  const sources = weighted.map(({ value: price_usd, weight, of }) => ({
    source_id: 'exchange_id' in of ? of.exchange_id : of.source_id,
    pair: of.pair,
    price_usd,
    weight: roundShare(weight / total),
  }))
  const left = evidence.aggregators.filter((opinion) => !used.has(opinion))
  const why = (opinion: Opinion) => (within(decision.consensus, opinion.price_usd) ? 'not_direct' : 'disagrees')
  const basis = {
    method: methodOf(decision),
    sources: sources.toSorted((a, b) => b.weight - a.weight || byName(a, b)),
    excluded: [
      ...evidence.markets.flatMap((market) =>
        used.has(market) ? [] : [excludedMarket(market, whyNot(market, outliers, decision))],
      ),
      ...left.map((opinion) => ({ ...opinion, reason: why(opinion) })),
      ...(decision.last ? [{ ...decision.last, reason: 'last_price' }] : []),
    ].toSorted(byName),
  }
  const low_confidence_reason = reasonOf(decision, basis, venues, evidence)
  return {
    price_usd: recompute(basis),
    basis: { ...basis, low_confidence_reason },
    outliers,
    venues,
    last: decision.last,
  }
}

const methodOf = ({ venues, aggregators }: Decision): PriceBasis['method'] =>
  venues.length === 0 ? 'aggregators' : aggregators.length === 0 ? 'exchanges' : 'mixed'

/** The sources of a price that are markets, by the currency that each is quoted in. */
export function quotedIn({ sources }: Pick<PriceBasis, 'sources'>, markets: readonly Market[]) {
  const symbols = new Map(markets.map((market) => [marketKey(market), market.quote_symbol]))
  return sources.flatMap(({ source_id, pair, weight }) => {
    const symbol = symbols.get(`${source_id} ${pair}`)
    return symbol === undefined ? [] : [{ symbol, weight }]
  })
}

/** The confidence that a price has at most, by the rates that more than half of the weight of its markets goes through. */
export function mostThrough(basis: Pick<PriceBasis, 'sources'>, { markets, rates }: Evidence): number {
  if (!rates) return 1
  const entries = quotedIn(basis, markets).map(({ symbol, weight }) => ({ value: -rates.most(symbol), weight }))
  return entries.length === 0 ? 1 : -typical(entries)
}

type Named = Pick<Basis, 'source_id' | 'pair'>

const byName = (a: Named, b: Named): number => compare(a.source_id, b.source_id) || compare(a.pair, b.pair)

const excludedMarket = ({ exchange_id: source_id, pair }: Market, reason: string): PriceBasis['excluded'][number] => {
  return { source_id, pair, reason, price_usd: null }
}

function whyNot(market: Market, outliers: ReadonlySet<Market>, { venues }: Decision): string {
  if (outliers.has(market)) return 'outlier'
  const reason = ineligible(market)
  if (reason !== null) return reason
  return venues.some(({ id }) => id === market.exchange_id) ? 'negligible_weight' : 'disagrees'
}

const outliersOf = ({ markets, distrusted }: Evidence, consensus: Consensus): ReadonlySet<Market> =>
  new Set(
    markets.filter(
      ({ exchange_id, price_usd }) =>
        distrusted.has(exchange_id) || (price_usd !== null && !within(consensus, price_usd)),
    ),
  )

function poolPrice({ markets, distrusted }: Evidence) {
  const [deepest] = markets
    .filter(({ exchange_type, is_stale, price_usd }) => exchange_type === 'dex' && !is_stale && price_usd !== null)
    .filter(({ liquidity_usd }) => (liquidity_usd ?? 0) >= LIMITS.pool_liquidity_usd)
    .toSorted(
      (a, b) =>
        (b.liquidity_usd ?? 0) - (a.liquidity_usd ?? 0) || compare(a.contract_address ?? '', b.contract_address ?? ''),
    )
  const outliers: ReadonlySet<Market> = new Set(markets.filter(({ exchange_id }) => distrusted.has(exchange_id)))
  const excluded = markets
    .filter((market) => market !== deepest)
    .map((market) => excludedMarket(market, outliers.has(market) ? 'outlier' : (ineligible(market) ?? 'pool')))
    .toSorted(byName)
  const price_usd = deepest?.price_usd ?? null
  const sources =
    deepest && price_usd !== null ? [{ source_id: deepest.exchange_id, pair: deepest.pair, price_usd, weight: 1 }] : []
  const method: PriceBasis['method'] = sources.length > 0 ? 'dex' : 'none'
  const low_confidence_reason: Reason = sources.length > 0 ? 'single_witness' : null
  return { price_usd, basis: { method, sources, excluded, low_confidence_reason }, outliers }
}

/** Returns the price of a basis: the central mean of its sources to 8 significant digits; null if there are none. */
export function recompute({ sources }: { readonly sources: readonly Basis[] }): number | null {
  const mean = centralMean(sources.map(({ price_usd, weight }) => ({ value: price_usd, weight })))
  return Number.isNaN(mean) ? null : roundPrice(mean)
}
