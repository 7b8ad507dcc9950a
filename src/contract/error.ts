import * as z from 'zod'
import { Envelope } from './envelope.ts'
import { ErrorCode } from './words.ts'

/** Why a request was not answered. `status` is the HTTP status, for a reader that no longer has it. */
export const Problem = z
  .object({
    code: ErrorCode,
    message: z.string(),
    status: z.int().min(400).max(599),
    parameter: z.string().nullable(),
    allowed: z.union([z.string(), z.array(z.union([z.string(), z.number()]))]).nullable(),
    issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Problem' })
export type Problem = z.infer<typeof Problem>

/** Every answer with status 400 and above. */
export const ErrorAnswer = z
  .strictObject({ ...Envelope, ok: z.literal(false), error: Problem })
  .meta({ id: 'ErrorAnswer' })
export type ErrorAnswer = z.infer<typeof ErrorAnswer>
