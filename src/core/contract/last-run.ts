import * as z from 'zod'
import { Timestamp } from './words.ts'

const Outcome = z.enum(['published', 'refused', 'no_usable_source', 'failed'])

/** Number of runs in a row that are remembered if they publish nothing: three weeks of half hours. */
export const MOST_UNPUBLISHED = 1000

/**
 * How the last run ended, beside the published tree: a run that publishes nothing leaves no trace in it. The server's
 * metrics read this, and the next snapshot counts its runs. Lost, these runs are not counted.
 */
export const LastRun = z.object({
  at: Timestamp,
  outcome: Outcome,
  seconds: z.number().nonnegative(),
  /** Runs in a row that published nothing, this one included, oldest first: the newest {@link MOST_UNPUBLISHED}. */
  unpublished: z.array(z.object({ at: Timestamp, outcome: Outcome })),
  /** What the gate found, and whether it refused the run for it. */
  findings: z.array(z.object({ rule: z.string(), refused: z.boolean() })),
})
export type LastRun = z.infer<typeof LastRun>
