import type { PriceBasis } from '../contract/asset.ts'
import { type Market, marketKey } from '../contract/market.ts'
import { roundPrice, roundShare } from '../contract/numbers.ts'
import { by, compare, groupBy } from '../contract/order.ts'
import { type Consensus, consensusOf, within } from './consensus.ts'
import { LIMITS } from './methodology.ts'
import type { RateDependence } from './rate-dependence.ts'
import { PREVIOUS } from './rates.ts'
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
  /** The last published price, which counts only where the live witnesses have no majority. */
  readonly last: Opinion | null
  readonly rates: RateDependence
  /** Since when a market must have moved, while most markets of the feed do; null: they do not. */
  readonly movedSince: string | null
}

export interface PublishedPrice {
  readonly price_usd: number | null
  readonly basis: PriceBasis
}

type Basis = PriceBasis['sources'][number]
export type Reason = PriceBasis['low_confidence_reason']
type Opinions = readonly Opinion[]
type Venues = readonly VenueWitness[]

/** One venue with its eligible markets, and the volume that its books make plausible, in dollars. */
export type VenueWitness = ReturnType<typeof venueWitness>

type Decision = ReturnType<typeof decidePrice>

export type Priced = ReturnType<typeof priceOf>

/** The evidence of a published price: its market rows, and the aggregators' prices that its basis holds. */
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

