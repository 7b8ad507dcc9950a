import { compare } from '../contract/order.ts'
import type { Asset, MarketFlag } from '../contract/asset.ts'
import type { SourceRow } from '../contract/collector.ts'
import type { Market } from '../contract/market.ts'
import { EXCHANGES } from './exchange-listings.ts'
import { slugOf } from './slug.ts'

/** The numbers of the rule. */
export const WRAPPED = {
  rule:
    'A wrapped, staked or bridged form of another asset repeats its market cap: it has the `market_flag` `wrapped`, no rank, ' +
    'and no part in a total or a list of movers. The registry names such assets, and so do the categories of the sources ' +
    'that match `categories`. Where no source reports any categories, a name with one of the words of `names` does.',
  categories:
    '^(wrapped|bridged)(-|$)|^liquid-(re)?staked-|^liquid-(re)?staking-tokens?$|^tokenized-(btc|bitcoin|eth)|^rehypothecated',
  names: 'wrapped|staked|restaked|bridged|binance-peg',
} as const

const CATEGORIES = new RegExp(WRAPPED.categories)
const NAMES = new RegExp(`(^|[^a-z])(${WRAPPED.names})([^a-z]|$)`, 'i')

/** Returns whether an asset is a form of another one, whose market cap it repeats. */
function isWrapped({ name, tags }: Pick<Asset, 'name' | 'tags'>): boolean {
  return tags.length > 0 ? tags.some((tag) => CATEGORIES.test(slugOf(tag))) : NAMES.test(name)
}

/** The numbers of the rule. */
export const RANK = {
  rule:
    'By market cap, largest first, among listings that are active, not flagged, and ranked by an aggregator. A market cap ' +
    'needs a market: a volume of 24 hours of at least `turnover_floor` times the cap, and `witnesses` sources that know the ' +
    'listing, aggregators and venues alike, or as many as ever answered if those are fewer. From `lone_cap_usd` on, that ' +
    'many aggregators. A listing that was ranked keeps its rank while a source leaves it out. Otherwise the listing is shown ' +
    'with a `market_flag`, without a rank, and in no list of movers.',
  turnover_floor: 0.000_01,
  witnesses: 2,
  lone_cap_usd: 1_000_000_000,
} as const

/** How many aggregators and exchanges ever answered. */
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

/**
 * What the listing lacks to be ranked; null where it lacks nothing.
 *
 * @param heard how many sources ever answered
 */
export function marketFlagOf(asset: Asset, markets: readonly Market[], heard: Heard): MarketFlag | null {
  if (isWrapped(asset)) return 'wrapped'
  const { external_ids, market_cap_usd: cap, volume_24h_usd: volume } = asset
  const venues = markets.flatMap(({ exchange_id, is_outlier }) => (is_outlier ? [] : [exchange_id]))
  const aggregators = Object.keys(external_ids).filter((id) => id !== EXCHANGES).length
  const witnesses = Object.keys(external_ids).length + new Set(venues).size
  if (cap !== null && cap > 0 && (volume ?? 0) === 0) return 'no_volume'
  if (cap !== null && (volume ?? 0) < cap * RANK.turnover_floor) return 'low_turnover'
  if ((cap ?? 0) >= RANK.lone_cap_usd && aggregators < Math.min(RANK.witnesses, heard.aggregators)) return 'one_witness'
  return witnesses < Math.min(RANK.witnesses, heard.aggregators + heard.exchanges) ? 'one_witness' : null
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
export const byRank = (a: Asset, b: Asset): number => {
  const [left, right] = [rankOf(a), rankOf(b)]
  return left === right ? compare(a.slug, b.slug) : left - right
}
