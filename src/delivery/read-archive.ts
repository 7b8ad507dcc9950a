import { existsSync, readdirSync, renameSync, rmSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { limitEntries } from '../contract/text.ts'
import { documentsOf, isPath } from '../contract/zip.ts'
import type { OpenSnapshot } from '../client/snapshot-file.ts'
import { limitVariantOf } from '../tree/layout.ts'
import { type ReadableArchive, openUntil } from '../client/archive.ts'
import { ArchiveError } from './archive-store.ts'
import { sha256Of } from '../contract/digest.ts'
import { mostDocumentBytes } from '../contract/snapshot-file.ts'
import { makeFolders, makeRoot } from '../tree/folders.ts'
import { asTreeError } from '../tree/tree-error.ts'

export type PastSnapshot = Awaited<ReturnType<typeof openPast>>

/**
 * Opens the newest snapshot until a time in ms since 1970.
 *
 * @throws SnapshotFileError if the archive has none, or it cannot be read
 */
export async function openPast(store: ReadableArchive, time: number) {
  const { snapshot, gap, open } = await openUntil(store, time)
  return {
    snapshot,
    /** The gap that the asked time is in, if runs failed then. */
    gap,
    /** Yields every document, and the `limit` variants of each list after them. */
    documents: () => documentsIn(open),
    /** Returns the text of a document as it was published; null if the snapshot has none of this path. */
    read: (path: string): Promise<string | null> => documentAt(open, path),
  }
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

/** What the smallest file takes on a disk. */
const BLOCK_BYTES = 4096

/**
 * Writes the documents of a past snapshot into a new or empty folder, which appears when all are written. Returns the number
 * of files and their bytes.
 *
 * @throws ArchiveError if the folder has files, if the documents are far larger than the file
 */
export async function restorePast({ snapshot, documents }: PastSnapshot, out: string) {
  if (existsSync(out) && readdirSync(out).length > 0)
    throw new ArchiveError(`${out} is not empty. Name a new folder with --out.`)
  const draft = `${out}.${sha256Of(snapshot.file).slice(0, 8)}.new`
  rmSync(draft, { recursive: true, force: true })
  const most = mostDocumentBytes(snapshot.bytes)
  const damaged = (why: string) => new ArchiveError(`${snapshot.file} ${why}. Nothing was restored.`)
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
