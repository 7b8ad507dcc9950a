import { group } from 'd3-array'
import type { Market } from '../contract/market.ts'
import { roundMoney } from '../contract/numbers.ts'
import { credibleVolumes } from './credible-volume.ts'
import { sum } from './statistics.ts'

/** The volume that the markets of an asset make plausible together, in dollars; null where none is known. */
export function credibleVolume(markets: readonly Market[]): number | null {
  const venues = venueVolumes(markets)
  return venues.length === 0 ? null : roundMoney(sum(credibleVolumes(venues.map(([, volume]) => volume))))
}

/** Venues that tell more volume than the other venues of the asset make plausible, by `exchange_id`. */
export function implausibleVolumes(markets: readonly Market[]): Set<string> {
  const venues = venueVolumes(markets)
  const credible = credibleVolumes(venues.map(([, volume]) => volume))
  return new Set(venues.flatMap(([venue, volume], index) => (volume > (credible[index] ?? 0) ? [venue] : [])))
}

/** What each venue says it trades, on markets that are neither stale nor outliers. */
function venueVolumes(markets: readonly Market[]): [string, number][] {
  const live = markets.filter(
    ({ is_stale, is_outlier, volume_24h_usd }) => !is_stale && !is_outlier && volume_24h_usd !== null,
  )
  return [...group(live, ({ exchange_id }) => exchange_id)].map(([venue, own]) => [
    venue,
    sum(own.map(({ volume_24h_usd }) => volume_24h_usd ?? 0)),
  ])
}
