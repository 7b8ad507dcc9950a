import { type Asset, NO_BASIS, NO_CHANGE, type SupplyBasis } from '../contract/asset.ts'
import type { ReferenceRate, SourceRow } from '../contract/collector.ts'
import type { DexPair } from '../contract/ecosystem.ts'
import { type Market, marketKey } from '../contract/market.ts'
import { roundShare } from '../contract/numbers.ts'
import { type Ms, hoursSince } from '../contract/time.ts'
import { LIMITS } from './methodology.ts'
import { recompute } from './price.ts'
import { sum } from './statistics.ts'

/** The source of listings that no aggregator names: its id in `external_ids`, and its label. */
export const EXCHANGES = 'exchanges'

/** One asset with its markets, exactly as published, so that a run reads back what the last one knew. */
export interface Listing {
  readonly asset: Asset
  readonly markets: readonly Market[]
}

export interface Previous {
  readonly listings: ReadonlyMap<string, Listing>
  readonly sources: ReadonlyMap<string, SourceRow>
  readonly rates: ReadonlyMap<string, ReferenceRate>
  readonly pairs: readonly DexPair[]
}

export const NOTHING_BEFORE: Previous = { listings: new Map(), sources: new Map(), rates: new Map(), pairs: [] }

/** The last published price and its age, while it is young enough to be carried; otherwise null. */
export function youngPrice(listing: Listing | null, now: Ms) {
  const { price_usd = null, last_updated = null } = listing?.asset ?? {}
  if (price_usd === null || last_updated === null) return null
  const ageHours = hoursSince(last_updated, now)
  return ageHours > LIMITS.carry_hours ? null : { price_usd, ageHours }
}

/**
 * Returns the last publication without what came from sources that are no longer configured: their rows, markets, pools
 * and figures, and the rates measured with them. A price keeps its other sources. Ids and texts stay, because they name the
 * asset.
 *
 * @param configured ids of the sources of the feed, those that are not asked in this run too
 */
export function withoutRemoved(previous: Previous, configured: ReadonlySet<string>): Previous {
  const removed = [...previous.sources.values()].filter(({ source_id }) => !configured.has(source_id))
  if (removed.length === 0) return previous
  const ids = new Set(removed.map(({ source_id }) => source_id))
  const labels = new Set(removed.map(({ source_label }) => source_label))
  return {
    ...previous,
    sources: new Map([...previous.sources].filter(([id]) => configured.has(id))),
    rates: new Map([...previous.rates].filter(([, { inputs }]) => !inputs.some(({ source_id }) => ids.has(source_id)))),
    pairs: previous.pairs.filter(({ source_label }) => !labels.has(source_label)),
    listings: new Map([...previous.listings].map(([slug, listing]) => [slug, listingWithout(listing, ids, labels)])),
  }
}

function listingWithout({ asset, markets }: Listing, ids: ReadonlySet<string>, labels: ReadonlySet<string>): Listing {
  const lost = markets.filter(({ source_label }) => labels.has(source_label))
  const names = new Set(lost.map(marketKey))
  const isLost = ({ witnesses }: SupplyBasis) => witnesses.some(({ source_id }) => ids.has(source_id))
  const supplies = Object.entries(asset.supply_basis).filter(([, basis]) => !isLost(basis))
  return {
    asset: {
      ...figuresWithout(asset, ids, lost.length > 0),
      ...priceWithout(asset, ids, names),
      supply_basis: Object.fromEntries(supplies),
      held: asset.held.filter(({ source_ids }) => source_ids.length === 0 || !source_ids.every((id) => ids.has(id))),
    },
    markets: markets.filter((market) => !names.has(marketKey(market))),
  }
}

function figuresWithout(asset: Asset, ids: ReadonlySet<string>, hasLostMarkets: boolean): Asset {
  const names = new Set(Object.entries(asset.told_by).flatMap(([source, own]) => (ids.has(source) ? own : [])))
  const isChangeLost = asset.change_basis.sources.some(({ source_id }) => ids.has(source_id))
  if (isChangeLost) names.add('percent_change_24h')
  const isVolumeReported = Object.values(asset.told_by).some((own) => own.includes('volume_24h_usd'))
  if (hasLostMarkets && !isVolumeReported) names.add('volume_24h_usd')
  if (names.size === 0) return asset
  const carried = Object.entries(asset.carried ?? {}).filter(([name]) => !names.has(name))
  return {
    ...asset,
    ...Object.fromEntries([...names].map((name) => [name, null])),
    ...(isChangeLost ? { change_basis: NO_CHANGE } : {}),
    told_by: Object.fromEntries(Object.entries(asset.told_by).filter(([source]) => !ids.has(source))),
    carried: carried.length === 0 ? null : Object.fromEntries(carried),
  }
}

function priceWithout(asset: Asset, ids: ReadonlySet<string>, markets: ReadonlySet<string>) {
  const { price_usd, price_basis, last_updated } = asset
  const isRemoved = ({ source_id, pair }: { readonly source_id: string; readonly pair: string }) =>
    ids.has(source_id) || markets.has(`${source_id} ${pair}`)
  const excluded = price_basis.excluded.filter((input) => !isRemoved(input))
  const left = price_basis.sources.filter((input) => !isRemoved(input))
  if (left.length === price_basis.sources.length)
    return { price_usd, last_updated, price_basis: { ...price_basis, excluded } }
  if (left.length === 0) return { price_usd: null, last_updated: null, price_basis: NO_BASIS }
  const total = sum(left.map(({ weight }) => weight))
  const sources = left.map((source) => ({ ...source, weight: roundShare(source.weight / total) }))
  return { price_usd: recompute({ sources }), last_updated, price_basis: { ...price_basis, excluded, sources } }
}
