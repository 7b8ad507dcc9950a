import { group } from 'd3-array'
import type { SourcesKind } from '../contract/product.ts'
import type { PastRow } from '../contract/observations.ts'
import { isoOf } from '../feed/time.ts'
import { ask } from '../history/past-prices.ts'
import type { Bundle } from '../observations/bundle.ts'
import { bundleOf, factsOf, sortedPast } from '../observations/merge.ts'
import type { Registry } from '../registry/registry.ts'
import type { CollectOptions, Report } from '../sources/collect.ts'
import type { Source } from '../sources/source.ts'
import { NOTHING_PUBLISHED } from '../tree/last-publication.ts'
import { wantsOf } from './enrichment.ts'
import { observeSources } from './observe.ts'
import { withinQuota } from './quotas.ts'
import { ration } from './rationed.ts'
import { type PlannedSource, type RunPlan, type Shard, plannedWants } from './run-plan.ts'

/** What a collection takes. It needs no tree. */
export interface Collection {
  /** Folder with what collections keep for the next one, such as lists that seldom change and spent quotas. */
  readonly state: string
  readonly kind: SourcesKind
  /** Sources whose lists are requested. */
  readonly sources: readonly Source[]
  /** Sources that past prices may be requested from. */
  readonly all: readonly Source[]
  readonly registry: Registry
  /** Time of the collection, in ms since 1970. */
  readonly now: number
  readonly elapsed: () => number
  readonly signal: AbortSignal
  readonly connect: CollectOptions['connect']
  readonly listings: number | null
  readonly cadenceMs: number
  readonly region: string | null
  readonly commit: string | null
  /** The plan of the run and the part of this collector; null: it is on its own. */
  readonly planned: { readonly plan: RunPlan; readonly shard: Shard } | null
  readonly onProgress?: (report: Report) => void
}

/** Collects from sources, and returns what they said as a bundle. A source that fails is in it with the reason. */
export async function collectBundle(collection: Collection): Promise<Bundle> {
  const { state, sources, all, now, planned, cadenceMs, kind } = collection
  const bySource = new Map(planned?.plan.sources.map((own) => [own.source_id, own]))
  const rationed = ration({
    root: state,
    sources: all,
    connect: limited(collection.connect, bySource),
    history: { perRun: Infinity, perSource: Infinity },
    now,
    cadenceMs,
    listings: collection.listings,
  })
  try {
    const spared = new Set(rationed.spared.map(({ source }) => source.id))
    const { observations } = await observeSources({
      ...collection,
      root: state,
      sources: sources.filter(({ id }) => !spared.has(id)),
      hasDirectory: kind === 'live',
      connect: rationed.connect,
      wants: (source) => wantsBy(bySource.get(source.id), source, collection),
      currenciesOf: ({ id }) => bySource.get(id)?.currencies ?? true,
    })
    const past = await pastOf(collection, rationed.connect)
    const listed = new Set(observations.facts.map(({ source_id }) => source_id))
    const facts = [
      ...observations.facts,
      ...all
        .filter(({ id }) => past.has(id) && !listed.has(id))
        .map((source) => factsOf(source, { clock: now, listed: false })),
    ]
    const rows = new Map(
      facts.map(({ source_id: id }) => [id, [...(observations.rows.get(id) ?? []), ...(past.get(id) ?? [])]]),
    )
    const header = {
      run: planned?.plan.run ?? isoOf(now),
      kind,
      commit: collection.commit,
      clock: now,
      cadence_ms: cadenceMs,
      region: collection.region,
    }
    const counted = facts.map((own) => ({ ...own, requests: rationed.requested(own.source_id) }))
    const bundle = bundleOf({ facts: counted, rows }, header)
    // All sources of the run, so that the merge misses those whose bundle does not arrive.
    const expected = planned ? planned.plan.shards.flatMap((shard) => shard.sources) : [...listed]
    return { ...bundle, header: { ...bundle.header, expected } }
  } finally {
    rationed.save()
  }
}

const wantsBy = (planned: PlannedSource | undefined, source: Source, { listings, registry, now }: Collection) =>
  planned ? plannedWants(planned, listings) : wantsOf(source, { listings, registry, previous: NOTHING_PUBLISHED, now })

/** Connections that request no more than the plan allows. */
const limited =
  (connect: Collection['connect'], planned: ReadonlyMap<string, PlannedSource>): Collection['connect'] =>
  (source) =>
    withinQuota(connect(source), source.id, planned.get(source.id)?.most ?? Infinity)

/** Requests the past prices of a shard. Returns the answers by source; a failure leaves a gap for a later run. */
async function pastOf(
  { planned, all }: Collection,
  connect: Collection['connect'],
): Promise<ReadonlyMap<string, PastRow[]>> {
  const byId = new Map(all.map((source) => [source.id, source]))
  const answers: PastRow[] = []
  await ask(planned?.shard.gaps ?? [], byId, { connect, onFilled: undefined, take: (answer) => answers.push(answer) })
  return group(sortedPast(answers), ({ source_id }) => source_id)
}
