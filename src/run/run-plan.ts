import * as z from 'zod'
import { line } from '../contract/words.ts'
import type { Wants } from '../sources/source.ts'
import { PlannedGap } from './past-plan.ts'

export const PLAN_FORMAT = 'quotetree-plan'

/** What one source is asked for besides its list. */
export const PlannedSource = z.object({
  source_id: z.string(),
  /** The most requests; null: no quota is known. */
  most: z.int().nonnegative().nullable(),
  /** The most profiles, and when the known ones were had; refused ones are not asked for. */
  profiles: z.object({
    most: z.int().nonnegative(),
    updated: z.record(z.string(), z.string()),
    refused: z.array(z.string()),
  }),
  tokens: z.array(z.object({ platform: z.string(), address: z.string() })).max(10_000),
  /** Whether its list of currencies is due. */
  currencies: z.boolean(),
})
export type PlannedSource = z.infer<typeof PlannedSource>

/** The part of a collection that one machine makes. */
export const Shard = z.object({
  name: z.string().regex(/^[a-z0-9-]{1,64}$/),
  region: line(100),
  /** Label of the machine, as the matrix of GitHub Actions has it. */
  runs_on: line(100),
  country: z.string().length(2).nullable(),
  /** Sources whose lists it requests. */
  sources: z.array(z.string()),
  gaps: z.array(PlannedGap),
})
export type Shard = z.infer<typeof Shard>

/** What the collectors of a run are asked for. It is made of the last publication, which collectors do not need. */
export const RunPlan = z.object({
  format: z.literal(PLAN_FORMAT),
  version: z.literal(1),
  run: line(100),
  kind: z.enum(['live', 'sample']),
  cadence_ms: z.int().positive(),
  listings: z.int().positive().nullable(),
  sources: z.array(PlannedSource),
  shards: z.array(Shard),
})
export type RunPlan = z.infer<typeof RunPlan>

/** Returns what a source is asked for by a plan. */
export const plannedWants = ({ profiles, tokens }: PlannedSource, listings: number | null): Wants => ({
  listings,
  tokens,
  profiles: (ids) => {
    const refused = new Set(profiles.refused)
    return ids
      .map((id, rank) => ({ id, rank, at: profiles.updated[id] ?? '' }))
      .filter(({ id, at }) => !refused.has(id) && at !== FRESH)
      .toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.rank - b.rank))
      .slice(0, profiles.most)
      .map(({ id }) => id)
  },
})

/** Time of a profile that is not due. */
export const FRESH = 'fresh'
