import * as z from 'zod'
import { Count, SourceErrorCode, SourceStatus, Timestamp } from './words.ts'

/** Never a key, a token or a stack trace. */
export const SourceTrouble = z
  .object({
    code: SourceErrorCode,
    message: z.string().describe('For a person; may change.'),
    sources: z.array(z.string()).describe('`source_id` of each source concerned.'),
    since: Timestamp.describe('Since when it has been so without a break.'),
  })
  .meta({ id: 'SourceTrouble', description: 'What is wrong with the sources of a document.' })
export type SourceTrouble = z.infer<typeof SourceTrouble>

/** Members that every response has, errors too. */
export const Envelope = {
  ok: z.boolean().describe('False only together with HTTP status 400 and above.'),
  product: z.string().describe('Name of the service.'),
  endpoint: z.string().describe('Name of the endpoint that answers.'),
  timestamp: Timestamp.describe('The time as of which the data holds: the run that last changed this document.'),
  sourceStatus: SourceStatus.describe('Of the sources that feed this very document.'),
  sourceError: SourceTrouble.nullable().describe('Null exactly when `sourceStatus` is `ok`.'),
} as const

/** `count` of this response and `total` of the whole feed. */
export const Totals = {
  count: Count.describe('Rows in this response.'),
  total: Count.describe('Listings in the whole feed.'),
} as const

/** Members of an answer that is a list. */
export const listOf = <Row extends z.ZodType>(row: Row) => ({ ...Totals, rows: z.array(row) }) as const

/** Members of a list that belongs to one asset: no `total`, or one new listing would rewrite every file of the tree. */
export const ownListOf = <Row extends z.ZodType>(row: Row) => ({ count: Totals.count, rows: z.array(row) }) as const
