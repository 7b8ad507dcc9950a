import { candleFile, candleSlug } from '../contract/candles.ts'
import type { Days, Grid } from '../contract/history.ts'
import type { Feed } from '../feed/feed.ts'
import { FOLLOWING } from './candle-plan.ts'
import { type CandleSeries, extendCandles, parseCandles, retiredCandles } from './candle-series.ts'
import type { Readable } from './last-series.ts'
import type { PastPrices } from './past-prices.ts'

/** The candles of all assets, extended by the bars of this run. */
export interface ExtendedCandles {
  /** Slugs with candles, in the order of the listings. */
  readonly candleSlugs: readonly string[]
  /** Returns the ranges of an asset that changed. */
  changedCandles(slug: string): ReadonlyMap<Days, CandleSeries>
  /** Returns one range of an asset, changed or not. Lost bars count as missing. */
  candlesOf(slug: string, days: Days): CandleSeries
}

/** Arguments of {@link extendedCandles}. */
export interface CandleInputs {
  readonly snapshot: Pick<Feed['snapshot'], 'bySlug'>
  readonly past: Pick<PastPrices, 'bars'>
  /** Files of the last publication. */
  readonly files: readonly string[]
  readonly last: Readable
  readonly grid: Grid
}

/** Extends the published candles of each asset by the bars of this run. */
export function extendedCandles({ snapshot: { bySlug }, past, files, last, grid }: CandleInputs): ExtendedCandles {
  const published = new Set(files.flatMap((file) => candleSlug(file) ?? []))
  const aliasesOf = (slug: string) => bySlug.get(slug)?.asset.aliases ?? []
  const nameOf = (slug: string) => [slug, ...aliasesOf(slug)].find((name) => published.has(name)) ?? null
  const read = (slug: string, days: Days): CandleSeries | null => {
    const name = nameOf(slug)
    const series = name === null ? null : parseCandles(last.read(candleFile(name, days)), days)
    return series === null || series.replacedBy !== null ? null : { ...series, slug }
  }
  let held: { readonly slug: string; readonly changed: ReadonlyMap<Days, CandleSeries> } | null = null
  const extended = (slug: string, all: boolean): ReadonlyMap<Days, CandleSeries> => {
    const replacedBy = bySlug.get(slug)?.asset.replaced_by ?? null
    if (replacedBy !== null) return retiredCandles(slug, replacedBy, grid)
    return extendCandles({ slug, read: (days) => read(slug, days), answers: past.bars.get(slug) ?? [], grid, all })
  }
  const changedCandles = (slug: string): ReadonlyMap<Days, CandleSeries> => {
    if (held?.slug === slug) return held.changed
    // An asset that is renamed or has its first bars has no documents under its slug yet.
    const isNew = !published.has(slug) || isRetired(slug)
    held = { slug, changed: past.bars.has(slug) || isNew ? extended(slug, isNew) : new Map() }
    return held.changed
  }
  const isRetired = (slug: string): boolean => (bySlug.get(slug)?.asset.replaced_by ?? null) !== null
  return {
    candleSlugs: [...bySlug.values()].flatMap(({ asset: { slug, market_cap_rank: rank } }) =>
      past.bars.has(slug) || (nameOf(slug) !== null && (rank === null || rank <= FOLLOWING.kept)) ? [slug] : [],
    ),
    changedCandles,
    candlesOf(slug, days) {
      const series = changedCandles(slug).get(days) ?? extended(slug, true).get(days)
      if (!series) throw new Error(`no candles of ${days} days were made for ${slug}`)
      return series
    },
  }
}

/** `to` precedes the rows. */
const TO = /"to":"([^"]+)"/

/** Returns a function that reads the start of the newest bar of an asset, in ms since 1970; null if there is none. */
export const newestBarOf =
  (tree: Readable, aliasesOf: (slug: string) => readonly string[]) =>
  (slug: string, days: Days): number | null => {
    for (const name of [slug, ...aliasesOf(slug)]) {
      const [, to] = TO.exec(tree.head(candleFile(name, days))) ?? []
      if (to !== undefined) return Date.parse(to)
    }
    return null
  }

/** Candles of a world without any. */
export const NO_CANDLES: ExtendedCandles = {
  candleSlugs: [],
  changedCandles: () => new Map(),
  candlesOf: (slug) => {
    throw new Error(`${slug} has no candles`)
  },
}