export function venueWitnesses({ markets, distrusted }: Pick<Evidence, 'markets' | 'distrusted'>): VenueWitness[] {
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

/** Decides whose opinions make the price: see the rule of the price. It runs for every lie that a price is tried with. */
export function decidePrice(venues: Venues, aggregators: Opinions, last: Opinion | null) {
  const own = venues.map(({ price_usd }) => price_usd)
  if (venues.length >= LIMITS.jury) {
    const consensus = consensusOf(own)
    if (consensus.majority) return { jury: own, last: null, ...majorityOf(venues, [], consensus) }
  }
  const jury = [...own, ...aggregators.map(({ price_usd }) => price_usd)]
  const live = consensusOf(jury)
  if (live.majority || last === null) return { jury, last: null, ...majorityOf(venues, aggregators, live) }
  return { jury, last, ...majorityOf(venues, aggregators, consensusOf([...jury, last.price_usd])) }
}

/** Who makes a price: the majority, or without one the first aggregator that is not alone, or else the venues. */
function majorityOf(venues: Venues, aggregators: Opinions, consensus: Consensus) {
  if (!consensus.majority) {
    const seconded = aggregators.filter(({ price_usd }) => supportOf(price_usd, venues, { aggregators }).agreeing > 1)
    const first = seconded.length > 0 || venues.length > 0 ? seconded.slice(0, 1) : aggregators.slice(0, 1)
    return { venues: first.length > 0 ? [] : venues, aggregators: first, consensus }
  }
  const agreeing = venues.filter((venue) => within(consensus, venue.price_usd))
  const others = aggregators.filter((opinion) => within(consensus, opinion.price_usd))
  return { venues: agreeing, aggregators: agreeing.length < LIMITS.quorum ? others : [], consensus }
}

/** The live witnesses that a price is within the tolerance of, and how many there are. */
export function supportOf(price: number, venues: Venues, { aggregators }: Pick<Evidence, 'aggregators'>) {
  const live = [...venues, ...aggregators]
  const agreeing = live.filter((one) => isWithin(LIMITS.tolerance_percent, one.price_usd, price)).length
  return { agreeing, live: live.length }
}

function reasonOf(decision: Decision, basis: Pick<PriceBasis, 'sources'>, venues: Venues, evidence: Evidence): Reason {
  const price = recompute(basis)
  if (price === null) return null
  if (decision.jury.length === 0) return 'single_witness'
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

const isHalted = (venues: Venues, { movedSince }: Evidence): boolean =>
  movedSince !== null &&
  venues.length > 0 &&
  venues.every(({ entries }) => entries.every(({ market }) => (market.unchanged_since ?? movedSince) < movedSince))

type WeightedSource = Weighted & { readonly of: Opinion | Market }

function weightedSources({ venues, aggregators }: Decision): WeightedSource[] {
  const equal = 1 / (venues.length + aggregators.length)
  const sources: WeightedSource[] = aggregators.map((of) => ({ value: of.price_usd, weight: equal, of }))
  const shares = venueWeights(venues.map(({ volume }) => volume))
  for (const [index, { entries, volume: whole }] of venues.entries())
    for (const { market: of, price: value, volume } of entries) {
      const weight = ((shares[index] ?? 0) * venues.length * equal * volume) / whole
      if (volume >= LIMITS.least_share * whole) sources.push({ value, weight, of })
    }
  return sources
}

/** The price that a decision gives, before it is rounded: what {@link price} computes, without saying of what. */
export const centralPrice = (decision: Decision): number => centralMean(weightedSources(decision))

/** The price of an asset. The order of the markets does not matter; `markets` hold nothing twice. */
export function priceOf(evidence: Evidence) {
  const { markets, aggregators } = evidence
  const venues = venueWitnesses(evidence)
  const hasWitness = venues.length + aggregators.length > 0
  const decision = decidePrice(venues, aggregators, hasWitness ? evidence.last : null)
  const isOff = ({ exchange_id, price_usd }: Market) =>
    evidence.distrusted.has(exchange_id) || (price_usd !== null && !within(decision.consensus, price_usd))
  const outliers = new Set(markets.filter(isOff))
  const weighted = hasWitness ? weightedSources(decision) : deepestPool(evidence)
  const used = new Set(weighted.map(({ of }) => of))
  const total = sum(weighted.map(({ weight }) => weight))
  const sources = weighted.map(({ value: price_usd, weight, of }) => {
    return { price_usd, weight: roundShare(weight / total), ...nameOf(of) }
  })
  const why = (opinion: Opinion) => (within(decision.consensus, opinion.price_usd) ? 'not_direct' : 'disagrees')
  const unused = markets.filter((market) => !used.has(market))
  const excluded: PriceBasis['excluded'] = [
    ...unused.map((of) => ({ reason: whyNot(of, outliers, decision), price_usd: null, ...nameOf(of) })),
    ...aggregators.flatMap((opinion) => (used.has(opinion) ? [] : [{ reason: why(opinion), ...opinion }])),
    ...(decision.last ? [{ reason: 'last_price', ...decision.last }] : []),
  ]
  const byName = (a: Named, b: Named) => compare(a.source_id, b.source_id) || compare(a.pair, b.pair)
  const basis = {
    method: methodOf(decision, sources),
    sources: sources.toSorted((a, b) => b.weight - a.weight || byName(a, b)),
    excluded: excluded.toSorted(byName),
  }
  const low_confidence_reason = reasonOf(decision, basis, venues, evidence)
  const { last } = decision
  return { price_usd: recompute(basis), basis: { low_confidence_reason, ...basis }, outliers, venues, last }
}

type Named = Pick<Basis, 'source_id' | 'pair'>

const nameOf = (of: Opinion | Market): Named => {
  return { source_id: 'exchange_id' in of ? of.exchange_id : of.source_id, pair: of.pair }
}

function methodOf({ venues, aggregators, jury }: Decision, sources: readonly Basis[]): PriceBasis['method'] {
  if (jury.length === 0) return sources.length > 0 ? 'dex' : 'none'
  return venues.length === 0 ? 'aggregators' : aggregators.length === 0 ? 'exchanges' : 'mixed'
}

export function quotedIn({ sources }: Pick<PriceBasis, 'sources'>, markets: readonly Market[]) {
  const symbols = new Map(markets.map((market) => [marketKey(market), market.quote_symbol]))
  return sources.flatMap(({ source_id, pair, weight }) => {
    const symbol = symbols.get(`${source_id} ${pair}`)
    return symbol === undefined ? [] : [{ symbol, weight }]
  })
}

/** The confidence that a price has at most, by the rates that more than half of the weight of its markets goes through. */
export function mostThrough(basis: Pick<PriceBasis, 'sources'>, { markets, rates }: Evidence): number {
  const entries = quotedIn(basis, markets).map(({ symbol, weight }) => ({ value: -rates.most(symbol), weight }))
  return entries.length === 0 ? 1 : -typical(entries)
}

function whyNot(market: Market, outliers: ReadonlySet<Market>, { venues }: Decision): string {
  if (outliers.has(market)) return 'outlier'
  const reason = ineligible(market)
  if (reason !== null) return reason
  return venues.some(({ id }) => id === market.exchange_id) ? 'negligible_weight' : 'disagrees'
}

/** The deepest pool as the only source; none where there is no deep one. */
function deepestPool({ markets }: Evidence): WeightedSource[] {
  const isDeep = ({ exchange_type, is_stale, price_usd, liquidity_usd }: Market) =>
    exchange_type === 'dex' && !is_stale && price_usd !== null && (liquidity_usd ?? 0) >= LIMITS.pool_liquidity_usd
  const [of] = markets
    .filter(isDeep)
    .toSorted(
      (a, b) =>
        (b.liquidity_usd ?? 0) - (a.liquidity_usd ?? 0) || compare(a.contract_address ?? '', b.contract_address ?? ''),
    )
  return of ? [{ value: of.price_usd ?? 0, weight: 1, of }] : []
}

/** Returns the price of a basis: the central mean of its sources to 8 significant digits; null if there are none. */
export function recompute({ sources }: { readonly sources: readonly Basis[] }): number | null {
  const mean = centralMean(sources.map(({ price_usd, weight }) => ({ value: price_usd, weight })))
  return Number.isNaN(mean) ? null : roundPrice(mean)
}
