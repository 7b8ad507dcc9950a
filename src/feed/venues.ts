import { group } from 'd3-array'
import type { SourceRow } from '../contract/collector.ts'
import { ExchangeId, type ExchangeRow } from '../contract/exchange.ts'
import type { Market } from '../contract/market.ts'
import { roundMoney, roundPercent } from '../contract/numbers.ts'
import { narrowestOf } from '../contract/rights.ts'
import { SourceStatus } from '../contract/words.ts'
import type { Listing } from './listing.ts'
import { marketOrder } from './market-rows.ts'

/** A market and the listing it belongs to. */
export type VenueMarket = Market & { readonly slug: string }

/** A venue with all its markets. */
export interface Venue {
  readonly row: ExchangeRow
  /** Health of the sources of its markets. */
  readonly sources: readonly SourceRow[]
  /** By volume, flagged ones last. */
  readonly markets: readonly VenueMarket[]
}

/** Returns the venues of the listings' markets and the exchanges that are asked, by id: largest volume first. */
export function venuesOf(listed: readonly Listing[], sources: readonly SourceRow[]): ReadonlyMap<string, Venue> {
  const markets = listed.flatMap(({ asset: { slug }, markets }) => markets.map((market) => ({ ...market, slug })))
  const byVenue = group(markets, ({ exchange_id }) => exchange_id)
  const exchanges = sources.filter(({ source_type }) => source_type === 'exchange')
  const ids = new Set([...exchanges.map(({ source_id }) => source_id), ...byVenue.keys()])
  const venues = [...ids]
    .filter((id) => ExchangeId.safeParse(id).success)
    .flatMap((id) => venueOf(id, byVenue.get(id) ?? [], sources) ?? [])
    .toSorted(({ row: a }, { row: b }) => byVolume(a, b))
  return new Map(venues.map((venue) => [venue.row.exchange_id, venue]))
}

const byVolume = (a: ExchangeRow, b: ExchangeRow): number =>
  (b.volume_24h_usd ?? -1) - (a.volume_24h_usd ?? -1) || (a.exchange_id < b.exchange_id ? -1 : 1)

const shareOf = (part: number, whole: number): number | null => (whole > 0 ? roundPercent((part / whole) * 100) : null)

function venueOf(id: string, markets: readonly VenueMarket[], all: readonly SourceRow[]): Venue | null {
  const own = all.filter(({ source_id }) => source_id === id)
  const labels = new Set(markets.map(({ source_label }) => source_label))
  const sources = own.length > 0 ? own : all.filter(({ source_label }) => labels.has(source_label))
  const rights = narrowestRights(sources)
  // A carried market may outlive its source in the list of sources; nothing is known of its rights then.
  if (rights === null) return null
  const [first] = markets
  const sound = markets.filter(({ is_stale, is_outlier }) => !is_stale && !is_outlier)
  const volumes = sound.flatMap(({ volume_24h_usd }) => volume_24h_usd ?? [])
  const used = sound.flatMap(({ used_in_price, volume_24h_usd }) => (used_in_price ? (volume_24h_usd ?? []) : []))
  const volume = sumOf(volumes)
  return {
    row: {
      exchange_id: id,
      exchange_name: first?.exchange_name ?? sources[0]?.source_label ?? id,
      exchange_type: first?.exchange_type ?? 'cex',
      status: worstOf(sources),
      market_count: markets.length,
      asset_count: new Set(markets.map(({ slug }) => slug)).size,
      volume_24h_usd: volumes.length === 0 ? null : roundMoney(volume),
      used_volume_percent: shareOf(sumOf(used), volume),
      outlier_percent: shareOf(markets.filter(({ is_outlier }) => is_outlier).length, markets.length),
      source_ids: sources.map(({ source_id }) => source_id),
      rights,
    },
    sources,
    markets: markets.toSorted((a, b) => marketOrder(a, b) || (a.slug < b.slug ? -1 : 1)),
  }
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

function narrowestRights(sources: readonly SourceRow[]): SourceRow['rights'] | null {
  const narrowest = narrowestOf(sources.map(({ rights }) => rights.class))
  return sources.find(({ rights }) => rights.class === narrowest)?.rights ?? null
}

const worstOf = (sources: readonly SourceRow[]): SourceStatus =>
  SourceStatus.options.findLast((one) => sources.some(({ status }) => status === one)) ?? 'down'
