import type { Asset, MarketFlag } from '../contract/asset.ts'
import type { SourceRow } from '../contract/collector.ts'
import type { Market } from '../contract/market.ts'
import { compare } from '../contract/order.ts'
import { hoursSince } from '../contract/time.ts'
import { EXCHANGES } from './listing.ts'
import { slugOf } from '../contract/names.ts'
import { LIMITS } from './methodology.ts'

/** Categories and names of wrapped, staked and bridged forms of another asset. */
const CATEGORIES =
  /^(wrapped|bridged)(-|$)|^liquid-(re)?staked-|^liquid-(re)?staking-tokens?$|^tokenized-(btc|bitcoin|eth)|^rehypothecated/
const NAMES = /(^|[^a-z])(wrapped|staked|restaked|bridged|binance-peg)([^a-z]|$)/i

function isWrapped({ name, tags }: Pick<Asset, 'name' | 'tags'>): boolean {
  return tags.length > 0 ? tags.some((tag) => CATEGORIES.test(slugOf(tag))) : NAMES.test(name)
}

export interface Heard {
  readonly aggregators: number
  readonly exchanges: number
}

/** Returns how many of these sources ever answered. */
export function heardAmong(sources: Iterable<Pick<SourceRow, 'source_type' | 'last_success'>>): Heard {
  const types = [...sources].flatMap(({ source_type, last_success }) => (last_success === null ? [] : source_type))
  const count = (type: SourceRow['source_type']) => types.filter((one) => one === type).length
  return { aggregators: count('aggregator'), exchanges: count('exchange') }
}

/** What the listing lacks to be ranked; null where it lacks nothing. */
export function marketFlagOf(asset: Asset, markets: readonly Market[], heard: Heard): MarketFlag | null {
  if (isWrapped(asset)) return 'wrapped'
  const { external_ids, market_cap_usd: cap, volume_24h_usd: volume } = asset
  const venues = markets.flatMap(({ exchange_id, is_outlier }) => (is_outlier ? [] : [exchange_id]))
  const aggregators = Object.keys(external_ids).filter((id) => id !== EXCHANGES).length
  const witnesses = Object.keys(external_ids).length + new Set(venues).size
  if (cap !== null && cap > 0 && (volume ?? 0) === 0) return 'no_volume'
  if (cap !== null && (volume ?? 0) < cap * LIMITS.turnover_floor) return 'low_turnover'
  if ((cap ?? 0) >= LIMITS.lone_cap_usd && aggregators < Math.min(LIMITS.sources, heard.aggregators))
    return 'one_witness'
  return witnesses < Math.min(LIMITS.sources, heard.aggregators + heard.exchanges) ? 'one_witness' : null
}

/** The rank of each listing, by slug: 1 is the largest. `eligible` are those that a source ranks. */
export function ranksOf(assets: readonly Asset[], eligible: ReadonlySet<string>): Map<string, number> {
  return new Map(
    assets
      .filter(
        ({ slug, market_cap_usd, verification_status, listing_status, market_flag }) =>
          (market_cap_usd ?? 0) > 0 &&
          verification_status !== 'flagged' &&
          market_flag === null &&
          listing_status === 'active' &&
          eligible.has(slug),
      )
      .toSorted((a, b) => (b.market_cap_usd ?? 0) - (a.market_cap_usd ?? 0) || compare(a.slug, b.slug))
      .map(({ slug }, index) => [slug, index + 1]),
  )
}

const rankOf = ({ market_cap_rank }: Asset): number => market_cap_rank ?? Infinity

/** The order of every list: by rank, unranked last, then by slug. */
export const byRank = (a: Asset, b: Asset): number => compare(rankOf(a), rankOf(b)) || compare(a.slug, b.slug)

export const MOVERS = {
  volume_floor_usd: 50_000,
  turnover_floor: 0.000_5,
  price_hours: 4,
} as const

/** Whether the change of a listing is one of the last 24 hours, in a market that trades. */
function isMoving(asset: Asset, now: number): boolean {
  const { price_basis, change_basis, last_updated, volume_24h_usd, market_cap_usd, carried } = asset
  const isCarried = price_basis.method === 'carried' || change_basis.method === 'carried'
  if (isCarried || carried?.['volume_24h_usd'] !== undefined || last_updated === null) return false
  if (hoursSince(last_updated, now) > LIMITS.live_hours) return false
  return (volume_24h_usd ?? 0) >= Math.max(MOVERS.volume_floor_usd, (market_cap_usd ?? 0) * MOVERS.turnover_floor)
}

/** Who moved most in 24 hours, each list strongest first, and who is largest among the verified. */
export function moversOf(assets: readonly Asset[], now: number) {
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
