import * as z from 'zod'
import { Envelope } from './envelope.ts'
import { Allowed, ErrorCode } from './words.ts'

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
