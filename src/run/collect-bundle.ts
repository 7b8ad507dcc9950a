import { isoOf } from '../contract/time.ts'
import type { SourcesKind } from '../contract/product.ts'
import type { Bundle } from '../observations/bundle.ts'
import { bundleOf } from '../observations/merge.ts'
import type { Registry } from '../registry/registry.ts'
import type { CollectOptions } from '../sources/collect.ts'
import type { Source } from '../sources/source.ts'
import { NOTHING_PUBLISHED, lastPublication } from '../tree/last-publication.ts'
import { lastState } from '../tree/last-state.ts'
import type { Place } from '../tree/place.ts'
import { RestoreError } from '../tree/restore-error.ts'
import { Tree } from '../tree/tree.ts'
import { wantsOf } from './enrichment.ts'
import { recordSources } from './record-sources.ts'
import { ration } from './rationed.ts'
import type { Tell } from './run.ts'

/** What a collection takes. */
export interface Collection {
  /**
   * Folder with what collections keep for the next one, such as lists that seldom change and spent quotas. The tree in it,
   * if there is one, says which profiles and tokens are due.
   */
  readonly root: string
  /** Where the last publication can be restored from if the folder holds none. */
  readonly from: readonly Place[]
  readonly kind: SourcesKind
  readonly sources: readonly Source[]
  readonly registry: Registry
  /** Time of the collection, in ms since 1970. */
  readonly now: number
  readonly elapsed: () => number
  readonly signal: AbortSignal
  readonly connect: CollectOptions['connect']
  readonly listings: number | null
  readonly cadenceMs: number
  readonly commit: string | null
  readonly tell: Tell
}

/** Nothing but details are due without a last publication, so a collection goes on. */
function ifRestorable(error: unknown): void {
  if (!(error instanceof RestoreError)) throw error
}

/** Collects from sources, and returns what they said as a bundle. A source that fails is in it with the reason. */
export async function collectBundle(collection: Collection): Promise<Bundle> {
  const { root, sources, registry, now, cadenceMs, kind, commit, listings } = collection
  const tree = new Tree(root)
  await lastState(tree, collection.from, now).catch(ifRestorable)
  const previous = tree.isEmpty ? NOTHING_PUBLISHED : lastPublication(tree)
  const rationed = ration({ sources, now, cadenceMs }, collection, {
    listings,
    history: { perRun: Infinity, perSource: Infinity },
  })
  try {
    const { recording } = await recordSources({
      ...collection,
      sources: rationed.sources,
      all: sources,
      hasDirectory: kind === 'live',
      connect: rationed.connect,
      wants: (source) => wantsOf(source, { listings, registry, previous, now, profiles: rationed.profiles(source) }),
    })
    const facts = recording.facts.map((own) => ({ ...own, requests: rationed.requested(own.source_id) }))
    const header = { run: isoOf(now), kind, commit, clock: now, cadence_ms: cadenceMs, region: null }
    return bundleOf({ facts, rows: recording.rows }, header)
  } finally {
    rationed.save()
  }
}
