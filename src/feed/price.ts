import type { PriceBasis } from '../contract/asset.ts'
import { type Market, marketKey } from '../contract/market.ts'
import { roundPrice, roundShare } from '../contract/numbers.ts'
import { by, compare, groupBy } from '../contract/order.ts'
import { CONSENSUS, type Consensus, agree, consensusOf, within } from './consensus.ts'
import {
  CENTRAL_SHARE,
  type Weighted,
  centralMean,
  factorBetween,
  isWithin,
  median,
  sum,
  typical,
} from './statistics.ts'
import { backedVolume, WEIGHTS, venueWeights } from './weights.ts'

/** The numbers of the rule; published in `collector.methodology` from here, so what is said is what is done. */
export const PRICE = {
  rule:
    'Every venue and every aggregator is a witness with one opinion; that of a venue is the median of its eligible ' +
    'markets. A majority is more than half. The price of venues is the central mean of their markets, which is the mean of ' +
    'the middle `central_share` of the weight. It is that of a majority of `sure_venues` venues or more, counted before ' +
    'outliers are removed, and of `quorum` venues that all agree. Otherwise the majority of all witnesses decides, with the floor of ' +
    'the consensus rule for its tolerance where two of three venues agree, and ' +
    'where the price were contested, the last price is a witness too. Without a majority two of three venues that ' +
    'agree give way to an aggregator that the third agrees with; else the central mean of all venues is the price, and is ' +
    'called split. Below `sure_venues` a price that no more than half of the live witnesses support within the floor of the ' +
    'consensus rule, or no more than `pair` of them against any other, or that every aggregator contradicts, is contested. ' +
    'Below the quorum two venues of `deep_volume_usd` or more that agree stand against one aggregator; else the aggregators ' +
    'that the majority of witnesses, or without one the first of them, agrees with; else the venues there are; else the ' +
    'deepest pool. Direct and aggregated prices are never mixed. Where every aggregator contradicts the venues, and no ' +
    'market was matched by contract, or by the registry or a price in an earlier run, the match is disputed, and so it is ' +
    'where every aggregator is off by more than `disputed_factor`: that looks like a symbol given to another coin. Where the ' +
    'median absolute deviation of the venues is above `dispersed_percent`, the price is dispersed.',
  quorum: 3,
  sure_venues: 4,
  pair: 2,
  central_share: CENTRAL_SHARE,
  deep_volume_usd: 100_000,
  eligible_volume_usd: 100,
  eligible_spread_percent: 10,
  aggregator_tolerance_percent: 5,
  dispersed_percent: 1,
  disputed_factor: 3,
  pool_liquidity_usd: 10_000,
} as const

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
  /** The last published price, which is heard only where the live witnesses do not decide. */
  readonly last?: Opinion | null
  /** Without it every rate is taken for sure. */
  readonly rates?: RateDependence | undefined
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

export interface Priced {
  readonly price_usd: number | null
  readonly basis: Omit<PriceBasis, 'fragility_bp'>
  /** Markets of the evidence that disagree with the consensus, or whose venue is not believed. */
  readonly outliers: ReadonlySet<Market>
  readonly venues: Venues
  readonly last: Opinion | null
}

export interface PublishedPrice {
  readonly price_usd: number | null
  readonly basis: PriceBasis
}

type Basis = PriceBasis['sources'][number]
type Reason = PriceBasis['low_confidence_reason']

/** One venue with its eligible markets, and the volume that its books make plausible, in dollars. */
export type VenueWitness = ReturnType<typeof venueWitness>

type Venues = readonly VenueWitness[]
type Opinions = readonly Opinion[]

interface Decision {
  readonly method: PriceBasis['method']
  readonly venues: Venues
  readonly aggregators: Opinions
  readonly consensus: Consensus
  readonly reason: Reason
  /** The last price where it was heard. */
  readonly last: Opinion | null
}

/**
 * The evidence of a published price: its market rows, and the aggregators' prices that its basis holds.
 *
 * @param run the venues with a `price_factor` in `collector`, and its rates
 */
export function publishedEvidence(
  { sources, excluded }: Pick<PriceBasis, 'sources' | 'excluded'>,
  markets: readonly Market[],
  { distrusted, rates }: Pick<Evidence, 'distrusted' | 'rates'>,
): Evidence {
  const venues = new Set(markets.map(({ exchange_id }) => exchange_id))
  const opinions = [...sources, ...excluded].flatMap(({ source_id, pair, price_usd }) =>
    price_usd === null || venues.has(source_id) ? [] : [{ source_id, pair, price_usd }],
  )
  const last = opinions.find(({ source_id }) => source_id === PREVIOUS) ?? null
  return { markets, aggregators: opinions.filter((opinion) => opinion !== last), distrusted, last, rates }
}

