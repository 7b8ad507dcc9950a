import { STATE_VERSION } from '../contract/words.ts'
import { isUnfinished } from '../tree/journal.ts'
import { LAYOUT, WORK } from '../tree/layout.ts'
import { lockHolder } from '../tree/lock.ts'
import type { PublishedIndex } from '../tree/published-documents.ts'
import type { Comparison } from './deviation.ts'
import type { Repair } from './repair.ts'

/** Looks for a running, killed or interrupted build of a tree in a folder, and at the version and the age of the tree. */
export function compareBuild(
  { root, index, now }: { readonly root: string | null; readonly index: PublishedIndex | null; readonly now: number },
  { rebuild }: Repair,
  comparison: Comparison,
): void {
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
  if (index !== null && index.stateVersion !== STATE_VERSION)
    comparison.add({
      document: LAYOUT.index,
      member: 'stateVersion',
      published: index.stateVersion,
      recomputed: STATE_VERSION,
      rule: 'the version that this program writes; of another one only digests are compared',
      ...(index.stateVersion < STATE_VERSION
        ? {
            advice: `Run ${rebuild}, which brings every document to the current form and loses none.`,
            severity: 'notice',
          }
        : { advice: 'Update this program: it refuses to extend this tree.' }),
    })
  if (index !== null && now > Date.parse(index.staleAfter))
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
