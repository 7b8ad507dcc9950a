import type { Market } from '../contract/market.ts'
import type { QuarantineRow } from '../contract/quarantine.ts'
import type { Registry } from '../registry/registry.ts'
import type { Profile } from '../sources/source.ts'
import { carriedPrice, withFrozen } from './carry.ts'
import { type DayAgo, changeBasis, isDollarQuoted } from './change.ts'
import type { DatedOpinion } from './expectations.ts'
import { FRAGILITY, fragilitiesOf } from './fragility.ts'
import type { Identity } from './identify.ts'
import type { Listing } from './listing.ts'
import { marketOrder } from './market-rows.ts'
import { assetOf } from './merge.ts'
import { type Evidence, type PublishedPrice, price } from './price.ts'
import { quarantineOf } from './quarantine.ts'
import { qualityOf } from './quality.ts'
import type { Matched } from './quotes.ts'
import { implausibleVolumes } from './volume.ts'

/** What one listing is built from. */
export interface Parts {
  readonly rows: readonly Market[]
  readonly quotes: readonly Matched[]
  readonly opinions: readonly DatedOpinion[]
  readonly distrusted: ReadonlySet<string>
  readonly profiles: readonly Profile[]
  readonly lastSeen: string | null
  /** When a source last told of the listing, as published. */
  readonly heardAt: string | null
  /** When it was first listed, if not before this run; null if that is lost. */
  readonly firstListed: string | null
  /** Our own price about a day ago; null where history does not reach that far. */
  readonly dayAgo: DayAgo | null
  /** The quarantine that was published for it. */
  readonly quarantined: QuarantineRow | undefined
  /** The oldest published price of the last day; null where there is none. */
  readonly priceDayAgo: () => number | null
}

/** One listing: its markets marked and in order, its price made from them, and everything told of it. */
export function buildListing(
  identity: Identity,
  parts: Parts,
  registry: Registry,
  now: number,
): { readonly listing: Listing; readonly quarantine: QuarantineRow | null } {
  const aggregators = parts.opinions.map(({ source_id, pair, price_usd }) => ({ source_id, pair, price_usd }))
  const evidence: Evidence = { markets: withFrozen(parts.rows, now), aggregators, distrusted: parts.distrusted }
  const { price_usd, basis, outliers, venues } = price(evidence)
  const [fragility_bp = null] = fragilitiesOf(evidence, [FRAGILITY.lie_percent], venues) ?? []
  const offered = { price_usd, basis: { ...basis, fragility_bp } }
  const marked = markedMarkets(evidence.markets, outliers)
  const said = { markets: marked, opinions: aggregators, priceDayAgo: parts.priceDayAgo }
  const quarantine = quarantineOf(identity, offered, said, parts.quarantined, now)
  const priced = carriedPrice(identity, quarantine ? UNPRICED : offered, now)
  const markets = priced.basis.method === 'carried' ? marked : withWeights(marked, priced)
  const asset = assetOf(
    identity,
    {
      markets,
      evidence,
      venues,
      priced,
      pricedAt: pricedAt(identity, priced, parts.opinions, now),
      profiles: parts.profiles,
      lastSeen: parts.lastSeen,
      heardAt: parts.heardAt,
      firstListed: parts.firstListed,
      change: changeBasis(
        priced.basis.method === 'carried' ? null : priced.price_usd,
        parts.dayAgo,
        changeWitnesses(identity, parts, markets),
      ),
    },
    registry,
    now,
  )
  return { listing: { asset, markets }, quarantine }
}

const UNPRICED: PublishedPrice = {
  price_usd: null,
  basis: { method: 'none', sources: [], excluded: [], low_confidence_reason: null, fragility_bp: null },
}

/** The markets in order, with what the comparison of them shows. */
export function markedMarkets(markets: readonly Market[], outliers: ReadonlySet<Market>): Market[] {
  const marked = markets.map((market) => ({ ...market, is_outlier: outliers.has(market) }))
  const implausible = implausibleVolumes(marked)
  return marked
    .map((market) => {
      const { quality, quality_score, quality_reasons } = qualityOf(market, implausible.has(market.exchange_id))
      return { ...market, quality, quality_score, quality_reasons }
    })
    .toSorted(marketOrder)
}

function withWeights(markets: readonly Market[], { basis }: PublishedPrice): readonly Market[] {
  if (basis.method === 'aggregators') return markets
  const sources = new Map(basis.sources.map((source) => [`${source.source_id} ${source.pair}`, source]))
  return markets.map((market) => {
    const source = sources.get(`${market.exchange_id} ${market.pair}`)
    const own = source && source.price_usd === market.price_usd
    return own ? { ...market, used_in_price: true, weight: source.weight } : market
  })
}

/** When the price was true. One that stands still says so anew every hour at the most, so that its document rests. */
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
  return at - last < 3_600_000 ? last : at
}

/** What each aggregator and each venue says of the change of 24 hours. */
function changeWitnesses({ sighted }: Identity, { quotes }: Parts, markets: readonly Market[]) {
  const told = sighted.flatMap(({ source, sighting: { symbol, percent_change_24h } }) =>
    percent_change_24h === null
      ? []
      : [{ source_id: source.id, pair: `${symbol.toUpperCase()}/USD`, percent_change_24h }],
  )
  const changes = new Map(
    quotes.flatMap(({ market, quote: { percent_change_24h } }) =>
      percent_change_24h !== null && isDollarQuoted(market)
        ? [[`${market.exchange_id} ${market.pair}`, percent_change_24h] as const]
        : [],
    ),
  )
  // Markets come with the most volume first, so the first of a venue is its busiest.
  const venues = new Map<string, { source_id: string; pair: string; percent_change_24h: number }>()
  for (const market of markets) {
    if (market.is_stale || market.is_outlier || !isDollarQuoted(market) || venues.has(market.exchange_id)) continue
    const change = changes.get(`${market.exchange_id} ${market.pair}`)
    if (change !== undefined)
      venues.set(market.exchange_id, { source_id: market.exchange_id, pair: market.pair, percent_change_24h: change })
  }
  return [...told, ...venues.values()]
}
