import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { sha256Of } from '../contract/digest.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import { by } from '../contract/order.ts'
import { type Ms, HOUR_MS } from '../contract/time.ts'
import type { Document } from '../endpoints/compose.ts'
import type { Rows } from '../history/rows.ts'
import { footprintOf } from './budget.ts'
import { makeFolders, makeRoot, stage, syncStaged } from './folders.ts'
import { clearStaging, commit, emptyStaging, isUnfinished, recover } from './journal.ts'
import { ENCODINGS, UNLISTED, inOrderOfPublication, originalOf, stagedFile } from './layout.ts'
import { lock } from './lock.ts'
import { encodings, isCompressible, unpacked } from './precompressed.ts'
import { bytesAt, filesBelow, statsAt } from './reader.ts'
import type { State } from './state.ts'
import { STATE, encodeTables } from './tables.ts'
import { TreeError, asTreeError } from './tree-error.ts'

export type Published = ReturnType<typeof publish>

export type LastPublication = Pick<State, 'list' | 'fetched'> & { readonly documents: Rows['documents'] }

interface Publication {
  readonly rows: Rows
  readonly last: LastPublication
  readonly changed: ReadonlySet<string> | null
  /** `tables` is called once, after the last document that the manifest lists, and returns the list of tables as a file. */
  readonly compose: (tables: () => ManifestRow) => Iterable<Document>
  /** Whether documents have precompressed files beside them; absent: those that have them keep them. */
  readonly compress?: boolean | undefined
}

/** A file is compared with its digest in one hour of the day, so that runs at most an hour apart check all of them in a day. */
const HOURS = 24

const isDue = (sha256: string, now: Ms): boolean =>
  Number.parseInt(sha256.slice(0, 2), 16) % HOURS === Math.floor(now / HOUR_MS) % HOURS

/** Whether a file is as it was published: by size and time, and in one hour of the day by its digest. */
export function intactFiles(root: string, now: Ms): (row: ManifestRow) => boolean {
  return ({ path, bytes, timestamp, sha256 }) => {
    const stats = statsAt(join(root, path))
    if (stats?.size !== bytes || Math.floor(stats.mtimeMs) !== Date.parse(timestamp)) return false
    return !isDue(sha256, now) || sha256Of(bytesAt(join(root, path)) ?? '') === sha256
  }
}

/**
 * Publishes rows and the documents that show them, or nothing: changed files are staged, and the rename of a journal commits
 * them. If the process ends then, the next one that opens the tree completes it. Files are published before the lists that
 * link to them, the manifest and the index last, and deletions after that, so a reader never follows a link to a missing file.
 *
 * The calls are synchronous, which is several times faster for thousands of small files.
 *
 * @throws TreeError if the folder cannot be written
 */
export function publish(root: string, publication: Publication) {
  return written(root, () => {
    emptyStaging(root)
    const { last, compose } = publication
    const kept = new Map<string, ManifestRow>()
    const put: (readonly [string, string])[] = []
    let before: Parameters<typeof stage>[2] = null
    const staging = (row: ManifestRow, content: string | Uint8Array): boolean => {
      if (isStanding(root, row)) return false
      const { path, timestamp, sha256 } = row
      const file = { path, content, timestamp }
      stage(root, file, before)
      before = file
      put.push([path, sha256])
      return true
    }
    const tables = () => stageTables(publication, kept, staging)
    let unchanged = 0
    for (const { content, ...row } of compose(tables)) {
      kept.set(row.path, row)
      if (content === null || !staging(row, content)) unchanged++
    }
    const known = [...last.documents.keys(), ...UNLISTED, ...(last.list?.parts.map(({ path }) => path) ?? [])]
    const drop = [...new Set(known)].filter((path) => !kept.has(path))
    const twins = stageTwins(root, [...kept.values()], new Set(put.map(([path]) => path)), publication)
    const all = [...put, ...twins.put].toSorted(([a], [b]) => inOrderOfPublication(a, b))
    const paths = all.map(([path]) => path)
    makeFolders(root, paths)
    syncStaged(root, paths)
    commit(root, { put: all, drop: [...drop, ...twins.drop] })
    return {
      written: put.map(([path]) => path),
      unchanged,
      removed: drop.filter((path) => last.documents.has(path)),
      footprint: footprintOf([...kept.values()]),
    }
  })
}

