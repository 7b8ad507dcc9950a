import type { Asset } from '../contract/asset.ts'
import { roundPrice } from '../contract/numbers.ts'
import { isoOf } from '../contract/time.ts'
import type { Sighting } from '../sources/source.ts'
import type { ReportedFigures } from './carry.ts'
import type { Identity } from './identify.ts'
import { LIMITS } from './methodology.ts'
import { isWithin } from './statistics.ts'

type Ranges = Pick<Asset, 'high_24h_usd' | 'low_24h_usd' | 'ath_usd' | 'ath_date'>

/** Returns the ranges that sources report, extended to hold the published price, so that the figures never contradict it. */
export function rangesOf(
  { before, sighted }: Identity,
  figures: ReportedFigures,
  { price_usd, last_updated }: Pick<Asset, 'price_usd' | 'last_updated'>,
): Ranges {
  const isCredible = ({ price_usd: own }: Sighting) =>
    own === null || price_usd === null || isWithin(LIMITS.few_percent, own, price_usd)
  const pick = (name: 'high_24h_usd' | 'low_24h_usd' | 'ath_usd') => figures.pick(name, roundPrice, isCredible)
  const extended = (name: 'high_24h_usd' | 'low_24h_usd' | 'ath_usd', value: number | null, by: number | null) => {
    if (value === null || by === null) return value
    const wider = name === 'low_24h_usd' ? Math.min(value, by) : Math.max(value, by)
    if (wider !== value) figures.replace(name, 'price')
    return wider
  }
  const [high, low, ath] = [pick('high_24h_usd'), pick('low_24h_usd'), pick('ath_usd')]
  const isRange = high === null || low === null || low <= high
  if (!isRange) for (const name of ['high_24h_usd', 'low_24h_usd'] as const) figures.replace(name, null)
  const high_24h_usd = isRange ? extended('high_24h_usd', high, price_usd) : null
  const low_24h_usd = isRange ? extended('low_24h_usd', low, price_usd) : null
  const ath_usd = extended('ath_usd', ath, Math.max(high_24h_usd ?? 0, low_24h_usd ?? 0, price_usd ?? 0))
  const reachedAt = () => {
    if (ath_usd === null) return null
    // When a high of the last day was reached is unknown, unless it is the price itself.
    if (ath_usd !== ath) return ath_usd === price_usd ? last_updated : null
    if (figures.carries('ath_usd')) return before?.asset.ath_date ?? null
    const at =
      sighted.find(({ sighting }) => sighting.ath_usd !== null && isCredible(sighting))?.sighting.ath_at ?? null
    return at === null ? null : isoOf(at)
  }
  return { high_24h_usd, low_24h_usd, ath_usd, ath_date: reachedAt() }
}