/** Returns why a market may not take part in a price, or null. Everything it reads is published, so that anyone can recompute it. */
export function ineligible(market: Market): string | null {
  if (market.exchange_type === 'dex') return 'pool'
  if (market.price_usd === null) return 'no_price'
  if (market.is_stale) return 'stale'
  if ((market.volume_24h_usd ?? 0) < PRICE.eligible_volume_usd) return 'no_volume'
  if (market.bid !== null && market.ask !== null && market.bid > market.ask) return 'crossed_book'
  if ((market.spread_percent ?? 0) > PRICE.eligible_spread_percent) return 'wide_spread'
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
  const price = centralMean(entries.map((entry) => ({ value: entry.price, weight: 1 })))
  return { id, entries, price, volume: sum(entries.map(({ volume }) => volume)) }
}

/** Decides whose opinions make the price. The last price is heard where the live witnesses leave it contested. */
export function decide(venues: Venues, aggregators: Opinions, last: Opinion | null = null): Decision {
  const live = [...venues.map(priceOf), ...aggregators.map(({ price_usd }) => price_usd)]
  if (venues.length < PRICE.quorum) return fewVenues(venues, aggregators, consensusOf(live))
  const direct = consensusOf(venues.map(priceOf))
  const heard = inside(venues, direct)
  const isSure = venues.length >= PRICE.sure_venues || heard.length === venues.length
  const decision =
    direct.majority && isSure
      ? ofVenues(heard, direct, disputed(venues, aggregators, direct))
      : splitVenues(venues, aggregators, direct, closeConsensus(live, direct))
  if (last === null || !isContested(centralPrice(decision), venues, aggregators)) return decision
  return { ...splitVenues(venues, aggregators, direct, closeConsensus([...live, last.price_usd], direct)), last }
}

const ofVenues = (venues: Venues, consensus: Consensus, reason: Reason): Decision => {
  return { method: 'exchanges', venues, aggregators: [], consensus, reason, last: null }
}

const ofAggregators = (aggregators: Opinions, consensus: Consensus, reason: Reason): Decision => {
  return { method: 'aggregators', venues: [], aggregators, consensus, reason, last: null }
}

const priceOf = ({ price }: { readonly price: number }): number => price

const inside = (venues: Venues, consensus: Consensus): VenueWitness[] =>
  venues.filter(({ price }) => within(consensus, price))

const near = (a: number, b: number): boolean => isWithin(PRICE.aggregator_tolerance_percent, a, b)

/** Returns why a price of agreeing venues is doubted: every aggregator reports another one. */
function disputed(venues: Venues, aggregators: Opinions, { center }: Consensus): Reason {
  if (aggregators.length === 0 || aggregators.some(({ price_usd }) => near(price_usd, center))) return null
  const established = venues.some(({ entries }) => entries.some(({ market }) => isEstablished(market)))
  const isAnother = aggregators.every(({ price_usd }) => factorBetween(price_usd, center) > PRICE.disputed_factor)
  return established && !isAnother ? 'aggregators_disagree' : 'match_disputed'
}

/** Whether a market is known as the asset's by its contract, or by more than the venues' agreement since an earlier run. */
const isEstablished = ({ matched_by, matched_at, collected_at }: Market): boolean =>
  matched_by === 'contract' || (matched_by !== 'venues' && (matched_at === null || matched_at < collected_at))

/** Reasons to doubt a price, whichever source it comes from. */
const DOUBTS: ReadonlySet<Reason> = new Set(['split', 'venues_split', 'match_disputed', 'contested', 'dispersed'])

/** Whether a price is doubted for a reason: its confidence is bounded then. */
export const isDoubted = (method: PriceBasis['method'], reason: Reason): boolean =>
  DOUBTS.has(reason) || (reason === 'aggregators_disagree' && method !== 'exchanges')

/** The reason of a decision, or what the witnesses of its price lack. */
function reasonOf(decision: Decision, price: number | null, venues: Venues, aggregators: Opinions): Reason {
  if (price === null || isDoubted(decision.method, decision.reason)) return decision.reason
  const isAlone = decision.reason === 'aggregators_disagree' && venues.length < PRICE.sure_venues
  if (isAlone || isContested(price, venues, aggregators)) return 'contested'
  return isDispersed(decision, venues) ? 'dispersed' : decision.reason
}

/** Whether too few of few live witnesses support a price. */
function isContested(price: number, venues: Venues, aggregators: Opinions): boolean {
  if (venues.length >= PRICE.sure_venues) return false
  const opinions = [...venues.map(priceOf), ...aggregators.map(({ price_usd }) => price_usd)]
  const near = opinions.filter((opinion) => (factorBetween(opinion, price) - 1) * 100 <= CONSENSUS.floor_percent).length
  return near * 2 <= opinions.length || (near <= PRICE.pair && near < opinions.length)
}

