import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { sha256Of } from '../contract/digest.ts'
import { readJson } from '../contract/read-json.ts'
import { type Ms, HOUR_MS } from '../contract/time.ts'
import { STATE_VERSION, StateVersion } from '../contract/words.ts'
import { NO_ROWS, type Rows } from '../history/rows.ts'
import { LAYOUT } from './layout.ts'
import { bytesAt, filesBelow, textAt } from './reader.ts'
import { type Place, inParallel } from './remote.ts'
import { STATE, TableError, TableList, type TablePart, decodeTables } from './tables.ts'
import { RestoreError, TreeError, asTreeError } from './tree-error.ts'

export interface State {
  readonly rows: Rows
  /** The list of their tables; null before the first publication. */
  readonly list: TableList | null
  /** Parts that are not in the folder, by path. */
  readonly fetched: ReadonlyMap<string, Uint8Array>
  /** The place that they were restored from; null: the folder itself had them. */
  readonly restored: {
    readonly place: string
    readonly generatedAt: string
    readonly ageMs: Ms
    readonly parts: number
  } | null
}

export const NO_STATE: State = { rows: NO_ROWS, list: null, fetched: new Map(), restored: null }

/** Age from which restored rows are refused if another place could not be read. */
const MOST_AGE_MS = 24 * HOUR_MS
const AT_ONCE = 8
const MOST_LIST_BYTES = 4 * 2 ** 20

/**
 * Reads the rows of the last publication: those in the folder, or else the newest complete ones of any of the places. A part
 * that is missing or damaged in the folder is fetched from a place that has it.
 *
 * @param now time of the run in ms since 1970
 * @throws RestoreError if there was a publication, or may have been, and its rows cannot be read
 * @throws TreeError `other_state` if it is of another version of this program
 */
export async function readState(root: string, places: readonly Place[], now: Ms): Promise<State> {
  const own = listIn(root, textAt(join(root, STATE.list), MOST_LIST_BYTES))
  const troubles: string[] = []
  const ownState = own && (await stateIn(root, { list: own, place: null }, places, troubles))
  if (ownState) return ownState
  const found = await listsAt(places, troubles)
  if (!own && places.length === 0) return nothingIn(root)
  for (const { list, place } of found) {
    if (own && list.generatedAt <= own.generatedAt) continue
    const ageMs = now - Date.parse(list.generatedAt)
    if (ageMs > MOST_AGE_MS && troubles.length > 0) throw tooOld(place.name, ageMs, troubles)
    const state = await stateIn(root, { list, place }, [place, ...places], troubles)
    if (state)
      return {
        ...state,
        restored: { place: place.name, generatedAt: list.generatedAt, ageMs, parts: state.fetched.size },
      }
  }
  throw new RestoreError(
    'nothing_restored',
    `Nothing was restored, and nothing was published. ${troubles.join('; ')}. Run again when one of these places holds the ` +
      'complete last publication, name another with --from, or start over with --fresh, which deletes all history.',
  )
}

async function stateIn(
  root: string,
  { list, place }: { readonly list: TableList; readonly place: Place | null },
  places: readonly Place[],
  troubles: string[],
): Promise<State | null> {
  try {
    const { parts, fetched } = await partsOf(root, list, places)
    const rows = decodeTables(list, (part) => parts.get(part.path) ?? new Uint8Array())
    return { rows, list, fetched, restored: null }
  } catch (error) {
    if (!(error instanceof RestoreError) && !(error instanceof TableError)) throw error
    const where = place === null ? `in ${root}` : `at ${place.name}`
    troubles.push(`the tables of ${list.generatedAt} ${where}: ${error.message}`)
    return null
  }
}

/** Returns the list of tables of a place; null if it is none. @throws TreeError `other_state` */
export function listIn(place: string, text: string | null): TableList | null {
  // The list of another version may have another shape.
  const stated = readJson(text, z.object({ stateVersion: StateVersion }))
  if (stated !== null && stated.stateVersion !== STATE_VERSION) throw otherVersion(place, stated.stateVersion)
  return readJson(text, TableList)
}

