import type { Asset, PriceBasis } from '../contract/asset.ts'
import { roundShare } from '../contract/numbers.ts'
import type { Priced } from './price.ts'
import { sum } from './statistics.ts'

/** The numbers of the confidence. */
export const CONFIDENCE = {
  rule:
    'Direct price: venues/8 up to 0.4, plus 0.3 x (1 - dispersion/2 %), plus 0.2 x log10(volume in dollars)/8, plus 0.1; ' +
    'dispersion is the weighted mean distance from the price. Below the quorum half of that. Aggregators: 0.3, and 0.2 ' +
    'when two agree. Pool: 0.2. Carried: 0.1. Times 0.8 from `aging_hours` on and 0.5 from `old_hours` on. Unpriced: null.',
  venues: 8,
  dispersion_percent: 2,
  volume_log10: 8,
  aging_hours: 1,
  old_hours: 6,
} as const

/** How sure the price is, 0 to 1. `ageHours` is the age of the value the price stands for. */
export function confidenceOf(
  { price_usd: price, basis }: Priced,
  volume_usd: number | null,
  ageHours: number,
): Asset['price_confidence'] {
  if (price === null) return null
  const venues = new Set(basis.sources.map(({ source_id }) => source_id)).size
  const dispersion = sum(basis.sources.map(({ price_usd, weight }) => Math.abs(price_usd / price - 1) * 100 * weight))
  const direct =
    0.4 * Math.min(1, venues / CONFIDENCE.venues) +
    0.3 * Math.max(0, 1 - dispersion / CONFIDENCE.dispersion_percent) +
    0.2 * Math.min(1, Math.log10(Math.max(1, volume_usd ?? 1)) / CONFIDENCE.volume_log10) +
    0.1
  const base: Record<PriceBasis['method'], number> = {
    exchanges: direct,
    exchanges_below_quorum: direct / 2,
    aggregators: venues > 1 ? 0.5 : 0.3,
    dex: 0.2,
    carried: 0.1,
    none: 0,
  }
  // In steps, so that a value that stands still changes its document twice and not with every run.
  const age = ageHours < CONFIDENCE.aging_hours ? 1 : ageHours < CONFIDENCE.old_hours ? 0.8 : 0.5
  return roundShare(Math.min(1, base[basis.method]) * age)
}
