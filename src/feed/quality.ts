import type { Quality } from '../contract/market.ts'

/** The numbers of the rule: 100 points, less what each reason costs. */
export const QUALITY = {
  rule:
    'A market starts with 100 points and loses what each reason costs; high, medium and low begin at the given scores. ' +
    'Without a price it is unknown.',
  high: 75,
  medium: 45,
  wide_spread_percent: 1,
  very_wide_spread_percent: 5,
  thin_volume_usd: 50_000,
  very_thin_volume_usd: 1_000,
  cost_no_price: 100,
  cost_outlier: 60,
  cost_stale: 60,
  cost_no_volume: 60,
  cost_implausible_volume: 40,
  cost_crossed_book: 40,
  cost_very_thin_volume: 40,
  cost_very_wide_spread: 40,
  cost_thin_volume: 20,
  cost_wide_spread: 15,
  cost_no_order_book: 10,
} as const

/** What the rule looks at. */
export interface QualityInputs {
  readonly price_usd: number | null
  readonly bid: number | null
  readonly ask: number | null
  readonly spread_percent: number | null
  readonly volume_24h_usd: number | null
  readonly is_stale: boolean
  readonly is_outlier: boolean
}

/**
 * How far a market can be relied on, and why not further.
 *
 * @param isVolumeImplausible whether its venue tells more volume than the other venues make plausible
 */
export function qualityOf(
  market: QualityInputs,
  isVolumeImplausible = false,
): {
  readonly quality: Quality
  readonly quality_score: number
  readonly quality_reasons: string[]
} {
  const { price_usd, bid, ask, spread_percent: spread, volume_24h_usd: volume, is_stale, is_outlier } = market
  const reasons: [string, number][] = []
  if (price_usd === null) reasons.push(['no_price', QUALITY.cost_no_price])
  if (is_outlier) reasons.push(['outlier', QUALITY.cost_outlier])
  if (is_stale) reasons.push(['stale', QUALITY.cost_stale])
  if (bid !== null && ask !== null && bid > ask) reasons.push(['crossed_book', QUALITY.cost_crossed_book])
  else if (bid === null || ask === null) reasons.push(['no_order_book', QUALITY.cost_no_order_book])
  else if (spread !== null && spread > QUALITY.very_wide_spread_percent)
    reasons.push(['very_wide_spread', QUALITY.cost_very_wide_spread])
  else if (spread !== null && spread > QUALITY.wide_spread_percent)
    reasons.push(['wide_spread', QUALITY.cost_wide_spread])
  if (volume === null || volume === 0) reasons.push(['no_volume', QUALITY.cost_no_volume])
  else if (isVolumeImplausible) reasons.push(['implausible_volume', QUALITY.cost_implausible_volume])
  else if (volume < QUALITY.very_thin_volume_usd) reasons.push(['very_thin_volume', QUALITY.cost_very_thin_volume])
  else if (volume < QUALITY.thin_volume_usd) reasons.push(['thin_volume', QUALITY.cost_thin_volume])

  const score = Math.max(
    0,
    reasons.reduce((points, [, cost]) => points - cost, 100),
  )
  return {
    quality:
      price_usd === null ? 'unknown' : score >= QUALITY.high ? 'high' : score >= QUALITY.medium ? 'medium' : 'low',
    quality_score: score,
    quality_reasons: reasons.map(([reason]) => reason),
  }
}
