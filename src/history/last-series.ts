import * as z from 'zod'
import { INTERVAL_MS } from '../contract/time.ts'
import { Envelope } from '../contract/envelope.ts'
import { readJson } from '../contract/read-json.ts'
import { memberIn, textIn } from '../contract/text.ts'
import { type Days, Point, SeriesMembers, seriesFile } from '../contract/history.ts'
import { bucketOf, timestampOf, windowOf } from './grid.ts'
import { splitRows } from './row.ts'

/** A published series without its rows. */
const SeriesHead = z.object({
  sourceStatus: Envelope.sourceStatus,
  sourceError: Envelope.sourceError,
  ...SeriesMembers,
  count: z.number(),
})
const WholeSeries = SeriesHead.extend({ rows: z.array(Point) })

export type PublishedSeries = z.infer<typeof WholeSeries>

/** Returns a published series, or null if the document is missing or damaged. */
export function parseSeries(text: string | null): PublishedSeries | null {
  const split = text === null ? null : splitRows(text)
  const head = split && readJson(split.head, SeriesHead)
  // A document that is printed in another way takes five times as long.
  return head ? { ...head, rows: split.rows } : readJson(text, WholeSeries)
}

/** The published files that history is read from. */
export interface Readable {
  read(file: string): string | null
  /** Returns the beginning of a file; `''` if it is missing. */
  head(file: string): string
}

/** An empty tree, for a first publication. */
export const NOTHING_TO_READ: Readable = { read: () => null, head: () => '' }

/** The documents of the last publication. */
export interface LastDocuments {
  readonly files: readonly string[]
  readonly last: Readable
}

export type LastSeries = ReturnType<typeof lastSeries>

/**
 * Returns the series of the last publication.
 *
 * @param aliasesOf returns the former slugs of an asset
 * @param onUnreadable is called with a document that is there and is no series
 */
export function lastSeries(
  tree: Readable,
  aliasesOf: (slug: string) => readonly string[],
  onUnreadable?: (file: string) => unknown,
) {
  // A damaged series counts as missing and is backfilled.
  const parsed = (slug: string, days: Days): PublishedSeries | null => {
    const file = seriesFile(slug, days)
    const text = tree.read(file)
    const series = parseSeries(text)
    if (series === null && text !== null) onUnreadable?.(file)
    return series
  }
  return {
    /** Returns a series, that of a former slug if the asset was renamed, or null if there is none that can be read. */
    read(slug: string, days: Days) {
      const own = parsed(slug, days)
      if (own !== null) return own
      for (const alias of aliasesOf(slug)) {
        const before = parsed(alias, days)
        if (before !== null && before.replacedBy === null) return before
      }
      return null
    },
    head(slug: string, days: Days) {
      for (const name of [slug, ...aliasesOf(slug)]) {
        const head = tree.head(seriesFile(name, days))
        if (head !== '') return head
      }
      return ''
    },
  }
}

/** Returns the start of the open bucket and the number of missing buckets, or null before the first observation. */
export function headOf(head: string): { readonly to: number; readonly missing: number } | null {
  const to = textIn(head, 'to')
  const missing = memberIn(head, 'missing')
  return to === null || typeof missing !== 'number' ? null : { to: Date.parse(to), missing }
}

/** Returns a function that reads the oldest published price of a listing in the last day; null if there is none. */
export function oldestPriceOf(tree: Readable): (slug: string) => number | null {
  const last = lastSeries(tree, () => [])
  return (slug) => last.read(slug, 1)?.rows.find(({ price_usd }) => price_usd !== null)?.price_usd ?? null
}

export function pastPointsOf(tree: Readable, now: number) {
  let held = { slug: '', text: '' }
  // Only one row is parsed, because parsing every series would take longer than pricing.
  const rowAt = (slug: string, hour: string): Point | null => {
    if (held.slug !== slug) held = { slug, text: tree.read(seriesFile(slug, 7)) ?? '' }
    const start = held.text.indexOf(`{"timestamp":"${hour}"`)
    return start < 0 ? null : readJson(held.text.slice(start, held.text.indexOf('}', start) + 1), Point)
  }
  const dayAgo = timestampOf(bucketOf(now - INTERVAL_MS['1d'], '1h'))
  const weekAgo = timestampOf(windowOf(7, '1h', now).from)
  return {
    /** The price a day before the run; null if no run of ours observed that hour. */
    dayAgo: (slug: string) => {
      const row = rowAt(slug, dayAgo)
      // Only backfilled rows have no volume.
      return row && row.volume_24h_usd !== null ? row : null
    },
    /** The price with which the 7-day series of the run will begin; null if that hour is missing. */
    weekAgo: (slug: string) => rowAt(slug, weekAgo),
  }
}
