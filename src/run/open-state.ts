import { type LastPublication, NOTHING_PUBLISHED, lastPublication } from '../tree/last-publication.ts'
import { lastState } from '../tree/last-state.ts'
import { refuseForeign } from '../tree/own-files.ts'
import type { RestoredFrom } from '../tree/restore-newest.ts'
import { TreeError } from '../tree/tree-error.ts'
import { Tree } from '../tree/tree.ts'
import { NOTHING_TO_READ, type Readable } from '../history/last-series.ts'
import { kindOfLabel } from '../contract/product.ts'
import type { Run } from './run.ts'

/** What a run goes on from. */
export interface State {
  readonly tree: Tree
  /** What was taken from elsewhere first; null where nothing was. */
  readonly restored: RestoredFrom | null
  /** The files of the last publication; none for a fresh start. */
  readonly known: Readable
  readonly previous: LastPublication
}

/** @throws TreeError `foreign` if the folder holds files, and no tree */
export async function openState(run: Run): Promise<State> {
  refuseForeign(run.root)
  const tree = new Tree(run.root)
  const restored = run.fresh ? null : await lastState(tree, run.from ?? [], run.now, run.maxStateAgeMs)
  return { tree, restored, known: run.fresh ? NOTHING_TO_READ : tree, previous: previousOf(run, tree) }
}

/** Returns the state to extend: none for a fresh start, and never that of a tree of another kind. */
function previousOf(run: Run, tree: Tree): LastPublication {
  const { fresh, kind, root } = run
  const previous = fresh ? null : lastPublication(tree)
  if (!previous) return NOTHING_PUBLISHED
  if (previous.label !== null && kindOfLabel(previous.label) !== kind)
    throw new TreeError(
      'other_kind',
      `${root} holds "${previous.label}" and cannot be extended with ${kind} sources. Choose another folder with --out, ` +
        'or replace its contents with --fresh.',
    )
  refuseOtherRights(run, previous)
  return previous
}

/** Refuses to extend a tree with values of excluded sources: some of those values would stay. */
function refuseOtherRights({ rights, root }: Run, { sources }: LastPublication): void {
  const others = [...sources.values()].filter((row) => rights && !rights.has(row.rights.class))
  if (others.length === 0) return
  const names = others.map(({ source_label, rights: own }) => `${source_label} (${own.class})`).join(', ')
  throw new TreeError(
    'other_rights',
    `${root} holds values from ${names}, which --rights excludes. Choose another folder with --out, or replace its ` +
      'contents with --fresh.',
  )
}
