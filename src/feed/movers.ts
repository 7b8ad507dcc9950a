import { hoursSince } from '../contract/time.ts'
import type { Asset } from '../contract/asset.ts'
import { byRank } from './rank.ts'
import { slugOf } from './slug.ts'

/** The numbers of the rule. */
export const MOVERS = {
  rule:
    'Gainers and losers leave out listings whose change is unknown or carried, whose price is carried, flagged or older than ' +
    '`price_hours`, whose volume of 24 hours is carried, under the floor or under `turnover_floor` times the market cap, ' +
    'that have a `market_flag`, or a category of stablecoins. Trending are the verified and ranked, by market cap.',
  volume_floor_usd: 50_000,
  turnover_floor: 0.000_5,
  price_hours: 4,
} as const

/** Whether the change of a listing is one of the last 24 hours, in a market that trades. */
function isMoving(asset: Asset, now: number): boolean {
  const { price_basis, change_basis, last_updated, volume_24h_usd, market_cap_usd, carried } = asset
  const isCarried = price_basis.method === 'carried' || change_basis.method === 'carried'
  if (isCarried || carried?.['volume_24h_usd'] !== undefined || last_updated === null) return false
  if (hoursSince(last_updated, now) > MOVERS.price_hours) return false
  return (volume_24h_usd ?? 0) >= Math.max(MOVERS.volume_floor_usd, (market_cap_usd ?? 0) * MOVERS.turnover_floor)
}

const isStablecoin = ({ tags }: Asset): boolean => tags.some((tag) => /stable-?coin/.test(slugOf(tag)))

/**
 * Who moved most in 24 hours, each list strongest first, and who is largest among the verified.
 *
 * @param now time of the run in ms since 1970
 */
export function moversOf(
  assets: readonly Asset[],
  now: number,
): {
  readonly gainers: readonly Asset[]
  readonly losers: readonly Asset[]
  readonly trending: readonly Asset[]
} {
  const moving = assets.filter((asset) => {
    const { listing_status, verification_status, market_flag } = asset
    const isShown = listing_status === 'active' && verification_status !== 'flagged' && market_flag === null
    return isShown && !isStablecoin(asset) && isMoving(asset, now)
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
