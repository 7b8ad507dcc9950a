import * as z from 'zod'
import { Envelope } from '../contract/envelope.ts'
import { readJson } from '../contract/read-json.ts'
import { type Days, Point, SeriesMembers, seriesFile } from '../contract/history.ts'
import { LENGTH_OF, bucketOf, timestampOf } from './grid.ts'

/** What trees from before the first release say in other words. */
const Earlier = z.looseObject({
  source_label: z.string(),
  seenAfterSeconds: z.array(z.number().nullable()),
  rows: z.array(z.looseObject({})),
})

/** An earlier series in today's words: its backfilled rows held the volume of one venue. */
function inTodaysWords(document: unknown): unknown {
  const { data } = Earlier.safeParse(document)
  if (data === undefined) return document
  const { source_label: sourceLabel, seenAfterSeconds: seen, rows } = data
  const ownVolumes = rows.map((row, index) => (seen[index] === null ? { ...row, volume_24h_usd: null } : row))
  return { ...data, sourceLabel, replacedBy: null, rows: ownVolumes }
}

/** A series as it is published. */
export const PublishedSeries = z.preprocess(
  inTodaysWords,
  z.object({
    sourceStatus: Envelope.sourceStatus,
    sourceError: Envelope.sourceError,
    ...SeriesMembers,
    count: z.number(),
    rows: z.array(Point),
  }),
)
export type PublishedSeries = z.infer<typeof PublishedSeries>

/** The published files that history is read from. */
export interface Readable {
  read(file: string): string | null
  /** The beginning of a file, `''` where there is none. */
  head(file: string): string
}

/** Where nothing was published, or nothing of it may be used. */
export const NOTHING_TO_READ: Readable = { read: () => null, head: () => '' }

/** The series of the last publication, by the slug that an asset has now. */
export interface LastSeries {
  /**
   * One series; null where there is none that can be read. Where the asset was renamed it is that of the slug before, and
   * says so.
   */
  read(slug: string, days: Days): PublishedSeries | null
  /** The beginning of its document, `''` where there is none. */
  head(slug: string, days: Days): string
}

/** Reads the series of the last publication. `aliasesOf` names the slugs that an asset had before. */
export function lastSeries(tree: Readable, aliasesOf: (slug: string) => readonly string[]): LastSeries {
  // What is lost is marked as missing, and filled in again where a source knows it.
  const parsed = (slug: string, days: Days): PublishedSeries | null =>
    readJson(tree.read(seriesFile(slug, days)), PublishedSeries)
  return {
    read(slug, days) {
      const own = parsed(slug, days)
      if (own !== null) return own
      for (const alias of aliasesOf(slug)) {
        const before = parsed(alias, days)
        if (before !== null && before.replacedBy === null) return before
      }
      return null
    },
    head(slug, days) {
      for (const name of [slug, ...aliasesOf(slug)]) {
        const head = tree.head(seriesFile(name, days))
        if (head !== '') return head
      }
      return ''
    },
  }
}

/** `missing` and `to` stand in the head of a document, before anything long. */
const HEAD = /"to":"([^"]+)",\s*"missing":(\d+)/

/** What the head of a series says: the start of its open bucket, and its missing buckets. Null before the first observation. */
export function headOf(head: string): { readonly to: number; readonly missing: number } | null {
  const [, to, missing] = HEAD.exec(head) ?? []
  return to === undefined ? null : { to: Date.parse(to), missing: Number(missing) }
}

/** The oldest published price of a listing in the last day, each read when it is asked for; null where there is none. */
export function oldestPriceOf(tree: Readable): (slug: string) => number | null {
  const last = lastSeries(tree, () => [])
  return (slug) => last.read(slug, 1)?.rows.find(({ price_usd }) => price_usd !== null)?.price_usd ?? null
}

/**
 * Our own price of a listing a day before `now`, from the hourly grid; null where no run of ours saw it in that hour. A
 * row without volume was filled in from elsewhere.
 */
export function dayAgoOf(tree: Readable, now: number): (slug: string) => Point | null {
  const hour = timestampOf(bucketOf(now - LENGTH_OF['1d'], '1h'))
  return (slug) => {
    const text = tree.read(seriesFile(slug, 7)) ?? ''
    // A row is a line, and this one alone is read: parsing the whole of every series would take longer than pricing.
    const start = text.indexOf(`{"timestamp":"${hour}"`)
    const row = start < 0 ? null : readJson(text.slice(start, text.indexOf('}', start) + 1), Point)
    return row && row.volume_24h_usd !== null ? row : null
  }
}
