import type { Market } from '../contract/market.ts'

/** The numbers of the rule: 100 points, minus the points of each reason. */
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

/** Inputs of the rule. */
type QualityInputs = Pick<
  Market,
  'price_usd' | 'bid' | 'ask' | 'spread_percent' | 'volume_24h_usd' | 'is_stale' | 'is_outlier'
>

/** What takes points off. */
type Reason = keyof typeof QUALITY extends infer Name ? (Name extends `cost_${infer Word}` ? Word : never) : never

function bookReason({ bid, ask, spread_percent: spread }: QualityInputs): Reason | null {
  if (bid === null || ask === null) return 'no_order_book'
  if (bid > ask) return 'crossed_book'
  if (spread === null) return null
  if (spread > QUALITY.very_wide_spread_percent) return 'very_wide_spread'
  return spread > QUALITY.wide_spread_percent ? 'wide_spread' : null
}

function volumeReason(volume: number | null, isImplausible: boolean): Reason | null {
  if (volume === null || volume === 0) return 'no_volume'
  if (isImplausible) return 'implausible_volume'
  if (volume < QUALITY.very_thin_volume_usd) return 'very_thin_volume'
  return volume < QUALITY.thin_volume_usd ? 'thin_volume' : null
}

/**
 * How far a market can be relied on, and why not further.
 *
 * @param isVolumeImplausible whether its venue reports more volume than the other venues make plausible
 */
export function qualityOf(
  market: QualityInputs,
  isVolumeImplausible = false,
): Pick<Market, 'quality' | 'quality_score' | 'quality_reasons'> {
  const { price_usd, volume_24h_usd: volume, is_stale, is_outlier } = market
  const reasons: Reason[] = []
  const book = bookReason(market)
  const trade = volumeReason(volume, isVolumeImplausible)
  if (price_usd === null) reasons.push('no_price')
  if (is_outlier) reasons.push('outlier')
  if (is_stale) reasons.push('stale')
  if (book !== null) reasons.push(book)
  if (trade !== null) reasons.push(trade)

  let score = 100
  for (const reason of reasons) score -= QUALITY[`cost_${reason}`]
  score = Math.max(0, score)
  return {
    quality:
      price_usd === null ? 'unknown' : score >= QUALITY.high ? 'high' : score >= QUALITY.medium ? 'medium' : 'low',
    quality_score: score,
    quality_reasons: reasons,
  }
}
