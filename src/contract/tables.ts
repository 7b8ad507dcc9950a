import * as z from 'zod'
import { ownListOf } from './envelope.ts'
import { readJson } from './read-json.ts'
import { API_FOLDER } from './prefix.ts'
import { Day } from './changes.ts'
import { Count, Sha256, Slug, Timestamp } from './words.ts'

export const TABLES_FOLDER = 'tables'

/** The document that lists the tables, relative to the tree's root. A test keeps it equal to that of the endpoint's declaration. */
export const TABLES_FILE = `${API_FOLDER}/tables.json`

export const TableRow = z
  .object({
    table: z
      .enum(['assets', 'listings', 'quotes', 'rates', 'daily'])
      .describe(
        'What the table holds: `listings` also has those that are gone. There is one of `quotes` for each day, one of `rates` for all days, one of `daily` for the last 365 days, and one for each past year.',
      ),
    path: z
      .string()
      .regex(/^tables\/[a-z0-9-]+\.parquet$/)
      .describe('Parquet file, relative to the root of the host. It answers ranges.'),
    rows: Count,
    bytes: Count,
    sha256: Sha256,
    metadataBytes: Count.describe('Length of the metadata at the end of the file, so that one request reads it.'),
    days: z
      .object({ from: Day, to: Day })
      .nullable()
      .describe('First and last day that the table is for; null: it holds the listings of the snapshot.'),
    slugs: z
      .object({ from: Slug, to: Slug })
      .nullable()
      .describe(
        'First and last listing of a file of `daily`: what is longer than 24 MiB goes on in another one. Null: it has no rows, or is of another table.',
      ),
    generatedAt: Timestamp.describe('Of the snapshot that the table was written from.'),
    schema: z
      .array(z.object({ name: z.string(), type: z.string(), description: z.string() }))
      .describe('Columns, in order.'),
  })
  .meta({ id: 'TableRow', description: 'A file of a table.' })
export type TableRow = z.infer<typeof TableRow>

export const TablesMembers = {
  generatedAt: Timestamp.nullable().describe(
    'Of the snapshot that the tables were last written from, which may precede this one; null: none were written.',
  ),
  ...ownListOf(TableRow),
} as const

const Tables = z.object(TablesMembers)
export type Tables = z.infer<typeof Tables>

const NO_TABLES: Tables = { generatedAt: null, count: 0, rows: [] }

/** Returns the list in the text of its document; an empty one if there is none. */
export const tablesIn = (text: string | null): Tables => readJson(text, Tables) ?? NO_TABLES
