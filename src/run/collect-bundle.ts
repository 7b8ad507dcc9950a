import type { Bundle } from '../sources/bundle.ts'
import { NOTHING_PUBLISHED, lastPublication } from '../tree/last-publication.ts'
import { lastState } from '../tree/last-state.ts'
import type { Place } from '../tree/place.ts'
import { RestoreError } from '../tree/restore-error.ts'
import { Tree } from '../tree/tree.ts'
import { ration as rationOf } from './rationed.ts'
import { bundleIn, recordingOf } from './recording.ts'
import type { Inputs, Limits, Ports, Tell } from './run.ts'

/**
 * What a collection takes. Its folder holds what collections keep for the next one, such as lists that seldom change and
 * spent quotas. The tree in it, if there is one, says which profiles and tokens are due.
 */
export interface Collection
  extends
    Pick<Inputs, 'kind' | 'sources' | 'registry' | 'now' | 'cadenceMs' | 'commit'>,
    Pick<Ports, 'root' | 'elapsed' | 'signal' | 'connect'>,
    Pick<Limits, 'listings'> {
  /** Where the last publication can be restored from if the folder holds none. */
  readonly from: readonly Place[]
  readonly tell: Tell
}

/** Nothing but details are due without a last publication, so a collection goes on. */
function ifRestorable(error: unknown): void {
  if (!(error instanceof RestoreError)) throw error
}

/** Collects from sources, and returns what they said as a bundle. A source that fails is in it with the reason. */
export async function collectBundle(collection: Collection): Promise<Bundle> {
  const { root, from, now, kind, listings, tell } = collection
  const tree = new Tree(root)
  await lastState(tree, from, now).catch(ifRestorable)
  const previous = tree.isEmpty ? NOTHING_PUBLISHED : lastPublication(tree)
  const ration = rationOf(collection, collection, { listings, history: { perRun: Infinity, perSource: Infinity } })
  try {
    const recorder = { ports: collection, limits: { listings }, ration, hasDirectory: kind === 'live', tell }
    const { recording } = await recordingOf(collection, { previous }, recorder)
    return bundleIn(recording, collection, ration)
  } finally {
    ration.save()
  }
}