/** Asks all places for their lists of tables: the newest first. Adds a sentence for each place without one. */
async function listsAt(places: readonly Place[], troubles: string[]) {
  const found = await Promise.all(
    places.map(async (place) => {
      const answer = await place.ask(STATE.list, MOST_LIST_BYTES)
      const list = 'content' in answer ? listIn(place.name, answer.content?.toString('utf8') ?? null) : null
      if (list !== null) return [{ list, place }]
      troubles.push(`${place.name}: ${STATE.list} ${'why' in answer ? answer.why : 'is no list of tables'}`)
      return []
    }),
  )
  return found.flat().toSorted((a, b) => (a.list.generatedAt < b.list.generatedAt ? 1 : -1))
}

/** @throws RestoreError if something was published in the folder, or may have been; TreeError if it has files of others */
function nothingIn(root: string): State {
  if (textAt(join(root, LAYOUT.index)) !== null || filesBelow(root, STATE.folder).length > 0)
    throw new RestoreError(
      'nothing_restored',
      `${root} has documents, but not the tables that they are views of. Nothing was published. Copy ${STATE.folder}/ back from ` +
        'a published site, a backup or the CI cache, name such a place with --from, or start over with --fresh, which deletes ' +
        'all history.',
    )
  const foreign = firstForeign(root)
  if (foreign !== undefined)
    throw new TreeError(
      'foreign',
      `${root} holds ${foreign}, and no published tree. Choose an empty folder, or the folder of a tree.`,
    )
  return NO_STATE
}

function tooOld(name: string, ageMs: number, troubles: readonly string[]): RestoreError {
  const hours = (ageMs / HOUR_MS).toFixed(1)
  return new RestoreError(
    'too_old',
    `Nothing was restored, and nothing was published. The newest publication that could be read, at ${name}, is ${hours} ` +
      `hours old, and another place may hold a newer one: ${troubles.join('; ')}. Run again when it can be read, name only ` +
      'places that can be read with --from, or start over with --fresh, which deletes all history.',
  )
}

function otherVersion(place: string, version: number): TreeError {
  const [age, step] =
    version > STATE_VERSION
      ? ['a newer', 'Update this program and run again.']
      : ['an earlier', 'Continue it with the commit that published it, or replace it with --fresh.']
  return new TreeError(
    'other_state',
    `${place} was published by ${age} version of this program: its state has version ${version}, and this program reads ` +
      `version ${STATE_VERSION}. Nothing was changed. ${step}`,
  )
}

/** Returns the parts of a list, each checked against its digest, from the folder or else from the first place that has it. */
async function partsOf(root: string, { parts }: TableList, places: readonly Place[]) {
  const fetched = new Map<string, Uint8Array>()
  const contents = await inParallel(parts, AT_ONCE, async (part) => {
    const own = bytesAt(join(root, part.path))
    if (own !== null && isPart(part, own)) return [part.path, own] as const
    const content = await fetchPart(part, places)
    fetched.set(part.path, content)
    return [part.path, content] as const
  })
  return { parts: new Map(contents), fetched }
}

const isPart = ({ bytes, sha256 }: TablePart, content: Uint8Array): boolean =>
  content.length === bytes && sha256Of(content) === sha256

async function fetchPart(part: TablePart, places: readonly Place[]): Promise<Uint8Array> {
  const whys: string[] = []
  for (const place of places) {
    // eslint-disable-next-line no-await-in-loop -- the next place is asked where the one before lacks the part
    const answer = await place.ask(part.path, part.bytes)
    const content = 'content' in answer ? answer.content : null
    if (content !== null && isPart(part, content)) return content
    whys.push(`${place.name} ${'why' in answer ? answer.why : 'has another file of this name'}`)
  }
  throw new RestoreError(
    'damaged',
    `${part.path} is missing or damaged${whys.length > 0 ? `, and ${whys.join(', and ')}` : ''}`,
  )
}

/** Names in the root of a tree that others than a publication write: files of a host, a disk of its own. */
const OTHERS = new Set<string>(['_headers', 'HOSTING.md', 'lost+found'])

/** Returns a file of others in a folder, which a publication might overwrite. */
function firstForeign(root: string): string | undefined {
  try {
    const names = readdirSync(root).filter((name) => !name.startsWith('.') && !OTHERS.has(name))
    for (const name of names.toSorted()) {
      const file = filesBelow(root, name)[0] ?? (textAt(join(root, name)) === null ? undefined : name)
      if (file !== undefined) return file
    }
    return undefined
  } catch (error) {
    // A folder that does not exist, or is none, is reported where it is created.
    if (asTreeError(root, error) === null) return undefined
    throw error
  }
}
