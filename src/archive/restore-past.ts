import { createHash } from 'node:crypto'
import { existsSync, readdirSync, renameSync, rmSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolders, makeRoot } from '../tree/folders.ts'
import { asTreeError } from '../tree/tree-error.ts'
import { ArchiveError } from './archive-error.ts'
import type { PastSnapshot } from './read.ts'

/** The result of a restore, in files and bytes. */
export interface RestoredPast {
  readonly files: number
  readonly bytes: number
}

/** Restored bytes per byte of a pack, at most. Packs are some 15 times smaller than their documents. */
const MOST_GROWTH = 1000
/** What a restore may always write. */
const LEAST_BYTES = 16 * 2 ** 20
/** What the smallest file takes on a disk. */
const BLOCK_BYTES = 4096

/**
 * Writes the documents of a past snapshot into a new or empty folder. The folder appears when all are written.
 *
 * @throws ArchiveError `unfit` if the folder has files, `damaged` if the documents are far larger than the pack
 */
export async function restorePast(snapshot: PastSnapshot, out: string): Promise<RestoredPast> {
  if (existsSync(out) && readdirSync(out).length > 0)
    throw new ArchiveError('unfit', `${out} is not empty. Name a new folder with --out.`)
  const draft = `${out}.${createHash('sha256').update(snapshot.pack.file).digest('hex').slice(0, 8)}.new`
  rmSync(draft, { recursive: true, force: true })
  const most = MOST_GROWTH * snapshot.pack.bytes + LEAST_BYTES
  try {
    makeRoot(draft)
    let [bytes, onDisk] = [0, 0]
    for (const path of snapshot.paths) {
      // eslint-disable-next-line no-await-in-loop -- one at a time is all that is held
      const text = await snapshot.read(path)
      if (text === null)
        throw new ArchiveError('damaged', `${snapshot.pack.file} does not have ${path}, which it lists.`)
      const length = Buffer.byteLength(text)
      bytes += length
      onDisk += Math.max(length, BLOCK_BYTES)
      if (onDisk > most)
        throw new ArchiveError(
          'damaged',
          `${snapshot.pack.file} has ${snapshot.pack.bytes} bytes, and its documents more than ${most}. Nothing was restored.`,
        )
      makeFolders(draft, [path])
      writeFileSync(join(draft, path), text)
    }
    if (existsSync(out)) rmdirSync(out)
    renameSync(draft, out)
    return { files: snapshot.paths.length, bytes }
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    throw asTreeError(out, error) ?? error
  }
}