/** Whether honest venues alone are so far apart that the choice between them moves the price by more than a percent. */
function isDispersed({ method, reason }: Decision, venues: Venues): boolean {
  if (method !== 'exchanges' || reason !== null) return false
  const center = median(venues.map(priceOf))
  const deviation = median(venues.map(({ price }) => Math.abs(price / center - 1)))
  return deviation * 100 > PRICE.dispersed_percent
}

/**
 * The consensus of all witnesses. Where the venues have a majority of their own, a center that lies between two camps
 * is none: more than half of the witnesses must be within the floor of it.
 */
function closeConsensus(prices: readonly number[], direct: Consensus): Consensus {
  const all = consensusOf(prices)
  const close = prices.filter((price) => Math.abs(price / all.center - 1) * 100 <= CONSENSUS.floor_percent).length
  return direct.majority && close * 2 <= prices.length ? { ...all, majority: false, reach: Infinity } : all
}

/** A quorum of venues that does not decide alone. */
function splitVenues(venues: Venues, aggregators: Opinions, direct: Consensus, all: Consensus): Decision {
  const reason = direct.majority ? null : 'venues_split'
  const heard = inside(venues, all)
  if (all.majority && heard.length >= PRICE.pair) return ofVenues(heard, all, reason)
  const believed = aggregators.filter(({ price_usd }) => within(all, price_usd))
  if (all.majority && believed.length > 0) return ofAggregators(believed, all, reason)
  const undecided = { ...all, reach: Infinity }
  if (!direct.majority) return ofVenues(venues, undecided, 'split')
  const others = venues.filter(({ price }) => !within(direct, price))
  const seconded = aggregators.filter(({ price_usd }) => others.some(({ price }) => agree(price, price_usd)))
  return seconded.length > 0
    ? ofAggregators(seconded, undecided, 'split')
    : ofVenues(inside(venues, direct), direct, reason)
}

/** Fewer venues than a quorum: two deep ones, the aggregators, or the venues that there are. */
function fewVenues(venues: Venues, aggregators: Opinions, all: Consensus): Decision {
  const witnesses = venues.length + aggregators.length
  const consensus = witnesses >= PRICE.quorum ? all : { ...all, reach: Infinity }
  const below = (reason: Reason) => ({
    ...ofVenues(venues, consensus, reason),
    method: 'exchanges_below_quorum' as const,
  })
  const reason = deepPair(venues) ? reasonOfPair(aggregators, all) : null
  if (reason !== null) return below(reason)
  const [first] = aggregators
  if (first) return fewAggregators(witnesses, aggregators, all, first)
  return below(venues.length === 1 ? 'single_witness' : all.majority ? 'below_quorum' : 'split')
}

/** Returns what a price of two deep venues that agree lacks; null if the aggregators outvote them. */
function reasonOfPair(aggregators: Opinions, { center }: Consensus): Reason {
  const opposed = aggregators.filter(({ price_usd }) => !near(price_usd, center)).length
  if (opposed < aggregators.length || aggregators.length === 0) return 'below_quorum'
  return aggregators.length === 1 ? 'aggregators_disagree' : null
}

/** The aggregators that the majority of witnesses supports, or without a majority those that agree with the first. */
function fewAggregators(witnesses: number, aggregators: Opinions, all: Consensus, first: Opinion): Decision {
  const hasQuorum = witnesses >= PRICE.quorum
  const inMajority = hasQuorum && all.majority ? aggregators.filter(({ price_usd }) => within(all, price_usd)) : []
  const isSupported = inMajority.length > 0
  const believed = isSupported ? inMajority : aggregators.filter(({ price_usd }) => near(price_usd, first.price_usd))
  const agreed = isSupported || (!hasQuorum && all.majority)
  const reason = witnesses === 1 ? 'single_witness' : agreed ? null : 'split'
  // Two shallow venues against every aggregator are a majority that costs little to buy.
  const consensus = isSupported ? all : { ...all, reach: Infinity }
  return ofAggregators(believed, consensus, reason)
}

function deepPair(venues: Venues): boolean {
  const [one, other, ...more] = venues
  if (!one || !other || more.length > 0) return false
  return Math.min(one.volume, other.volume) >= PRICE.deep_volume_usd && agree(one.price, other.price)
}

interface WeightedSource extends Weighted {
  readonly of: Opinion | Market
}

/** The sources of a decision with their prices and weights. It runs for every lie that a price is tried with. */
function weightedSources({ method, venues, aggregators }: Decision): WeightedSource[] {
  if (method === 'aggregators') return aggregators.map((of) => ({ value: of.price_usd, weight: 1, of }))
  const shares = venueWeights(venues.map(({ volume }) => volume))
  const sources: WeightedSource[] = []
  for (const [index, { entries, volume: whole }] of venues.entries())
    for (const { market: of, price: value, volume } of entries) {
      const weight = ((shares[index] ?? 0) * volume) / whole
      if (weight >= WEIGHTS.least_share) sources.push({ value, weight, of })
    }
  return sources
}

