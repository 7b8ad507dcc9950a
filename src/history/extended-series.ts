import { DAYS, type Days } from '../contract/history.ts'
import type { Feed } from '../feed/feed.ts'
import type { Health } from '../feed/health.ts'
import type { Listing } from '../feed/listing.ts'
import { closeDraft, openDraft } from './draft.ts'
import { type Observed, extend } from './extend.ts'
import { type Moment, windowOf } from './grid.ts'
import { type LastSeries, type PublishedSeries, headOf } from './last-series.ts'
import type { PastPrices } from './past-prices.ts'
import { type Series, coversHalf } from './series.ts'
import { sparklineOf } from './sparkline.ts'

export type ExtendedSeries = ReturnType<typeof extendedSeries>

/** Arguments of {@link extendedSeries}. */
interface SeriesInputs extends Moment {
  readonly snapshot: Pick<Feed['snapshot'], 'bySlug' | 'healthOf'>
  readonly past: Pick<PastPrices, 'backfills'>
  readonly last: LastSeries
  readonly label: string
}

export function extendedSeries({ snapshot, past, last: lastSeries, label, grid, now }: SeriesInputs) {
  const { bySlug, healthOf } = snapshot
  const read = (slug: string, days: Days) => lastSeries.read(slug, days)
  let last: { slug: string; changed: ReadonlyMap<Days, Series>; all: ReadonlyMap<Days, Series> | null } | null = null
  const hasYear = new Map<string, boolean>()
  /** Null: the 7-day series of the asset did not change, and was not read so far. */
  const sparklines = new Map<string, readonly (number | null)[] | null>()

  const extended = (slug: string, finest: PublishedSeries | null, all: boolean): ReadonlyMap<Days, Series> =>
    extend({
      slug,
      read: (days) => (days === 1 ? finest : read(slug, days)),
      observations: observed(bySlug.get(slug), now),
      backfills: past.backfills.get(slug) ?? [],
      grid,
      now,
      label,
      all,
    })
  const emptyOf = (slug: string, days: Days): Series =>
    closeDraft(openDraft({ days, interval: grid[days], previous: null, now, observed: false }), slug, label)
  const given = (slug: string) => {
    const finest = read(slug, 1)
    const replacedBy = bySlug.get(slug)?.asset.replaced_by ?? null
    if (replacedBy !== null) {
      // The successor has the rows. This series only names it.
      const all = new Map(DAYS.map((days) => [days, { ...emptyOf(slug, days), replacedBy }]))
      return { slug, changed: finest?.replacedBy === replacedBy ? new Map<Days, Series>() : all, all }
    }
    // The envelope repeats the health of the sources, so a change of it changes all five documents. A renamed asset has
    // none under its slug yet.
    const isOwn = finest?.slug === slug && sameHealth(finest, healthOf.get(slug))
    const all = isOwn ? null : extended(slug, finest, true)
    return { slug, changed: all ?? extended(slug, finest, false), all }
  }
  // The ranges of an asset are read one after another, so only the last asset is kept. Of an unchanged year only the head
  // is read.
  const held = (slug: string) => {
    if (last?.slug === slug) return last
    last = given(slug)
    const missing = last.changed.get(365)?.missing ?? headOf(lastSeries.head(slug, 365))?.missing
    hasYear.set(slug, missing !== undefined && coversHalf(missing, windowOf(365, grid[365], now).buckets))
    const week = last.changed.get(7)
    sparklines.set(slug, week ? sparklineOf(week) : null)
    return last
  }
  return {
    changedSeries: (slug: string) => held(slug).changed,
    /** Returns one range of an asset. A lost one is restored from the other ranges as far as they reach. */
    seriesOf(slug: string, days: Days): Series {
      const series = held(slug)
      const changed = series.changed.get(days)
      if (changed) return changed
      series.all ??= extended(slug, read(slug, 1), true)
      return series.all.get(days) ?? emptyOf(slug, days)
    },
    sparklineOf(slug: string) {
      if (!sparklines.has(slug)) held(slug)
      const known = sparklines.get(slug) ?? sparklineOf(read(slug, 7))
      sparklines.set(slug, known)
      return known
    },
    /** Returns the number of assets with a value in at least half of the days of the year. */
    withHistory() {
      // Most are known by then: their documents are composed first.
      for (const slug of bySlug.keys()) if (!hasYear.has(slug)) held(slug)
      return [...hasYear.values()].filter(Boolean).length
    },
  }
}

/** The observation of a listing in this run; none of a price that is unknown or carried. */
function observed(listing: Listing | undefined, at: number): readonly Observed[] {
  if (!listing || listing.asset.price_usd === null || listing.asset.price_basis.method === 'carried') return []
  const { price_usd, volume_24h_usd } = listing.asset
  return [{ at, price_usd, volume_24h_usd }]
}

const sameHealth = (published: PublishedSeries, health: Health | undefined): boolean =>
  published.sourceStatus === health?.sourceStatus &&
  JSON.stringify(published.sourceError) === JSON.stringify(health.sourceError)
