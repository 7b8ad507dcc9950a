import { type ChangeBasis, NO_BASIS } from '../contract/asset.ts'
import type { Market } from '../contract/market.ts'
import { hoursSince, HOUR_MS } from '../contract/time.ts'
import type { Quote } from '../sources/source.ts'
import { distrustedPrice } from './aggregator-audit.ts'
import { carriedPrice, withFrozen } from './carry.ts'
import { type PastPrice, changeBasis, isDollarQuoted } from './change.ts'
import { fragilityOf } from './confidence.ts'
import { type ContractOpinion, countedByContract, type DatedOpinion } from './expectations.ts'
import { STALENESS } from './freshness.ts'
import type { Identity } from './identify.ts'
import type { Listing } from './listing.ts'
import { marketOrder, qualityOf } from './market-rows.ts'
import { type Parts, assetOf } from './merge.ts'
import {
  type Evidence,
  type Opinion,
  PREVIOUS,
  PRICE,
  type PublishedPrice,
  type RateDependence,
  centralPrice,
  decide,
  price,
  venueWitnesses,
} from './price.ts'
import { quarantineOf } from './quarantine.ts'
import { implausibleVolumes } from './weights.ts'

/** Inputs of one listing, and the evidence of its price. */
interface PriceParts extends Parts {
  /** Its markets, those of this run first. */
  readonly rows: readonly Market[]
  /** The quotes of this run, in the order of their rows. */
  readonly quotes: readonly Quote[]
  /** Of aggregators. */
  readonly opinions: readonly DatedOpinion[]
  readonly byContract: readonly ContractOpinion[]
  /** Venues and aggregators whose prices are not believed in this run. */
  readonly distrusted: ReadonlySet<string>
  readonly rates: RateDependence
  /** Our own price about a day ago; null where history does not reach that far. */
  readonly dayAgo: PastPrice | null
  /** The oldest published price of the last day; null where there is none. */
  readonly priceDayAgo: () => number | null
}

/** Returns one listing: its markets, marked and in order, the price computed from them, and everything that sources report. */
export function buildListing(identity: Identity, parts: PriceParts): Listing {
  const { now } = parts.hearing
  const markets = withFrozen(parts.rows, now)
  const isBelieved = ({ source_id }: DatedOpinion) => !parts.distrusted.has(source_id)
  const believed = parts.opinions.filter(isBelieved)
  const opinions = opinionsIn(identity, believed, parts, markets)
  const aggregators = opinions.map(({ source_id, pair, price_usd }) => ({ source_id, pair, price_usd }))
  const offeredBy: Evidence = {
    markets,
    aggregators,
    distrusted: parts.distrusted,
    last: lastPrice(identity, now),
    rates: parts.rates,
  }
  const made = price(offeredBy)
  const { price_usd, basis, outliers, venues, last } = made
  // As a reader knows it: the last price is published where it was heard.
  const evidence = { ...offeredBy, last }
  const fragility_bp = fragilityOf(evidence, undefined, made)
  const offered = { price_usd, basis: { ...basis, fragility_bp } }
  const quarantine =
    price_usd === null && believed.length === 0
      ? distrustedPrice(identity, parts.opinions, now)
      : quarantineOf(identity, offered, { evidence, priceDayAgo: parts.priceDayAgo }, now)
  const priced = carriedPrice(identity, quarantine ? UNPRICED : offered, parts.hearing)
  const marked = markedMarkets(markets, outliers, priced)
  const change = changeBasis(
    priced.basis.method === 'carried' ? null : priced.price_usd,
    parts.dayAgo,
    changeWitnesses(identity, parts, markets, outliers),
  )
  const asset = assetOf(identity, parts, {
    markets: marked,
    evidence,
    venues,
    priced,
    pricedAt: pricedAt(identity, priced, opinions, now),
    quarantine,
    change,
  })
  return { asset, markets: marked }
}

/** The last published price as a witness, while it is young enough to be carried. */
function lastPrice({ before }: Identity, now: number): Opinion | null {
  const { symbol = '', price_usd = null, last_updated = null } = before?.asset ?? {}
  if (price_usd === null || last_updated === null || hoursSince(last_updated, now) > STALENESS.carry_hours) return null
  return { source_id: PREVIOUS, pair: `${symbol.toUpperCase()}/USD`, price_usd }
}

