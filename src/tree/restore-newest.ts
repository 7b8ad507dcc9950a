import * as z from 'zod'
import { DAY_MS, HOUR_MS } from '../contract/time.ts'
import { readJson } from '../contract/read-json.ts'
import { Checkpoint } from './checkpoint.ts'
import { CHECKPOINT, LAYOUT, WORK } from './layout.ts'
import { type Place, textOf, placeAt } from './remote.ts'
import { PublishedIndex, refuseOther, versionIn } from './published-documents.ts'
import { MOST_DOCUMENT_BYTES } from './published-head.ts'
import { restoreCheckpoint } from './restore-checkpoint.ts'
import { type Restored, restore } from './restore.ts'
import { RestoreError } from './tree-error.ts'
import type { Tree } from './tree.ts'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { filesBelow } from './reader.ts'

/** A restored tree and its origin. */
export type RestoredFrom = Awaited<ReturnType<typeof restoreNewest>>

interface Candidate {
  readonly place: Place
  readonly kind: 'checkpoint' | 'tree'
  readonly generatedAt: string
  readonly restoreInto: (tree: Tree) => Promise<Restored>
}

/** Age from which a publication is only gone on from if no other place may hold a newer one. */
const MAX_STATE_AGE_MS = DAY_MS

const Index = z.object({ generatedAt: PublishedIndex.shape.timestamp })

/**
 * Restores the newest complete publication of any of the places. It prefers a checkpoint to a tree of the same publication,
 * which takes thousands of requests.
 *
 * @param maxAgeMs age from which a publication is refused if another place could not be read
 * @throws RestoreError `nothing_restored` with the failure of each place; `too_old`
 * @throws TreeError `other_state` if a place holds a publication of another version of the state
 */
export async function restoreNewest(tree: Tree, places: readonly Place[], now: number, maxAgeMs = MAX_STATE_AGE_MS) {
  const asked = await Promise.all(places.map(candidatesAt))
  const troubles = asked.flatMap(({ trouble }) => trouble ?? [])
  const newestFirst = asked
    .flatMap(({ candidates }) => candidates)
    .toSorted(
      (a, b) =>
        Date.parse(b.generatedAt) - Date.parse(a.generatedAt) || Number(a.kind === 'tree') - Number(b.kind === 'tree'),
    )
  for (const { place, kind, generatedAt, restoreInto } of newestFirst) {
    const ageMs = now - Date.parse(generatedAt)
    if (ageMs > maxAgeMs && troubles.length > 0) throw tooOld(place, ageMs, troubles)
    try {
      const restored = await restoreInto(tree)
      // A sentence for each other place that was not used.
      return { ...restored, place: place.name, kind, generatedAt, ageMs, passedOver: troubles }
    } catch (error) {
      if (!(error instanceof RestoreError)) throw error
      troubles.push(`the ${kind} of ${generatedAt} at ${place.name}: ${error.message}`)
    }
  }
  throw new RestoreError(
    'nothing_restored',
    `Nothing was restored, and nothing was published. ${troubles.join('; ')}. Run again when one of these sources holds ` +
      'the complete last publication, name another with --from, or start over with --fresh, which deletes all history.',
  )
}

function tooOld({ name }: Place, ageMs: number, troubles: readonly string[]): RestoreError {
  const hours = (ageMs / HOUR_MS).toFixed(1)
  return new RestoreError(
    'too_old',
    `Nothing was restored, and nothing was published. The newest publication that could be read, at ${name}, is ${hours} ` +
      `hours old, and another place may hold a newer one: ${troubles.join('; ')}. Run again when it can be read, go on from ` +
      'the old one by naming it alone with --from, or start over with --fresh, which deletes all history.',
  )
}

/** Returns the publications of a place, or the reason if it has none. */
async function candidatesAt(place: Place): Promise<{ candidates: Candidate[]; trouble: string | null }> {
  const [pointer, index] = await Promise.all([
    documentAt(place, CHECKPOINT.pointer, Checkpoint),
    documentAt(place, LAYOUT.index, Index),
  ])
  const candidates: Candidate[] = []
  if ('value' in pointer) {
    const { value } = pointer
    const restoreInto = (tree: Tree) => restoreCheckpoint(tree, place, value)
    candidates.push({ place, kind: 'checkpoint', generatedAt: value.generatedAt, restoreInto })
  }
  if ('value' in index) {
    const restoreInto = (tree: Tree) => restore(tree, place.read, place.pause)
    candidates.push({ place, kind: 'tree', generatedAt: index.value.generatedAt, restoreInto })
  }
  const whys = [pointer, index].flatMap((answer) => ('why' in answer ? [answer.why] : []))
  const said = [...new Set(whys)].join(' and ')
  return { candidates, trouble: candidates.length > 0 ? null : `${place.name}: ${said}` }
}

async function documentAt<Schema extends z.ZodType>(
  place: Place,
  file: string,
  schema: Schema,
): Promise<{ readonly value: z.infer<Schema> } | { readonly why: string }> {
  const answer = await place.ask(file, (body) => textOf(body, MOST_DOCUMENT_BYTES))
  if ('why' in answer) return { why: `${file} ${answer.why}` }
  refuseOther(`${file} at ${place.name}`, versionIn(answer.value))
  const document = readJson(answer.value, schema)
  return document === null
    ? { why: `${file} is damaged, or of a version that this program no longer reads` }
    : { value: document }
}

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
