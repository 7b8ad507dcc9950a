import type { Asset } from '../contract/asset.ts'
import type { Market } from '../contract/market.ts'
import { compare } from '../contract/order.ts'
import { EXCHANGES } from './listing.ts'
import { slugOf } from '../contract/names.ts'
import { LIMITS } from './methodology.ts'

const CATEGORIES =
  /^(wrapped|bridged)(-|$)|^liquid-(re)?staked-|^liquid-(re)?staking-tokens?$|^tokenized-(btc|bitcoin|eth)|^rehypothecated/
const NAMES = /(^|[^a-z])(wrapped|staked|restaked|bridged|binance-peg)([^a-z]|$)/i

function isWrapped({ name, tags }: Pick<Asset, 'name' | 'tags'>): boolean {
  return tags.length > 0 ? tags.some((tag) => CATEGORIES.test(slugOf(tag))) : NAMES.test(name)
}

export type AnswersByType = Readonly<Record<'aggregators' | 'exchanges', number>>

/** What the listing lacks to be ranked; null where it lacks nothing. */
export function marketFlagOf(asset: Asset, markets: readonly Market[], answers: AnswersByType): Asset['market_flag'] {
  if (isWrapped(asset)) return 'wrapped'
  const { external_ids, market_cap_usd: cap, volume_24h_usd: volume } = asset
  const venues = markets.flatMap(({ exchange_id, is_outlier }) => (is_outlier ? [] : [exchange_id]))
  const aggregators = Object.keys(external_ids).filter((id) => id !== EXCHANGES).length
  const witnesses = Object.keys(external_ids).length + new Set(venues).size
  if (cap !== null && cap > 0 && (volume ?? 0) === 0) return 'no_volume'
  if (cap !== null && (volume ?? 0) < cap * LIMITS.turnover_floor) return 'low_turnover'
  if ((cap ?? 0) >= LIMITS.lone_cap_usd && aggregators < Math.min(LIMITS.sources, answers.aggregators))
    return 'one_witness'
  return witnesses < Math.min(LIMITS.sources, answers.aggregators + answers.exchanges) ? 'one_witness' : null
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