/** The price that a decision gives, before it is rounded: what {@link price} computes, without saying of what. */
export const centralPrice = (decision: Decision): number => centralMean(weightedSources(decision))

/** The price of an asset. The order of the markets does not matter; `markets` hold nothing twice. */
export function price(evidence: Evidence): Priced {
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
  const basis = {
    method: decision.method,
    sources: sources.toSorted((a, b) => b.weight - a.weight || byName(a, b)),
    excluded: [
      ...evidence.markets.flatMap((market) =>
        used.has(market) ? [] : [excludedMarket(market, whyNot(market, outliers, decision))],
      ),
      ...evidence.aggregators.flatMap(({ source_id, pair, price_usd }) =>
        decision.aggregators.some((opinion) => opinion.source_id === source_id)
          ? []
          : [{ source_id, pair, reason: decision.method === 'aggregators' ? 'disagrees' : 'not_direct', price_usd }],
      ),
      ...(decision.last ? [{ ...decision.last, reason: 'last_price' }] : []),
    ].toSorted(byName),
  }
  const price_usd = recompute(basis)
  const isWeak = decision.method !== 'aggregators' && mostThrough(basis, evidence) < 1
  const low_confidence_reason =
    reasonOf(decision, price_usd, venues, evidence.aggregators) ?? (isWeak ? 'weak_rate' : null)
  return { price_usd, basis: { ...basis, low_confidence_reason }, outliers, venues, last: decision.last }
}

/** The sources of a price that are markets, by the currency that each is quoted in. */
export function quotedIn({ sources }: Pick<PriceBasis, 'sources'>, markets: readonly Market[]) {
  const symbols = new Map(markets.map((market) => [marketKey(market), market.quote_symbol]))
  return sources.flatMap(({ source_id, pair, weight }) => {
    const symbol = symbols.get(`${source_id} ${pair}`)
    return symbol === undefined ? [] : [{ symbol, weight }]
  })
}

/** The confidence that a price of venues has at most, by the rates that more than half of its weight goes through. */
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

function whyNot(market: Market, outliers: ReadonlySet<Market>, { method, venues }: Decision): string {
  if (outliers.has(market)) return 'outlier'
  const reason = ineligible(market)
  if (reason !== null) return reason
  if (method === 'aggregators') return 'below_quorum'
  return venues.some(({ id }) => id === market.exchange_id) ? 'negligible_weight' : 'disagrees'
}

function outliersOf({ markets, distrusted }: Evidence, consensus: Consensus): Set<Market> {
  return new Set(
    markets.filter(
      ({ exchange_id, price_usd }) =>
        distrusted.has(exchange_id) || (price_usd !== null && !within(consensus, price_usd)),
    ),
  )
}

function poolPrice({ markets, distrusted }: Evidence): Omit<Priced, 'venues' | 'last'> {
  const [deepest] = markets
    .filter(({ exchange_type, is_stale, price_usd }) => exchange_type === 'dex' && !is_stale && price_usd !== null)
    .filter(({ liquidity_usd }) => (liquidity_usd ?? 0) >= PRICE.pool_liquidity_usd)
    .toSorted(
      (a, b) =>
        (b.liquidity_usd ?? 0) - (a.liquidity_usd ?? 0) || compare(a.contract_address ?? '', b.contract_address ?? ''),
    )
  const outliers = new Set(markets.filter(({ exchange_id }) => distrusted.has(exchange_id)))
  const excluded = markets
    .filter((market) => market !== deepest)
    .map((market) => excludedMarket(market, outliers.has(market) ? 'outlier' : (ineligible(market) ?? 'pool')))
    .toSorted(byName)
  const price_usd = deepest?.price_usd ?? null
  if (!deepest || price_usd === null)
    return { price_usd, basis: { method: 'none', sources: [], excluded, low_confidence_reason: null }, outliers }
  const sources = [{ source_id: deepest.exchange_id, pair: deepest.pair, price_usd, weight: 1 }]
  return { price_usd, basis: { method: 'dex', sources, excluded, low_confidence_reason: 'single_witness' }, outliers }
}

/** Returns the price of a basis: the central mean of its sources to 8 significant digits; null if there are none. */
export function recompute({ sources }: { readonly sources: readonly Basis[] }): number | null {
  const mean = centralMean(sources.map(({ price_usd, weight }) => ({ value: price_usd, weight })))
  return Number.isNaN(mean) ? null : roundPrice(mean)
}
