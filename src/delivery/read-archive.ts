import { existsSync, readdirSync, renameSync, rmSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ArchiveDay,
  type ArchivedSnapshot,
  PACK_ADVICE,
  archiveDayFile,
  archiveDayIn,
  dayUntil,
  isPack,
  snapshotAt,
} from '../contract/archive.ts'
import { parseJson } from '../contract/read-json.ts'
import { limitEntries } from '../contract/text.ts'
import { documentsOf, isPath } from '../contract/zip.ts'
import { type OpenSnapshot, openSnapshotFile } from '../client/snapshot-file.ts'
import { limitVariantOf } from '../tree/layout.ts'
import { ArchiveError, type ReadableArchive } from './archive-store.ts'
import { sha256Of } from '../contract/digest.ts'
import { mostDocumentBytes } from '../contract/snapshot-file.ts'
import { makeFolders, makeRoot } from '../tree/folders.ts'
import { asTreeError } from '../tree/tree-error.ts'

/** A snapshot of the past. */
export interface PastSnapshot {
  readonly snapshot: ArchivedSnapshot
  /** The gap that the asked time is in, if runs failed then. */
  readonly gap: { readonly from: string; readonly to: string } | null
  /** Yields every document, and the `limit` variants of each list after them. */
  documents(this: void): AsyncGenerator<readonly [path: string, text: string]>
  /** Returns the text of a document as it was published; null if the snapshot has none of this path. */
  read(path: string): Promise<string | null>
}

/**
 * Opens the newest snapshot until a time in ms since 1970.
 *
 * @throws ArchiveError `not_archived` if the archive has none, `damaged` if it cannot be read, `old` if it is a pack
 */
export async function openPast(store: ReadableArchive, time: number): Promise<PastSnapshot> {
  const day = await dayUntil(time, (one) => readDay(store, one))
  const snapshot = day && snapshotAt(day, time)
  if (!day || !snapshot)
    throw new ArchiveError('not_archived', `${store.name} has no snapshot until ${new Date(time).toISOString()}.`)
  const { file, bytes, end } = snapshot
  if (isPack(file)) throw new ArchiveError('old', `${store.name} ${file}: ${PACK_ADVICE}.`)
  const opened = await openSnapshotFile({
    name: `${store.name} ${file}`,
    bytes,
    end,
    of: snapshot,
    read: async (from, length) => (await store.read(file, { from, length, of: bytes })) ?? new Uint8Array(),
  })
  const gap = day.gaps.find(({ from, to }) => Date.parse(from) < time && time < Date.parse(to)) ?? null
  return { snapshot, gap, documents: () => documentsIn(opened), read: (path) => documentAt(opened, path) }
}

async function* documentsIn(opened: OpenSnapshot): AsyncGenerator<readonly [path: string, text: string]> {
  for (const entry of opened.entries) yield* documentsOf(entry, await opened.text(entry))
  for (const [list, variants] of opened.head.limits)
    for (const rows of variants) {
      const path = `${list.slice(0, -'.json'.length)}/limit=${rows}.json`
      // eslint-disable-next-line no-await-in-loop -- the text of the list is kept
      const text = await documentAt(opened, path)
      if (text !== null) yield [path, text]
    }
}

/** Returns a document, or a `limit` variant cut from its list. */
async function documentAt({ head, document }: OpenSnapshot, path: string): Promise<string | null> {
  const own = await document(path)
  if (own !== null) return own
  const variant = limitVariantOf(path)
  const isPublished = head.limits.some(([list, rows]) => list === variant?.of && rows.includes(variant.rows))
  const list = variant && isPublished ? await document(variant.of) : null
  return list === null ? null : limitEntries(list, variant?.rows ?? 0)
}

async function readDay(store: ReadableArchive, day: string): Promise<ArchiveDay | null> {
  const bytes = await store.read(archiveDayFile(day))
  if (bytes === null) return null
  const list = archiveDayIn(parseJson(new TextDecoder().decode(bytes)), day)
  if (list) return list
  throw new ArchiveError(
    'damaged',
    `${store.name}: ${archiveDayFile(day)} is damaged. Add the next snapshot, which writes it again.`,
  )
}

/** The result of a restore, in files and bytes. */
export interface RestoredPast {
  readonly files: number
  readonly bytes: number
}

/** What the smallest file takes on a disk. */
const BLOCK_BYTES = 4096

/**
 * Writes the documents of a past snapshot into a new or empty folder. The folder appears when all are written.
 *
 * @throws ArchiveError `unfit` if the folder has files, `damaged` if the documents are far larger than the file
 */
export async function restorePast({ snapshot, documents }: PastSnapshot, out: string): Promise<RestoredPast> {
  if (existsSync(out) && readdirSync(out).length > 0)
    throw new ArchiveError('unfit', `${out} is not empty. Name a new folder with --out.`)
  const draft = `${out}.${sha256Of(snapshot.file).slice(0, 8)}.new`
  rmSync(draft, { recursive: true, force: true })
  const most = mostDocumentBytes(snapshot.bytes)
  const damaged = (why: string) => new ArchiveError('damaged', `${snapshot.file} ${why}. Nothing was restored.`)
  try {
    makeRoot(draft)
    let [files, bytes, onDisk] = [0, 0, 0]
    for await (const [path, text] of documents()) {
      const length = Buffer.byteLength(text)
      files++
      bytes += length
      onDisk += Math.max(length, BLOCK_BYTES)
      if (onDisk > most) throw damaged(`has ${snapshot.bytes} bytes, and its documents more than ${most}`)
      if (!isPath(path)) throw damaged('has a document with an unsafe path')
      makeFolders(draft, [path])
      writeFileSync(join(draft, path), text)
    }
    if (existsSync(out)) rmdirSync(out)
    renameSync(draft, out)
    return { files, bytes }
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    throw asTreeError(out, error) ?? error
  }
}
