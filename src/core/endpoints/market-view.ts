import type { Asset } from '../contract/asset.ts'
import type { SourceRow } from '../contract/collector.ts'
import { ExchangeId } from '../contract/identity.ts'
import type { Market } from '../contract/market.ts'
import { slugOf } from '../contract/names.ts'
import { roundMoney, roundPercent } from '../contract/numbers.ts'
import { compare } from '../contract/order.ts'
import { narrowestOf } from '../contract/rights.ts'
import { type Ms, hoursSince, isoOf } from '../contract/time.ts'
import { SourceStatus } from '../contract/words.ts'
import { venueMarkets } from '../feed/feed.ts'
import { staleMsOf } from '../feed/freshness.ts'
import { healthFrom, healthOf } from '../feed/health.ts'
import type { Listing } from '../feed/listing.ts'
import { marketOrder } from '../feed/market-rows.ts'
import { LIMITS } from '../feed/methodology.ts'
import { byRank } from '../feed/rank.ts'
import type { Snapshot } from '../feed/snapshot.ts'
import { sum } from '../feed/statistics.ts'
import type { SiteRow } from '../history/rows.ts'

/** Returns what several documents are composed of and no run needs: venues, movers, the ecosystem, and the health of each. */
export function marketView(snapshot: Snapshot, members: SiteRow['members'], cadence: Ms) {
  const { at, listings, bySlug, listed, sources, pairs } = snapshot
  const assets = listed.map(({ asset }) => asset)
  const now = Date.parse(at)
  const ofType = (...types: SourceRow['source_type'][]) =>
    sources.filter(({ source_type }) => types.includes(source_type))
  return {
    venues: venuesOf(listed, sources),
    ...moversOf(assets, now),
    ...ecosystemOf(members, bySlug),
    coverage: coverageOf(listed),
    freshness: {
      collectedAt: at,
      oldestValueAt: assets.flatMap(({ last_updated }) => last_updated ?? []).toSorted()[0] ?? null,
      staleAfter: isoOf(now + staleMsOf(cadence)),
      carriedForward: assets.filter(({ price_basis }) => price_basis.method === 'carried').length,
    },
    health: healthFrom(
      ofType('aggregator', 'exchange'),
      assets.some(({ price_usd }) => price_usd !== null),
    ),
    /** Of the ecosystem's rows and of the pools. */
    dexHealth: healthFrom(ofType('dex'), pairs.length > 0),
    healthOf: healthOf(listings, sources),
  }
}

function ecosystemOf(members: SiteRow['members'], bySlug: ReadonlyMap<string, Listing>) {
  const ecosystem = members.flatMap(({ slug, role, protocol }) => {
    const listing = bySlug.get(slug)
    return listing ? [{ ...listing.asset, role, protocol }] : []
  })
  const having = (status: Asset['verification_status']) =>
    ecosystem.filter(({ verification_status }) => verification_status === status).length
  const counts = { verified: having('verified'), unverified: having('unverified'), pending: having('pending') }
  const with_price = ecosystem.filter(({ price_usd }) => price_usd !== null).length
  return { ecosystem, registryCounts: { assets: ecosystem.length, ...counts, flagged: having('flagged'), with_price } }
}

function coverageOf(listed: readonly Listing[]) {
  const priced = listed.filter(({ asset }) => asset.price_usd !== null).length
  return {
    listings: listed.length,
    priced,
    priced_percent: listed.length === 0 ? 0 : roundPercent((priced / listed.length) * 100),
    with_two_sources: listed.filter(
      ({ asset, markets }) =>
        Object.keys(asset.external_ids).length + new Set(markets.map(({ exchange_id }) => exchange_id)).size >= 2,
    ).length,
  }
}

/** Whether the change of a listing is one of the last 24 hours, in a market that trades. */
function isMoving(asset: Asset, now: Ms): boolean {
  const { price_basis, change_basis, last_updated, volume_24h_usd, market_cap_usd, carried } = asset
  const isCarried = price_basis.method === 'carried' || change_basis.method === 'carried'
  if (isCarried || carried?.['volume_24h_usd'] !== undefined || last_updated === null) return false
  if (hoursSince(last_updated, now) > LIMITS.live_hours) return false
  return (volume_24h_usd ?? 0) >= Math.max(LIMITS.movers_volume_usd, (market_cap_usd ?? 0) * LIMITS.movers_turnover)
}

export function moversOf(assets: readonly Asset[], now: Ms) {
  const moving = assets.filter((asset) => {
    const { listing_status, verification_status, market_flag, tags } = asset
    if (tags.some((tag) => /stable-?coin/.test(slugOf(tag)))) return false
    const isShown = listing_status === 'active' && verification_status !== 'flagged' && market_flag === null
    return isShown && isMoving(asset, now)
  })
  const change = ({ percent_change_24h }: Asset) => percent_change_24h ?? 0
  return {
    gainers: moving.filter((asset) => change(asset) > 0).toSorted((a, b) => change(b) - change(a) || byRank(a, b)),
    losers: moving.filter((asset) => change(asset) < 0).toSorted((a, b) => change(a) - change(b) || byRank(a, b)),
    trending: assets
      .filter((asset) => asset.verification_status === 'verified' && asset.market_cap_rank !== null)
      .toSorted((a, b) => (b.market_cap_usd ?? 0) - (a.market_cap_usd ?? 0) || byRank(a, b)),
  }
}

/** Returns the venues of the listings' markets and the exchanges that are asked, by id: largest volume first. */
export function venuesOf(listed: readonly Listing[], sources: readonly SourceRow[]) {
  const seen = venueMarkets(listed)
  const asked = sources.flatMap(({ source_id, source_type }) => (source_type === 'exchange' ? source_id : []))
  const traded = listed.flatMap(({ markets }) => markets.map(({ exchange_id }) => exchange_id))
  const venues = [...new Set([...asked, ...traded])]
    .filter((id) => ExchangeId.safeParse(id).success)
    .flatMap((id) => venueOf(id, seen(id), sources) ?? [])
    .toSorted(
      ({ row: a }, { row: b }) =>
        (b.volume_24h_usd ?? -1) - (a.volume_24h_usd ?? -1) || compare(a.exchange_id, b.exchange_id),
    )
  return new Map(venues.map((venue) => [venue.row.exchange_id, venue]))
}

const shareOf = (part: number, whole: number): number | null => (whole > 0 ? roundPercent((part / whole) * 100) : null)

function venueOf(id: string, seen: ReturnType<ReturnType<typeof venueMarkets>>, all: readonly SourceRow[]) {
  const { market_count, asset_count, needed_count, outlier_count } = seen.counts
  const { markets } = seen
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
      status: SourceStatus.options.findLast((one) => sources.some(({ status }) => status === one)) ?? 'down',
      market_count,
      asset_count,
      volume_24h_usd: counted.length === 0 ? null : roundMoney(volume),
      used_volume_percent: shareOf(volumeOf(counted.filter(({ market }) => market.used_in_price)), volume),
      outlier_percent: shareOf(outlier_count, market_count),
      needed_count,
      source_ids: sources.map(({ source_id }) => source_id),
      rights,
    },
    sources,
    markets: markets.toSorted((a, b) => marketOrder(a.market, b.market) || compare(a.slug, b.slug)),
  }
}

const volumeOf = (markets: readonly { readonly market: Market }[]): number =>
  sum(markets.map(({ market }) => market.volume_24h_usd ?? 0))
