import type { Asset } from '../contract/asset.ts'

/** The numbers of the rule. */
export const RANK = {
  rule: 'By market cap, largest first, among listings that are active, not flagged, and ranked by an aggregator.',
} as const

/** The rank of each listing, by slug: 1 is the largest. `eligible` are those that a source ranks. */
export function ranksOf(assets: readonly Asset[], eligible: ReadonlySet<string>): Map<string, number> {
  return new Map(
    assets
      .filter(
        ({ slug, market_cap_usd, verification_status, listing_status }) =>
          (market_cap_usd ?? 0) > 0 &&
          verification_status !== 'flagged' &&
          listing_status === 'active' &&
          eligible.has(slug),
      )
      .toSorted((a, b) => (b.market_cap_usd ?? 0) - (a.market_cap_usd ?? 0) || (a.slug < b.slug ? -1 : 1))
      .map(({ slug }, index) => [slug, index + 1]),
  )
}

const rankOf = ({ market_cap_rank }: Asset): number => market_cap_rank ?? Infinity

/** The order of every list: by rank, unranked last, then by slug. */
export const byRank = (a: Asset, b: Asset): number => {
  const [left, right] = [rankOf(a), rankOf(b)]
  return left === right ? (a.slug < b.slug ? -1 : a.slug > b.slug ? 1 : 0) : left - right
}
