import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { CHECKPOINT, WORK } from './layout.ts'
import { type Place, placeAt } from './place.ts'
import { filesBelow } from './reader.ts'
import { RestoreError } from './restore-error.ts'
import { type RestoredFrom, restoreNewest } from './restore-newest.ts'
import type { Tree } from './tree.ts'

/**
 * Restores the last publication into an empty tree from the newest of these places, or from a checkpoint in its own
 * folder. Returns null if the tree is not empty, or nothing indicates an earlier publication.
 *
 * @param now time of the run in ms since 1970
 * @param maxAgeMs see {@link restoreNewest}
 * @throws RestoreError `nothing_restored` if there should be a publication but none can be restored
 */
export async function lastState(
  tree: Tree,
  places: readonly Place[],
  now: number,
  maxAgeMs?: number,
): Promise<RestoredFrom | null> {
  if (!tree.isEmpty) return null
  const all = [...ownCheckpoint(tree), ...places]
  if (all.length > 0) return restoreNewest(tree, all, now, maxAgeMs)
  if (existsSync(join(tree.root, WORK.incoming)))
    throw new RestoreError(
      'nothing_restored',
      `${tree.root} holds an interrupted restore. Name the source again with --from, or start over with --fresh, which ` +
        'deletes all history.',
    )
  return null
}

/** Returns the folder itself as a place if it has a checkpoint, which is all that a CI cache keeps. */
function ownCheckpoint({ root }: Tree): Place[] {
  // What a refused run left is no checkpoint; parts without what names them are traces of one.
  if (filesBelow(root, CHECKPOINT.folder).every((file) => basename(file).startsWith('.'))) return []
  return [placeAt(root, { timeoutMs: 0, attempts: 1, pause: async () => {} })]
}
