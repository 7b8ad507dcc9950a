import type { Market } from '../contract/market.ts'
import { roundPercent } from '../contract/numbers.ts'
import type { QuarantineRow } from '../contract/quarantine.ts'
import type { Registry } from '../registry/registry.ts'
import type { Profile } from '../sources/source.ts'
import { carriedPrice } from './carry.ts'
import type { DatedOpinion } from './expectations.ts'
import type { Identity } from './identify.ts'
import type { Listing } from './listing.ts'
import { marketOrder } from './market-rows.ts'
import { assetOf } from './merge.ts'
import { type Priced, outliersOf, price } from './price.ts'
import { quarantineOf } from './quarantine.ts'
import { qualityOf } from './quality.ts'
import type { Matched } from './quotes.ts'
import { sum } from './statistics.ts'

/** What one listing is built from. */
export interface Parts {
  readonly rows: readonly Market[]
  readonly quotes: readonly Matched[]
  readonly opinions: readonly DatedOpinion[]
  readonly profiles: readonly Profile[]
  readonly lastSeen: string | null
  /** When a source last told of the listing, as published. */
  readonly heardAt: string | null
  /** The quarantine that was published for it. */
  readonly quarantined: QuarantineRow | undefined
  /** The oldest published price of the last day; null where there is none. */
  readonly priceDayAgo: () => number | null
}

/** One listing: its markets judged and in order, its price made from them, and everything told of it. */
export function buildListing(
  identity: Identity,
  parts: Parts,
  registry: Registry,
  now: number,
): { readonly listing: Listing; readonly quarantine: QuarantineRow | null } {
  const judged = judge(parts.rows)
  const opinions = parts.opinions.map(({ source_id, pair, price_usd }) => ({ source_id, pair, price_usd }))
  const offered = price(judged, opinions)
  const said = { markets: judged, opinions, priceDayAgo: parts.priceDayAgo }
  const quarantine = quarantineOf(identity, offered, said, parts.quarantined, now)
  const { carried, ...priced } = carriedPrice(identity, quarantine ? UNPRICED : offered, now)
  const markets = carried ? judged : judged.map((market) => weighed(market, priced))
  const asset = assetOf(
    identity,
    {
      markets,
      priced,
      pricedAt: pricedAt(identity, priced, parts.opinions, now),
      profiles: parts.profiles,
      lastSeen: parts.lastSeen,
      heardAt: parts.heardAt,
      venueChange: venueChange(priced, parts.quotes),
    },
    registry,
    now,
  )
  return { listing: { asset, markets }, quarantine }
}

const UNPRICED: Priced = { price_usd: null, basis: { method: 'none', sources: [], excluded: [] } }

function judge(rows: readonly Market[]): Market[] {
  const outliers = outliersOf(rows)
  return rows
    .map((market) => {
      if (!outliers.has(market)) return market
      const outlier = { ...market, is_outlier: true }
      return { ...outlier, ...qualityOf(outlier) }
    })
    .toSorted(marketOrder)
}

function weighed(market: Market, { basis }: Priced): Market {
  const source = basis.sources.find(({ source_id, pair }) => source_id === market.exchange_id && pair === market.pair)
  const own = source && basis.method !== 'aggregators' && source.price_usd === market.price_usd
  return own ? { ...market, used_in_price: true, weight: source.weight } : market
}

/** When the price was true. One that stands still says so anew every hour at the most, so that its document rests. */
function pricedAt(
  { before }: Identity,
  { price_usd, basis }: Priced,
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

/** Change of 24 hours as the venues in the price saw it, by their weights. */
function venueChange({ basis }: Priced, quotes: readonly Matched[]): number | null {
  const changes = basis.sources.flatMap(({ source_id, pair, weight }) => {
    const quote = quotes.find(({ market }) => market.exchange_id === source_id && market.pair === pair)?.quote
    return quote?.percent_change_24h ? [{ weight, change: quote.percent_change_24h }] : []
  })
  const total = sum(changes.map(({ weight }) => weight))
  return total === 0 ? null : roundPercent(sum(changes.map(({ weight, change }) => weight * change)) / total)
}