/** The opinions of aggregators, and after them those by contract that count. */
function opinionsIn(
  { sighted, before }: Identity,
  opinions: readonly DatedOpinion[],
  { byContract, distrusted }: PriceParts,
  markets: readonly Market[],
): readonly DatedOpinion[] {
  if (byContract.length === 0) return opinions
  const symbol = (sighted[0]?.sighting.symbol ?? before?.asset.symbol ?? '').toUpperCase()
  const offered = byContract.map((opinion) => ({ ...opinion, pair: `${symbol}/USD` }))
  const venuePrice = () => {
    const venues = venueWitnesses({ markets, aggregators: [], distrusted })
    return venues.length < PRICE.quorum ? null : centralPrice(decide(venues, []))
  }
  return [...opinions, ...countedByContract(offered, opinions, venuePrice)]
}

const UNPRICED: PublishedPrice = {
  price_usd: null,
  basis: NO_BASIS,
}

/** Returns the markets in order, each marked by comparison with the others and with the published price. */
function markedMarkets(
  markets: readonly Market[],
  outliers: ReadonlySet<Market>,
  { basis: { method, sources } }: PublishedPrice,
): Market[] {
  const used = method === 'aggregators' || method === 'carried' ? [] : sources
  const marked = markets.map((market) => {
    const source = used.find(
      ({ source_id, pair, price_usd }) =>
        source_id === market.exchange_id && price_usd === market.price_usd && pair === market.pair,
    )
    const is_outlier = outliers.has(market)
    return { ...market, is_outlier, used_in_price: source !== undefined, weight: source?.weight ?? null }
  })
  const implausible = implausibleVolumes(marked)
  for (const market of marked) Object.assign(market, qualityOf(market, implausible.has(market.exchange_id)))
  return marked.toSorted(marketOrder)
}

/** Time of the price. An unchanged price is reported at most once an hour, to avoid rewriting its document. */
function pricedAt(
  { before }: Identity,
  { price_usd, basis }: PublishedPrice,
  opinions: readonly DatedOpinion[],
  now: number,
): number | null {
  if (price_usd === null) return null
  const last = before?.asset.price_usd === price_usd ? Date.parse(before.asset.last_updated ?? '') : Number.NaN
  if (basis.method === 'carried') return last
  const heard = opinions.filter(({ source_id }) => basis.sources.some((source) => source.source_id === source_id))
  const at = basis.method === 'aggregators' ? Math.max(...heard.map(({ at }) => at ?? now)) : now
  return at - last < HOUR_MS ? last : at
}

type ChangeWitness = ChangeBasis['sources'][number]

/**
 * The change of 24 hours of each aggregator, and of each venue on its busiest market quoted in dollars.
 *
 * @param markets those of the quotes first, in their order
 */
function changeWitnesses(
  { sighted }: Identity,
  { quotes, hearing: { now } }: PriceParts,
  markets: readonly Market[],
  outliers: ReadonlySet<Market>,
): ChangeWitness[] {
  const witnesses: ChangeWitness[] = []
  for (const { source, sighting } of sighted) {
    const { symbol, percent_change_24h, at } = sighting
    const isOld = at !== null && now - at > STALENESS.market_hours * HOUR_MS
    if (percent_change_24h !== null && !isOld)
      witnesses.push({ source_id: source.id, pair: `${symbol.toUpperCase()}/USD`, percent_change_24h })
  }
  const busiest = new Map<string, { readonly market: Market; readonly percent_change_24h: number }>()
  for (const [index, { percent_change_24h }] of quotes.entries()) {
    const market = markets[index]
    if (!market || percent_change_24h === null || !isDollarQuoted(market)) continue
    if (market.is_stale || outliers.has(market)) continue
    const known = busiest.get(market.exchange_id)
    if (!known || marketOrder(market, known.market) < 0) busiest.set(market.exchange_id, { market, percent_change_24h })
  }
  for (const [source_id, { market, percent_change_24h }] of busiest)
    witnesses.push({ source_id, pair: market.pair, percent_change_24h })
  return witnesses
}
