import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ARCHIVE, WORK } from './layout.ts'
import { type Place, placeAt } from './place.ts'
import { filesBelow } from './reader.ts'
import { RestoreError } from './restore-error.ts'
import { type RestoredFrom, restoreNewest } from './restore-newest.ts'
import type { Tree } from './tree.ts'

/**
 * Makes sure that a run goes on from the last publication. A tree that is there is gone on from. An empty folder is
 * filled from the newest publication of these places, an archive in the folder itself among them. Returns what was
 * restored, and null where nothing had to be: there is a tree, or nothing says that there ever was one.
 *
 * @param now the run's clock in ms
 * @throws RestoreError `nothing_restored` where a place is named, or the folder holds traces, and nothing can be restored
 */
export async function lastState(tree: Tree, places: readonly Place[], now: number): Promise<RestoredFrom | null> {
  if (!tree.isEmpty) return null
  const all = [...ownArchive(tree), ...places]
  if (all.length > 0) return restoreNewest(tree, all, now)
  if (existsSync(join(tree.root, WORK.incoming)))
    throw new RestoreError(
      'nothing_restored',
      `${tree.root} holds an interrupted restore. Name the source again with --from, or start over with --fresh, which ` +
        'deletes all history.',
    )
  return null
}

/** The folder itself as a place, where an archive lies in it: CI caches keep that alone. */
function ownArchive({ root }: Tree): Place[] {
  // What a refused run left is no archive; parts without a pointer are traces of one.
  if (filesBelow(root, ARCHIVE.folder).every((file) => basename(file).startsWith('.'))) return []
  return [placeAt(root, { timeoutMs: 0, attempts: 1, pause: async () => {} })]
}
