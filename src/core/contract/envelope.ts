import * as z from 'zod'
import { Allowed, Count, ErrorCode, SourceErrorCode, SourceStatus, Timestamp } from './words.ts'

/** It never contains a key, a token or a stack trace. */
const SourceTrouble = z
  .object({
    code: SourceErrorCode,
    message: z.string().describe('Human-readable; may change.'),
    sources: z.array(z.string()).describe('`source_id` of each affected source.'),
    since: Timestamp.describe('Start of the current failure.'),
  })
  .meta({ id: 'SourceTrouble', description: 'Error of the sources behind a document.' })

export const Envelope = {
  ok: z.boolean().describe('False if the HTTP status is 400 or above, otherwise true.'),
  product: z.string().describe('Name of the service.'),
  endpoint: z.string().describe('Name of the answering endpoint.'),
  timestamp: Timestamp.describe('Time of the data: when this document last changed.'),
  sourceStatus: SourceStatus.describe('Status of the sources behind this document.'),
  sourceError: SourceTrouble.nullable().describe('Null if and only if `sourceStatus` is `ok`.'),
} as const

export const HEALTHY = { sourceStatus: 'ok', sourceError: null } as const

export const ListTotals = {
  count: Count.describe('Number of rows in this response.'),
  total: Count.describe('Number of listings in the whole feed.'),
} as const

export const listOf = <Row extends z.ZodType>(row: Row) => ({ ...ListTotals, rows: z.array(row) }) as const

/** Returns the members of a list about one asset. Without `total`: a new listing would rewrite every file of the tree. */
export const ownListOf = <Row extends z.ZodType>(row: Row) => ({ count: ListTotals.count, rows: z.array(row) }) as const

const Problem = z
  .object({
    code: ErrorCode,
    message: z.string().describe('Human-readable; may change.'),
    status: z.int().min(400).max(599).describe('HTTP status, repeated for readers that no longer have it.'),
    parameter: z.string().nullable().describe('Name of the invalid parameter; null: none.'),
    allowed: Allowed.nullable().describe('Allowed values, or a description of them.'),
    issues: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe('For `invalid_request`: every problem of the body.'),
    ignored: z.array(z.string()).optional().describe('With `issues`: unknown members of the body.'),
  })
  .meta({ id: 'Problem', description: 'Why a request failed.' })

export const ErrorAnswer = z
  .strictObject({ ...Envelope, ok: z.literal(false), error: Problem })
  .meta({ id: 'ErrorAnswer', description: 'Every response with status 400 or above.' })
export type ErrorAnswer = z.infer<typeof ErrorAnswer>
