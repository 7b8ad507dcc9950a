import type { SourcesKind } from '../contract/product.ts'
import { hoursSince, isoOf } from '../feed/time.ts'
import type { Registry } from '../registry/registry.ts'
import type { Source } from '../sources/source.ts'
import { NOTHING_PUBLISHED, type LastPublication, lastPublication } from '../tree/last-publication.ts'
import { lastState } from '../tree/last-state.ts'
import type { Place } from '../tree/place.ts'
import { Tree } from '../tree/tree.ts'
import { StoredList, isDue } from './currency-lists.ts'
import { ENRICHMENT, wantsOf } from './enrichment.ts'
import { readKept } from './kept-state.ts'
import { readPastPlan } from './past-plan.ts'
import { type Region, planShards } from './plan-shards.ts'
import { type Ration, type Spared, ration } from './rationed.ts'
import { RefusedProfiles } from './refused-profiles.ts'
import { FRESH, PLAN_FORMAT, type PlannedSource, type RunPlan } from './run-plan.ts'

/** What a plan is made of. */
export interface Planning {
  /** Folder of the tree; the plan is of a first run if it holds none. */
  readonly root: string
  /** Where the last publication can be restored from if the folder holds none. */
  readonly from: readonly Place[]
  readonly kind: SourcesKind
  readonly sources: readonly Source[]
  readonly registry: Registry
  /** Time of the run, in ms since 1970. */
  readonly now: number
  readonly cadenceMs: number
  readonly listings: number | null
  readonly regions: readonly Region[]
  readonly mostShards: number
  readonly leastShards: number
  readonly seconds: number
}

/** Returns the plan of a run, and the sources that it does not ask. */
export async function planRun(
  planning: Planning,
): Promise<{ readonly plan: RunPlan; readonly spared: readonly Spared[] }> {
  const { root, kind, sources, now, cadenceMs, listings } = planning
  const tree = new Tree(root)
  await lastState(tree, planning.from, now)
  const previous = tree.isEmpty ? NOTHING_PUBLISHED : lastPublication(tree)
  const history = { perRun: 0, perSource: 0 }
  const connect = () => {
    throw new Error('a plan requests nothing')
  }
  const rationed = ration({ root, sources, connect, history, now, cadenceMs, listings })
  const asked = new Set(rationed.sources.map(({ id }) => id))
  const plan: RunPlan = {
    format: PLAN_FORMAT,
    version: 1,
    run: isoOf(now),
    kind,
    cadence_ms: cadenceMs,
    listings,
    sources: rationed.sources.map((source) => plannedSource(source, planning, { previous, rationed })),
    shards: planShards({
      ...planning,
      sources: rationed.sources,
      gaps: readPastPlan(root).filter(({ source_id }) => asked.has(source_id)),
    }),
  }
  return { plan, spared: rationed.spared }
}

function plannedSource(
  source: Source,
  { root, registry, now, listings }: Planning,
  { previous, rationed }: { readonly previous: LastPublication; readonly rationed: Ration },
): PlannedSource {
  const { id } = source
  const refused = new RefusedProfiles(root, now)
  const known = [...previous.listings.values()].flatMap(({ asset: { external_ids, profile_updated } }) => {
    const own = external_ids[id]
    return own === undefined ? [] : [{ id: own, at: profile_updated ?? '' }]
  })
  const isAggregator = source.type === 'aggregator'
  return {
    source_id: id,
    most: rationed.left(id),
    profiles: {
      most: Math.min(ENRICHMENT.profiles, rationed.profiles(source) ?? Infinity),
      updated: Object.fromEntries(
        isAggregator
          ? known.filter(({ at }) => at !== '').map((one) => [one.id, isFresh(one.at, now) ? FRESH : one.at])
          : [],
      ),
      refused: isAggregator ? known.flatMap((one) => (refused.has(id, one.id) ? [one.id] : [])) : [],
    },
    tokens: [...wantsOf(source, { listings, registry, previous, now }).tokens],
    currencies: source.currencies !== undefined && isDue(readKept(root, `currencies-${id}`, StoredList), now),
  }
}

const isFresh = (at: string, now: number): boolean => hoursSince(at, now) <= ENRICHMENT.profile_days * 24
