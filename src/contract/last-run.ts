import * as z from 'zod'
import { Count, Timestamp } from './words.ts'

/**
 * How the last run ended, beside the published tree: a run that publishes nothing leaves no trace in it. Only the server's
 * metrics read this; lost, they lack it until the next run.
 */
export const LastRun = z.object({
  /** When it ended. */
  at: Timestamp,
  outcome: z.enum(['published', 'refused', 'no_usable_source', 'failed']),
  seconds: z.number().nonnegative(),
  /** Runs in a row that published nothing, this one included. */
  unpublished: Count,
  /** What the gate found, and whether it refused the run for it. */
  findings: z.array(z.object({ rule: z.string(), refused: z.boolean() })),
})
export type LastRun = z.infer<typeof LastRun>

/** The name that it is kept under. */
export const LAST_RUN = 'last-run'
