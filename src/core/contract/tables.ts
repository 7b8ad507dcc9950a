import * as z from 'zod'
import { ManifestRow } from './manifest.ts'
import { Day } from './words.ts'

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
