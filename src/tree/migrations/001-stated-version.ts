import * as z from 'zod'
import { API_FOLDER } from '../../contract/prefix.ts'
import type { SourceRights } from '../../contract/rights.ts'
import type { Migration } from './migration.ts'

const HISTORY = new RegExp(`^${API_FOLDER}/history/[^/]+/days=\\d+\\.json$`)

const CANDLES = new RegExp(`^${API_FOLDER}/candles/[^/]+/days=\\d+\\.json$`)

const Candles = z.looseObject({ rows: z.array(z.looseObject({})) })

const Series = z.looseObject({
  source_label: z.string(),
  seenAfterSeconds: z.array(z.number().nullable()),
  rows: z.array(z.looseObject({})),
})

/** Rights of a source whose terms nobody had recorded. */
const UNREAD: SourceRights = { class: 'unknown', terms_url: null, read_on: null, attribution: null }

const Sources = z.looseObject({ rows: z.array(z.looseObject({})) })

/**
 * Trees that state no version, up to the first release that states one.
 *
 * History: `source_label` became `sourceLabel`, like the other members of an envelope. `seenAfterSeconds` was dropped: it
 * was null for a backfilled row, and such a row had the volume of one venue in a column of all venues, so that volume is
 * unknown. A series could not name the slug that replaces it.
 *
 * Collector: rows had neither the rights of a source nor the countries that it blocks. Nobody knows what an earlier
 * version read in the terms, so the class is `unknown`, which permits nothing. The run that follows states the rights of
 * every source that it asks.
 *
 * Candles: rows did not have the bars of the venues that they were made of. Those bars are gone, so the list is empty, and
 * such a row cannot be computed again.
 */
export const statedVersion: Migration = [
  {
    isOf: (file) => HISTORY.test(file),
    migrate(document) {
      const { data } = Series.safeParse(document)
      if (data === undefined) return document
      const { source_label: sourceLabel, seenAfterSeconds: seen, rows, ...rest } = data
      const ownVolumes = rows.map((row, place) => (seen[place] === null ? { ...row, volume_24h_usd: null } : row))
      return { replacedBy: null, ...rest, sourceLabel, rows: ownVolumes }
    },
  },
  {
    isOf: (file) => CANDLES.test(file),
    migrate(document) {
      const { data } = Candles.safeParse(document)
      if (data === undefined || data.rows.every((row) => 'inputs' in row)) return document
      return { ...data, rows: data.rows.map((row) => ({ ...row, inputs: [] })) }
    },
  },
  {
    isOf: (file) => file === `${API_FOLDER}/collector.json`,
    migrate(document) {
      const { data } = Sources.safeParse(document)
      if (data === undefined || data.rows.every((row) => 'rights' in row && 'unavailable_from' in row)) return document
      return { ...data, rows: data.rows.map((row) => ({ rights: UNREAD, unavailable_from: [], ...row })) }
    },
  },
]
