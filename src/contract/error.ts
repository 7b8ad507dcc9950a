import * as z from 'zod'
import { Envelope } from './envelope.ts'
import { ErrorCode } from './words.ts'

export const Problem = z
  .object({
    code: ErrorCode,
    message: z.string().describe('For a person; may change.'),
    status: z.int().min(400).max(599).describe('The HTTP status, for a reader that no longer has it.'),
    parameter: z.string().nullable().describe('The parameter at fault; null: none is.'),
    allowed: z
      .union([z.string(), z.array(z.union([z.string(), z.number()]))])
      .nullable()
      .describe('What would be taken in its place: the values, or a text that says which.'),
    issues: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .describe('With `invalid_request`: everything that is wrong with the body.'),
  })
  .meta({ id: 'Problem', description: 'Why a request was not answered.' })
export type Problem = z.infer<typeof Problem>

export const ErrorAnswer = z
  .strictObject({ ...Envelope, ok: z.literal(false), error: Problem })
  .meta({ id: 'ErrorAnswer', description: 'Every answer with status 400 and above.' })
export type ErrorAnswer = z.infer<typeof ErrorAnswer>
