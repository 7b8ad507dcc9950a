import type { Days } from '../contract/history.ts'
import type { Feed } from '../feed/feed.ts'
import type { Health } from '../feed/health.ts'
import { closeDraft, openDraft } from './draft.ts'
import { extend } from './extend.ts'
import { type PublishedSeries, type Readable, seriesReader } from './last-series.ts'
import type { PastPrices } from './past-prices.ts'
import type { Series } from './series.ts'

/** The series of this run's assets: what changed of them, and whole ranges where those of the tree are lost. */
export interface ExtendedSeries {
  /** The ranges of an asset that changed. */
  changedSeries(slug: string): ReadonlyMap<Days, Series>
  /** One range of an asset, changed or not; what was lost and cannot be taken from the other ranges is missing in it. */
  seriesOf(slug: string, days: Days): Series
  /** Assets with at least one point, of those that were asked for so far. */
  readonly withHistory: number
}

/** Extends the published series of each asset by what this run saw. */
export function extendedSeries(
  { bySlug, healthOf }: Pick<Feed['snapshot'], 'bySlug' | 'healthOf'>,
  { backfills }: PastPrices,
  tree: Readable,
  label: string,
  now: number,
): ExtendedSeries {
  const read = seriesReader(tree)
  let last: { slug: string; changed: ReadonlyMap<Days, Series>; all: ReadonlyMap<Days, Series> | null } | null = null
  let withHistory = 0

  const extended = (slug: string, finest: PublishedSeries | null, all: boolean): ReadonlyMap<Days, Series> => {
    const asset = bySlug.get(slug)?.asset
    const seen = asset?.price_usd != null && asset.price_basis.method !== 'carried'
    return extend({
      slug,
      read: (days) => (days === 1 ? finest : read(slug, days)),
      observations:
        seen && asset.price_usd !== null
          ? [{ at: now, price_usd: asset.price_usd, volume_24h_usd: asset.volume_24h_usd }]
          : [],
      backfills: backfills.get(slug) ?? [],
      now,
      label,
      all,
    })
  }
  // The five ranges of an asset are asked for one after another, and one asset is all that is held.
  const held = (slug: string) => {
    if (last?.slug === slug) return last
    const finest = read(slug, 1)
    // What an answer says of its sources is in every range's document, so all five are written when it changes.
    const all = finest && sameHealth(finest, healthOf.get(slug)) ? null : extended(slug, finest, true)
    const changed = all ?? extended(slug, finest, false)
    last = { slug, changed, all }
    const own = changed.get(365) ?? read(slug, 365)
    if (own !== null && own.count > 0) withHistory++
    return last
  }
  return {
    changedSeries: (slug) => held(slug).changed,
    seriesOf(slug, days) {
      const series = held(slug)
      const changed = series.changed.get(days)
      if (changed) return changed
      series.all ??= extended(slug, read(slug, 1), true)
      return series.all.get(days) ?? closeDraft(openDraft(days, null, now, false), slug, label)
    },
    get withHistory() {
      return withHistory
    },
  }
}

const sameHealth = (published: PublishedSeries, health: Health | undefined): boolean =>
  published.sourceStatus === health?.sourceStatus &&
  JSON.stringify(published.sourceError) === JSON.stringify(health.sourceError)
