import type { SourceRow } from '../contract/collector.ts'
import type { Market } from '../contract/market.ts'
import { roundMoney, roundPercent } from '../contract/numbers.ts'
import { compare, groupBy } from '../contract/order.ts'
import { narrowestOf } from '../contract/rights.ts'
import { ExchangeId } from '../contract/whole-market.ts'
import { SourceStatus } from '../contract/words.ts'
import type { Listing } from './listing.ts'
import { marketOrder } from './market-rows.ts'
import { LIMITS } from './methodology.ts'
import { sum } from './statistics.ts'

interface VenueMarket {
  readonly slug: string
  readonly market: Market
}

/** A venue with all its markets, by volume and flagged ones last, and the sources of them. */
export type Venue = NonNullable<ReturnType<typeof venueOf>>

/** Returns the venues of the listings' markets and the exchanges that are asked, by id: largest volume first. */
export function venuesOf(listed: readonly Listing[], sources: readonly SourceRow[]): ReadonlyMap<string, Venue> {
  const byVenue = marketsByVenue(listed)
  const needed = neededWitnesses(listed)
  const exchanges = sources.filter(({ source_type }) => source_type === 'exchange')
  const ids = new Set([...exchanges.map(({ source_id }) => source_id), ...byVenue.keys()])
  const venues = [...ids]
    .filter((id) => ExchangeId.safeParse(id).success)
    .flatMap((id) => venueOf(id, byVenue.get(id) ?? [], sources, needed.get(id) ?? 0) ?? [])
    .toSorted(
      ({ row: a }, { row: b }) =>
        (b.volume_24h_usd ?? -1) - (a.volume_24h_usd ?? -1) || compare(a.exchange_id, b.exchange_id),
    )
  return new Map(venues.map((venue) => [venue.row.exchange_id, venue]))
}

/** The markets of listings by `exchange_id`. */
export const marketsByVenue = (listings: readonly Listing[]): ReadonlyMap<string, readonly VenueMarket[]> =>
  groupBy(
    listings.flatMap(({ asset: { slug }, markets }) => markets.map((market) => ({ slug, market }))),
    ({ market }) => market.exchange_id,
  )

/** For how many listings each venue is a needed witness: no more venues than the quorum make their price, it among them. */
export function neededWitnesses(listings: readonly Listing[]): ReadonlyMap<string, number> {
  const needed = new Map<string, number>()
  for (const { asset } of listings) {
    const { method, sources } = asset.price_basis
    const venues = new Set(sources.map(({ source_id }) => source_id))
    if (method !== 'exchanges' || venues.size > LIMITS.quorum) continue
    for (const venue of venues) needed.set(venue, (needed.get(venue) ?? 0) + 1)
  }
  return needed
}

const shareOf = (part: number, whole: number): number | null => (whole > 0 ? roundPercent((part / whole) * 100) : null)

function venueOf(id: string, markets: readonly VenueMarket[], all: readonly SourceRow[], needed_count: number) {
  const own = all.filter(({ source_id }) => source_id === id)
  const labels = new Set(markets.map(({ market }) => market.source_label))
  const sources = own.length > 0 ? own : all.filter(({ source_label }) => labels.has(source_label))
  const narrowest = narrowestOf(sources.map(({ rights }) => rights.class))
  const rights = sources.find((row) => row.rights.class === narrowest)?.rights
  // A carried market may outlive its source in the list of sources; nothing is known of its rights then.
  if (rights === undefined) return null
  const first = markets[0]?.market
  const counted = markets.filter(
    ({ market }) => !market.is_stale && !market.is_outlier && market.volume_24h_usd !== null,
  )
  const volume = volumeOf(counted)
  return {
    row: {
      exchange_id: id,
      exchange_name: first?.exchange_name ?? sources[0]?.source_label ?? id,
      exchange_type: first?.exchange_type ?? 'cex',
      status: worstOf(sources),
      market_count: markets.length,
      asset_count: new Set(markets.map(({ slug }) => slug)).size,
      volume_24h_usd: counted.length === 0 ? null : roundMoney(volume),
      used_volume_percent: shareOf(volumeOf(counted.filter(({ market }) => market.used_in_price)), volume),
      outlier_percent: shareOf(markets.filter(({ market }) => market.is_outlier).length, markets.length),
      needed_count,
      source_ids: sources.map(({ source_id }) => source_id),
      rights,
    },
    sources,
    markets: markets.toSorted((a, b) => marketOrder(a.market, b.market) || compare(a.slug, b.slug)),
  }
}

const volumeOf = (markets: readonly VenueMarket[]): number =>
  sum(markets.map(({ market }) => market.volume_24h_usd ?? 0))

const worstOf = (sources: readonly SourceRow[]): SourceStatus =>
  SourceStatus.options.findLast((one) => sources.some(({ status }) => status === one)) ?? 'down'
