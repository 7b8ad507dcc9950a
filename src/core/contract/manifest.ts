import * as z from 'zod'
import { groupBy, by, byKey } from './order.ts'
import { API_FOLDER } from './prefix.ts'
import { Count, Day, Sha256, Timestamp, formed } from './words.ts'

/** A path relative to the tree's root. It cannot leave the tree or name a dot file. */
const TreePath = formed(400, /^[^./\\][^/\\]*(\/[^./\\][^/\\]*)*$/).refine(
  (path) => !/\p{Cc}/u.test(path),
  'must not contain control characters',
)

export const ManifestRow = z
  .object({
    path: TreePath.describe('Relative to the root of the tree.'),
    bytes: Count,
    sha256: Sha256,
    timestamp: Timestamp.describe('When the file last changed.'),
  })
  .meta({ id: 'ManifestRow', description: 'One file of the tree.' })
export type ManifestRow = z.infer<typeof ManifestRow>

export const ManifestPartRow = ManifestRow.extend({
  part: z.string().describe('Name of the part.'),
  files: Count.describe('Number of files that it lists.'),
}).meta({ id: 'ManifestPartRow', description: 'A part of the manifest: the files of a folder.' })

export const TableRow = z
  .object({
    table: z
      .enum(['listings', 'rates', 'daily'])
      .describe(
        'What the table holds: `listings` also has those that are gone. There is one of `daily` for the last 365 days, and one for each past year.',
      ),
    path: z
      .string()
      .regex(/^tables\/[a-z0-9-]+\.parquet$/)
      .describe('Parquet file, relative to the root of the host. It answers ranges.'),
    ...ManifestRow.pick({ bytes: true, sha256: true, timestamp: true }).shape,
    days: z
      .object({ from: Day, to: Day })
      .nullable()
      .describe('First and last day that the table is for; null: it is not of a range of days.'),
    schema: z
      .array(z.object({ name: z.string(), type: z.string(), description: z.string() }))
      .describe('Columns, in order.'),
  })
  .meta({ id: 'TableRow', description: 'A table for analysts. It has the days before the one that it was written on.' })
/** A table without what follows from its content. */
export type TableFile = Omit<z.infer<typeof TableRow>, 'bytes' | 'sha256' | 'timestamp'>

export const isPart = (file: string): boolean => file.startsWith(`${API_FOLDER}/manifest/`)

function partOfFile(file: string): string {
  const isInApi = file.startsWith(`${API_FOLDER}/`)
  const [folder = '', ...below] = (isInApi ? file.slice(API_FOLDER.length + 1) : file).split('/')
  return below.length > 0 ? folder : isInApi ? 'lists' : 'site'
}

export const manifestParts = <Row extends { readonly path: string }>(rows: readonly Row[]) =>
  [...groupBy(rows.toSorted(by(({ path }) => path)), ({ path }) => partOfFile(path))].toSorted(byKey)
