import { type LastPublication, NOTHING_PUBLISHED, lastPublication } from '../tree/last-publication.ts'
import { lastState, type RestoredFrom } from '../tree/restore-newest.ts'
import { refuseForeign } from '../tree/own-files.ts'
import { TreeError } from '../tree/tree-error.ts'
import { Tree } from '../tree/tree.ts'
import { NOTHING_TO_READ, type Readable } from '../history/last-series.ts'
import { type SourcesKind, kindOfLabel } from '../contract/product.ts'
import type { Inputs, Limits, Ports } from './run.ts'

/** What a run reads of the last publication. */
type Known = Readable & Pick<Tree, 'files' | 'sizes' | 'documents' | 'holds'>

const NOTHING: Known = { ...NOTHING_TO_READ, files: [], sizes: [], documents: () => [], holds: () => false }

/** What a run goes on from: `restored` is what was taken from elsewhere first, `known` the files of the last publication. */
export type State = Awaited<ReturnType<typeof openState>>

/** @throws TreeError `foreign` if the folder holds files, and no tree */
export async function openState(
  { fresh, now, kind }: Pick<Inputs, 'fresh' | 'now' | 'kind'>,
  { root, from = [] }: Pick<Ports, 'root' | 'from'>,
  { maxStateAgeMs, rights }: Pick<Limits, 'maxStateAgeMs' | 'rights'>,
): Promise<{ tree: Tree; restored: RestoredFrom | null; known: Known; previous: LastPublication }> {
  refuseForeign(root)
  const tree = new Tree(root)
  if (fresh) return { tree, restored: null, known: NOTHING, previous: NOTHING_PUBLISHED }
  const restored = await lastState(tree, from, now, maxStateAgeMs)
  const previous = lastPublication(tree)
  refuseOtherKind(previous, root, kind)
  refuseOtherRights(previous, root, rights)
  return { tree, restored, known: tree, previous }
}

function refuseOtherKind(previous: LastPublication, root: string, kind: SourcesKind): void {
  if (previous.label !== null && kindOfLabel(previous.label) !== kind)
    throw new TreeError(
      'other_kind',
      `${root} holds "${previous.label}" and cannot be extended with ${kind} sources. Choose another folder with --out, ` +
        'or replace its contents with --fresh.',
    )
}

/** Refuses to extend a tree with values of excluded sources: some of those values would stay. */
function refuseOtherRights({ sources }: LastPublication, root: string, rights: Limits['rights']): void {
  const others = [...sources.values()].filter((row) => rights && !rights.has(row.rights.class))
  if (others.length === 0) return
  const names = others.map(({ source_label, rights: own }) => `${source_label} (${own.class})`).join(', ')
  throw new TreeError(
    'other_rights',
    `${root} holds values from ${names}, which --rights excludes. Choose another folder with --out, or replace its ` +
      'contents with --fresh.',
  )
}
