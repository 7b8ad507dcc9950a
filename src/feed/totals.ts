import { fsum } from 'd3-array'
import type { Asset } from '../contract/asset.ts'
import { roundMoney, roundPercent } from '../contract/numbers.ts'

/** Sums over listings; null where no listing has the figure. */
interface Totals {
  readonly market_cap_usd: number | null
  readonly volume_24h_usd: number | null
}

/** Returns whether the figures of a listing count in sums over the market. */
export const isCounted = ({ market_cap_rank, market_cap_usd, verification_status, market_flag }: Asset): boolean =>
  market_cap_rank !== null && market_cap_usd !== null && verification_status !== 'flagged' && market_flag === null

/** Every partial sum is kept, so that the order of the listings moves no cent. */
const sumOf = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : roundMoney(fsum(known))
}

/** Returns the sums over counted listings. */
export const totalsOf = (counted: readonly Asset[]): Totals => ({
  market_cap_usd: sumOf(counted.map(({ market_cap_usd }) => market_cap_usd)),
  volume_24h_usd: sumOf(counted.map(({ volume_24h_usd }) => volume_24h_usd)),
})

/**
 * Returns the change of the market cap of counted listings in 24 hours, in percent, as if their supplies had stayed: each
 * cap is taken back by the change of its price. Null if no change is known.
 */
export function capChangeOf(counted: readonly Asset[]): number | null {
  let [now, before] = [0, 0]
  for (const { market_cap_usd, percent_change_24h } of counted) {
    if (market_cap_usd === null || percent_change_24h === null || percent_change_24h <= -100) continue
    now += market_cap_usd
    before += market_cap_usd / (1 + percent_change_24h / 100)
  }
  return before > 0 ? roundPercent((now / before - 1) * 100) : null
}
