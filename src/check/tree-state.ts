import { sha256Of } from '../contract/digest.ts'
import { STATE_VERSION } from '../contract/words.ts'
import { rowsDigest } from '../endpoints/compose.ts'
import { isUnfinished } from '../tree/journal.ts'
import { LAYOUT, WORK } from '../tree/layout.ts'
import { lockHolder } from '../tree/lock.ts'
import type { PublishedManifest } from '../tree/published-documents.ts'
import type { Comparison } from './deviation.ts'
import type { PublishedLists } from './file-inspection.ts'
import type { Repair } from './repair.ts'

/** The index and the manifest of a tree, and where it is. */
export interface TreeState extends PublishedLists {
  /** Folder of this machine that has the tree; null: it is elsewhere. */
  readonly root: string | null
  readonly manifest: PublishedManifest | null
  readonly manifestText: string | null
  readonly repair: Repair
  /** Time of the check in ms since 1970. */
  readonly now: number
}

/** Looks for a running, killed or interrupted build of a tree in a folder, and at the version and the age of the tree. */
export function compareBuild({ root, index, now, repair: { rebuild } }: TreeState, comparison: Comparison): void {
  const builder = root === null ? null : lockHolder(root, now)
  if (builder)
    comparison.add({
      document: WORK.lock,
      member: '',
      published: `${builder.isAlive ? 'held' : 'left'} by ${builder.who}`,
      recomputed: null,
      rule: 'no build runs',
      advice: builder.isAlive ? 'Wait until it ends, then check again.' : 'Nothing to do: the next build removes it.',
      severity: 'notice',
    })
  if (root !== null && isUnfinished(root))
    comparison.add({
      document: WORK.journal,
      member: '',
      published: 'an interrupted publication',
      recomputed: null,
      rule: 'a publication is whole',
      advice: `Run ${rebuild} or npm run serve: whichever opens the tree next completes it.`,
    })
  if (index === null) return
  const older = {
    advice: `Run ${rebuild}, which brings every document to the current form and loses none.`,
    severity: 'notice',
  } as const
  const newer = { advice: 'Update this program: it refuses to extend this tree.' }
  comparison.same(LAYOUT.index, 'stateVersion', {
    published: index.stateVersion,
    recomputed: STATE_VERSION,
    rule: 'the version that this program writes; of another one only digests are compared',
    ...(index.stateVersion < STATE_VERSION ? older : newer),
  })
  if (now > Date.parse(index.staleAfter))
    comparison.add({
      document: LAYOUT.index,
      member: 'staleAfter',
      published: `built at ${index.generatedAt}`,
      recomputed: `a tree built after ${index.staleAfter}`,
      rule: 'stale since staleAfter',
      advice: `Run ${rebuild}, and check why the scheduler did not.`,
      severity: 'notice',
    })
}

/**
 * Compares the digests that cover other digests: the manifest with its own rows, and the id of the snapshot in the index with
 * the manifest. Whoever changes a file and its row in the manifest also has to change both, so the id is that of another
 * snapshot, which mirrors, archives and the next manifest contradict.
 */
export function compareChain({ index, manifest, manifestText, repair }: TreeState, comparison: Comparison): void {
  for (const [document, published] of [
    [LAYOUT.index, index],
    [LAYOUT.manifest, manifest],
  ] as const)
    comparison.same(document, '', {
      published: published === null ? 'missing or damaged' : 'a document of its schema',
      recomputed: 'a document of its schema',
      rule: 'every tree has one',
      advice: repair.ofMissing(document, null),
    })
  if (index === null || manifest === null || manifestText === null) return
  const { rows } = manifest
  const own = { path: LAYOUT.manifest, sha256: sha256Of(manifestText) }
  const ofIndex = comparison.membersOf(LAYOUT.index, index, '', { advice: repair.ofDamaged(LAYOUT.index) })
  ofIndex({ snapshotId: rowsDigest([...rows, own]) }, 'digest of the manifest and its rows')
  const ofManifest = comparison.membersOf(LAYOUT.manifest, manifest, '', { advice: repair.ofDamaged(LAYOUT.manifest) })
  // The first releases did not write it.
  if (manifest.rowsDigest !== '') ofManifest({ rowsDigest: rowsDigest(rows) }, 'digest of the rows')
}
