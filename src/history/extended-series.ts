import { DAYS, type Days } from '../contract/history.ts'
import type { Feed } from '../feed/feed.ts'
import type { Health } from '../feed/health.ts'
import { extend } from './extend.ts'
import { type PublishedSeries, type Readable, seriesReader } from './last-series.ts'
import type { PastPrices } from './past-prices.ts'
import type { Series } from './series.ts'

/** Gives the changed series of an asset, and counts the assets that have any. */
export function extendedSeries(
  { bySlug, healthOf }: Pick<Feed['snapshot'], 'bySlug' | 'healthOf'>,
  { backfills }: PastPrices,
  tree: Readable,
  label: string,
  now: number,
): { series(slug: string): ReadonlyMap<Days, Series>; readonly withHistory: number } {
  const read = seriesReader(tree)
  let last: { slug: string; changed: ReadonlyMap<Days, Series> } | null = null
  let withHistory = 0

  const seriesOf = (slug: string): ReadonlyMap<Days, Series> => {
    const listing = bySlug.get(slug)
    const health = healthOf.get(slug)
    const finest = read(slug, 1)
    const asset = listing?.asset
    const seen = asset?.price_usd != null && asset.price_basis.method !== 'carried'
    const changed = extend({
      slug,
      read: (days) => (days === 1 ? finest : read(slug, days)),
      observations:
        seen && asset.price_usd !== null
          ? [{ at: now, price_usd: asset.price_usd, volume_24h_usd: asset.volume_24h_usd }]
          : [],
      backfills: backfills.get(slug) ?? [],
      now,
      label,
    })
    return finest && sameHealth(finest, health) ? changed : withAll(changed, (days) => read(slug, days))
  }
  return {
    series(slug) {
      // The five ranges of an asset are asked for one after another, and one asset is all that is held.
      if (last?.slug === slug) return last.changed
      last = { slug, changed: seriesOf(slug) }
      const own = last.changed.get(365)
      if (own === undefined || own.count > 0) withHistory++
      return last.changed
    },
    get withHistory() {
      return withHistory
    },
  }
}

const sameHealth = (published: PublishedSeries, health: Health | undefined): boolean =>
  published.sourceStatus === health?.sourceStatus &&
  JSON.stringify(published.sourceError) === JSON.stringify(health.sourceError)

/** What an answer says of its sources is in every range's document, so all five are written when it changes. */
function withAll(changed: ReadonlyMap<Days, Series>, read: (days: Days) => Series | null): ReadonlyMap<Days, Series> {
  const all = new Map(changed)
  for (const days of DAYS) {
    const series = all.get(days) ?? read(days)
    if (series) all.set(days, series)
  }
  return all
}
