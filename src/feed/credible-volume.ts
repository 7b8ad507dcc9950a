import type { Market } from '../contract/market.ts'
import { roundMoney } from '../contract/numbers.ts'
import { sum } from './statistics.ts'

/** The numbers of the rule. */
export const CREDIBLE_VOLUME = {
  rule:
    'The volume of a venue counts up to `multiple` times what the other venues of the asset trade together. In a weight, ' +
    'the volume of a market counts in full up to a spread of `full_spread_percent`, in proportion less above it, and ' +
    '`no_book_share` of it without a two-sided book.',
  multiple: 10,
  full_spread_percent: 1,
  no_book_share: 0.5,
} as const

/** The part of a market's volume that its own book makes plausible, in dollars. */
export function backedVolume({ volume_24h_usd, spread_percent }: Market): number {
  const volume = volume_24h_usd ?? 0
  if (spread_percent === null) return volume * CREDIBLE_VOLUME.no_book_share
  return volume * Math.min(1, CREDIBLE_VOLUME.full_spread_percent / spread_percent)
}

/** Returns the credible volume of each venue, in the order of the venues. That of an asset's only venue is not reduced. */
export function credibleVolumes(volumes: readonly number[]): number[] {
  if (volumes.length < 2) return [...volumes]
  // Sums of those after and of those before each one: a total less one of 10^15 would lose the small ones.
  const credible = volumes.map(() => 0)
  for (let index = volumes.length - 1; index > 0; index--)
    credible[index - 1] = (credible[index] ?? 0) + (volumes[index] ?? 0)
  let before = 0
  for (let index = 0; index < volumes.length; index++) {
    const volume = volumes[index] ?? 0
    const others = before + (credible[index] ?? 0)
    before += volume
    credible[index] = Math.min(volume, CREDIBLE_VOLUME.multiple * others)
  }
  return credible
}

/** The volume that the markets of an asset make plausible together, in dollars; null where none is known. */
export function credibleVolume(markets: readonly Market[]): number | null {
  const venues = venueVolumes(markets)
  return venues.size === 0 ? null : roundMoney(sum(credibleVolumes([...venues.values()])))
}

/** Venues that report more volume than the other venues of the asset make plausible, by `exchange_id`. */
export function implausibleVolumes(markets: readonly Market[]): Set<string> {
  const venues = venueVolumes(markets)
  const credible = credibleVolumes([...venues.values()])
  return new Set([...venues].flatMap(([venue, volume], index) => (volume > (credible[index] ?? 0) ? [venue] : [])))
}

/** The volume that each venue reports, on markets that are neither stale nor outliers, by `exchange_id`. */
function venueVolumes(markets: readonly Market[]): Map<string, number> {
  const volumes = new Map<string, number>()
  for (const { exchange_id, is_stale, is_outlier, volume_24h_usd } of markets)
    if (!is_stale && !is_outlier && volume_24h_usd !== null)
      volumes.set(exchange_id, (volumes.get(exchange_id) ?? 0) + volume_24h_usd)
  return volumes
}
