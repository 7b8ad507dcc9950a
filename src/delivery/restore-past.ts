import { existsSync, readdirSync, renameSync, rmSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256Of } from '../contract/digest.ts'
import { mostDocumentBytes } from '../contract/snapshot-file.ts'
import { isPath } from '../contract/zip.ts'
import { makeFolders, makeRoot } from '../tree/folders.ts'
import { asTreeError } from '../tree/tree-error.ts'
import { ArchiveError } from './archive-store.ts'
import type { PastSnapshot } from './read-archive.ts'

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
