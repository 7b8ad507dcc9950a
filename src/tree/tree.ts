import { closeSync, lstatSync, openSync, readSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { sha256Of } from '../contract/digest.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import type { Document } from '../endpoints/compose.ts'
import { makeFolders, makeRoot, stage, syncFiles } from './folders.ts'
import { type Journal, clearStaging, commit, isUnfinished, recover } from './journal.ts'
import { LastFiles } from './last-files.ts'
import { ENCODINGS, LAYOUT, WORK, inOrderOfPublication, originalOf } from './layout.ts'
import { ownFiles } from './own-files.ts'
import { encodings, isCompressible } from './precompressed.ts'
import { bytesAt, filesBelow, statsAt } from './reader.ts'
import { asTreeError, TreeError } from './tree-error.ts'
import { lock } from './lock.ts'

/** Covers the scalar members of an envelope. */
const HEAD_BYTES = 4096

/** The result of a publication, in files and bytes. */
export type Published = ReturnType<Tree['publish']>

/**
 * The published tree on a disk. A publication is atomic: changed files are staged, and the rename of a journal commits them;
 * if the process ends then, the next one that opens the tree completes it. Files are published before the lists that link to
 * them, the manifest and the index last, and deletions after that, so a reader never follows a link to a missing file.
 *
 * The calls are synchronous, which is several times faster for thousands of small files.
 */
export class Tree extends LastFiles {
  /**
   * Opens a tree, creates it if it does not exist, and completes an interrupted publication.
   *
   * @throws TreeError `not_writable`
   */
  constructor(root: string) {
    super(opened(root))
  }

  /**
   * Returns the beginning of a file, with the scalar members of the envelope; `''` if it is missing. That of a damaged file is
   * read as {@link read} does it.
   */
  head(file: string): string {
    const path = join(this.root, file)
    const isCurrent = this.isCurrent && statsAt(path) !== null && this.last(file) !== undefined
    if (!isCurrent) return this.read(file)?.slice(0, HEAD_BYTES) ?? ''
    const bytes = Buffer.alloc(HEAD_BYTES)
    const descriptor = openSync(path, 'r')
    try {
      return bytes.toString('utf8', 0, readSync(descriptor, bytes))
    } finally {
      closeSync(descriptor)
    }
  }

  /** Whether a file is as it was published, on the disk or in the checkpoint. */
  holds(file: string): boolean {
    return this.last(file) !== undefined || this.read(file) !== null
  }

  get isEmpty(): boolean {
    return statsAt(join(this.root, LAYOUT.index)) === null && this.paths.length === 0
  }

  /** Folder for the files that {@link adopt} publishes. */
  get incoming(): string {
    const folder = join(this.root, WORK.incoming)
    // Files behind a link would be outside the tree.
    if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) rmSync(folder)
    return folder
  }

  /** Publishes the files in {@link incoming} atomically. */
  adopt(rows: readonly Pick<ManifestRow, 'path' | 'sha256'>[]): void {
    written(this.root, () => {
      clearStaging(this.root)
      renameSync(this.incoming, join(this.root, WORK.staging))
      this.#commit({ put: rows.map(({ path, sha256 }) => [path, sha256] as const), drop: [] })
    })
  }

  /**
   * Stages the precompressed files of changed documents, and those that others lack; returns them, and those that are not
   * wanted any more. Only files beside a published document are ever replaced or deleted.
   */
  #twins(kept: readonly ManifestRow[], changed: ReadonlySet<string>, compress: boolean | undefined): Journal {
    const present = new Set(filesBelow(this.root, '').filter((file) => originalOf(file) !== file))
    if (present.size === 0 && compress !== true) return { put: [], drop: [] }
    const put: (readonly [string, string])[] = []
    const drop: string[] = []
    for (const { path, bytes, timestamp } of kept) {
      const own = ENCODINGS.map((suffix) => path + suffix)
      const isWanted = (compress ?? own.some((twin) => present.has(twin))) && isCompressible(path, bytes)
      if (!isWanted) {
        drop.push(...own.filter((twin) => present.has(twin)))
        continue
      }
      const isFresh = (twin: string) => statsAt(join(this.root, twin))?.mtimeMs === Date.parse(timestamp)
      if (!changed.has(path) && own.every((twin) => present.has(twin) && isFresh(twin))) continue
      const body = bytesAt(join(this.root, changed.has(path) ? WORK.staging : '', path))
      for (const [suffix, content] of body === null ? [] : encodings(body)) {
        stage(this.root, path + suffix, content, timestamp)
        put.push([path + suffix, sha256Of(content)])
      }
    }
    return { put, drop }
  }

  /**
   * Publishes exactly these documents. Nothing changes before the last one is composed, or if composing throws.
   *
   * @param compress whether documents have precompressed files beside them; by default those that have them keep them
   */
  publish(documents: Iterable<Document>, compress?: boolean) {
    return written(this.root, () => {
      clearStaging(this.root)
      const kept = new Map<string, ManifestRow>()
      const put: (readonly [string, string])[] = []
      let bytes = 0
      for (const { text, ...row } of documents) {
        kept.set(row.path, row)
        bytes += row.bytes
        if (text === null || this.#holds(row)) continue
        stage(this.root, row.path, text, row.timestamp)
        put.push([row.path, row.sha256])
      }
      const drop = this.#orphans(kept)
      const { damaged, recovered } = this
      const twins = this.#twins([...kept.values()], new Set(put.map(([path]) => path)), compress)
      if (put.length + drop.length + twins.put.length + twins.drop.length > 0)
        this.#commit({ put: [...put, ...twins.put], drop: [...drop, ...twins.drop] })
      const written = put.map(([path]) => path)
      return { written, unchanged: kept.size - written.length, removed: drop, damaged, recovered, bytes }
    })
  }

  /** Creates folders and flushes the staged files before the journal commits them. */
  #commit({ put, drop }: Journal): void {
    const files = put.map(([file]) => file)
    makeFolders(this.root, files)
    // After a power failure during a first publication, the next run simply composes it again.
    if (!this.isEmpty) syncFiles(join(this.root, WORK.staging), files)
    commit(this.root, { put: put.toSorted(([a], [b]) => inOrderOfPublication(a, b)), drop })
    this.load()
  }

  #holds({ path, sha256 }: ManifestRow): boolean {
    const last = this.last(path)
    if (last) return !last.isInBlock && last.row().sha256 === sha256
    if (this.isAbsent(path)) return false
    const bytes = bytesAt(join(this.root, path))
    return bytes !== null && sha256Of(bytes) === sha256
  }

  /**
   * Returns the files that are not to be kept: those that the last manifest lists, or, if it is lost, those that this
   * program wrote by their content. Files of others are never among them.
   */
  #orphans(kept: { has(path: string): boolean }): string[] {
    const { paths } = this
    return (paths.length > 0 ? paths : ownFiles(this.root)).filter((file) => !kept.has(file))
  }
}

/** Returns the folder of a tree, which it creates, and whose interrupted publication it completes. */
function opened(root: string): string {
  makeRoot(root)
  written(root, () => recover(root))
  return root
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
 *
 * @param now time of day in ms since 1970
 */
export function finishPublication(root: string, now: number): TreeError | null {
  if (!isUnfinished(root)) return null
  try {
    const unlock = lock(root, now)
    try {
      new Tree(root)
    } finally {
      unlock()
    }
    return null
  } catch (error) {
    if (error instanceof TreeError) return error
    throw error
  }
}
