import * as z from 'zod'
import { Envelope } from '../contract/envelope.ts'
import { type Days, Point, SeriesMembers, seriesFile } from '../contract/history.ts'

/** A series as it is published. */
export const PublishedSeries = z.object({
  sourceStatus: Envelope.sourceStatus,
  sourceError: Envelope.sourceError,
  ...SeriesMembers,
  count: z.number(),
  rows: z.array(Point),
})
export type PublishedSeries = z.infer<typeof PublishedSeries>

/** The published files that history is read from. */
export interface Readable {
  read(file: string): string | null
  /** The beginning of a file, `''` where there is none. */
  head(file: string): string
}

/** Where nothing was published, or nothing of it may be used. */
export const NOTHING_TO_READ: Readable = { read: () => null, head: () => '' }

/** The published series of the tree; null where there is none that can be read. */
export const seriesReader =
  (tree: Readable) =>
  (slug: string, days: Days): PublishedSeries | null => {
    const text = tree.read(seriesFile(slug, days))
    try {
      return PublishedSeries.parse(JSON.parse(text ?? 'null'))
    } catch {
      // Missing or damaged: what is lost is marked as missing, and filled in again where a source knows it.
      return null
    }
  }
export type SeriesReader = ReturnType<typeof seriesReader>

/** The oldest published price of a listing in the last day, each read when it is asked for; null where there is none. */
export function oldestPriceOf(tree: Readable): (slug: string) => number | null {
  const read = seriesReader(tree)
  return (slug) => read(slug, 1)?.rows.find(({ price_usd }) => price_usd !== null)?.price_usd ?? null
}
