import type { Market } from '../contract/market.ts'
import { roundMoney } from '../contract/numbers.ts'
import { credibleVolumes } from './credible-volume.ts'
import { sum } from './statistics.ts'

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
