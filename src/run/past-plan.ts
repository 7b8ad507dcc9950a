import * as z from 'zod'
import { Days, GridInterval, Interval } from '../contract/history.ts'
import type { GapRequest } from '../history/backfill.ts'
import { readKept, writeKept } from './kept-state.ts'

const NAME = 'past-plan'

/** Requests for the past prices of one gap, as they are kept between runs and handed to collectors. */
export const PlannedGap = z.object({
  slug: z.string(),
  days: Days,
  interval: GridInterval,
  source_id: z.string(),
  market: z.string(),
  quote: z.string(),
  requests: z.array(z.object({ market: z.string(), interval: Interval, from: z.number(), to: z.number() })).max(100),
}) satisfies z.ZodType<GapRequest>
export type PlannedGap = z.infer<typeof PlannedGap>

const Plan = z.array(PlannedGap)

/** Keeps the gaps that collectors should fill before the next run. */
export const keepPastPlan = (root: string, gaps: readonly GapRequest[]): void => writeKept(root, NAME, gaps)

/** Returns the gaps that collectors should fill before the next run; none before the first. */
export const readPastPlan = (root: string): readonly PlannedGap[] => readKept(root, NAME, Plan) ?? []