/** Whether a file that the manifest does not list, so that no row says what it was, is there with the same content. */
const isStanding = (root: string, { path, sha256 }: ManifestRow): boolean =>
  UNLISTED.includes(path) && sha256Of(bytesAt(join(root, path)) ?? '') === sha256

/** Stages the tables with the documents composed so far. Returns the list of tables as a file. */
function stageTables(
  { rows, last, changed }: Publication,
  kept: Map<string, ManifestRow>,
  staging: (row: ManifestRow, content: string | Uint8Array) => boolean,
): ManifestRow {
  const documents = [...kept.values()].filter(({ path }) => !UNLISTED.includes(path)).toSorted(by(({ path }) => path))
  const all = { ...rows, documents: new Map(documents.map((row) => [row.path, row])) }
  const isSame = changed?.size === 0 && isDeepStrictEqual(all.documents, last.documents)
  const list = isSame && last.list ? last.list : encodeTables(all, last.list, changed, staging)
  const timestamp = list.generatedAt
  for (const { path, bytes, sha256 } of list.parts) {
    const content = last.fetched.get(path)
    const row = { path, bytes, sha256, timestamp }
    if (content) staging(row, content)
    kept.set(path, row)
  }
  const text = `${JSON.stringify(list, null, 1)}\n`
  const row = { path: STATE.list, bytes: Buffer.byteLength(text), sha256: sha256Of(text), timestamp }
  staging(row, text)
  kept.set(STATE.list, row)
  return row
}

/**
 * Stages the precompressed files of changed documents, and those that others lack; returns them, and those that are not
 * wanted any more. Only files beside a published document are ever replaced or deleted.
 */
function stageTwins(root: string, kept: readonly ManifestRow[], changed: ReadonlySet<string>, of: Publication) {
  const { compress, rows } = of
  const now = Date.parse(rows.run?.at ?? '')
  const present = new Set(filesBelow(root, '').filter((file) => originalOf(file) !== file))
  if (present.size === 0 && compress !== true) return { put: [], drop: [] }
  const put: (readonly [string, string])[] = []
  const drop: string[] = []
  for (const { path, bytes, timestamp, sha256 } of kept) {
    const own = ENCODINGS.map((suffix) => path + suffix)
    const isWanted = (compress ?? own.some((twin) => present.has(twin))) && isCompressible(path, bytes)
    if (!isWanted) {
      drop.push(...own.filter((twin) => present.has(twin)))
      continue
    }
    const isFresh = (twin: string) =>
      statsAt(join(root, twin))?.mtimeMs === Date.parse(timestamp) &&
      (!isDue(sha256, now) || sha256Of(unpacked(twin, bytesAt(join(root, twin))) ?? '') === sha256)
    if (!changed.has(path) && own.every((twin) => present.has(twin) && isFresh(twin))) continue
    const body = bytesAt(join(root, changed.has(path) ? stagedFile(path) : path))
    for (const [suffix, content] of body === null ? [] : encodings(body)) {
      stage(root, { path: path + suffix, content, timestamp })
      put.push([path + suffix, sha256Of(content)])
    }
  }
  return { put, drop }
}

/** Opens the folder of a tree, which it creates, and whose interrupted publication it completes. @throws TreeError */
export function openTree(root: string): void {
  makeRoot(root)
  written(root, () => recover(root))
}

/** Converts errors of the disk to a TreeError. Deletes the staged files unless they are committed. */
function written<T>(root: string, write: () => T): T {
  try {
    return write()
  } catch (error) {
    if (!isUnfinished(root)) clearStaging(root)
    throw asTreeError(root, error) ?? error
  }
}

/**
 * Completes an interrupted publication, so that a server shows one snapshot instead of parts of two. Returns null, or the
 * error if it cannot: a running build completes it itself, and a read-only folder is served as it is.
 */
export function finishPublication(root: string, now: Ms): TreeError | null {
  if (!isUnfinished(root)) return null
  try {
    const unlock = lock(root, now)
    try {
      openTree(root)
    } finally {
      unlock()
    }
    return null
  } catch (error) {
    if (error instanceof TreeError) return error
    throw error
  }
}
