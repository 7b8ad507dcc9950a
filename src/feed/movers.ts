import type { Asset } from '../contract/asset.ts'
import { byRank } from './rank.ts'

/** The numbers of the rule. */
export const MOVERS = {
  rule:
    'Gainers and losers leave out listings whose change is unknown, whose price is carried or flagged, whose volume of ' +
    '24 hours is under the floor, or that have a `market_flag`. Trending are the verified and ranked, by market cap.',
  volume_floor_usd: 50_000,
} as const

/** Who moved most in 24 hours, each list strongest first, and who is largest among the verified. */
export function moversOf(assets: readonly Asset[]): {
  readonly gainers: readonly Asset[]
  readonly losers: readonly Asset[]
  readonly trending: readonly Asset[]
} {
  const moving = assets.filter(
    ({ listing_status, verification_status, price_basis, volume_24h_usd, market_flag }) =>
      listing_status === 'active' &&
      verification_status !== 'flagged' &&
      market_flag === null &&
      price_basis.method !== 'carried' &&
      (volume_24h_usd ?? 0) >= MOVERS.volume_floor_usd,
  )
  const change = ({ percent_change_24h }: Asset) => percent_change_24h ?? 0
  return {
    gainers: moving.filter((asset) => change(asset) > 0).toSorted((a, b) => change(b) - change(a) || byRank(a, b)),
    losers: moving.filter((asset) => change(asset) < 0).toSorted((a, b) => change(a) - change(b) || byRank(a, b)),
    trending: assets
      .filter((asset) => asset.verification_status === 'verified' && asset.market_cap_rank !== null)
      .toSorted((a, b) => (b.market_cap_usd ?? 0) - (a.market_cap_usd ?? 0) || byRank(a, b)),
  }
}
