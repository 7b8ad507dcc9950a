import { closeSync, existsSync, lstatSync, openSync, readSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ManifestRow } from '../contract/manifest.ts'
import { type Document, type LastFile, hashOf } from '../endpoints/compose.ts'
import { makeFolders, makeRoot } from './folders.ts'
import { type Journal, clearStaging, commit, isUnfinished, recover } from './journal.ts'
import { LastFiles } from './last-files.ts'
import { LAYOUT, WORK, inOrderOfPublication, isDocument } from './layout.ts'
import { filesBelow, statsAt, textAt } from './reader.ts'
import { stage } from './staging.ts'
import { syncFiles } from './sync-files.ts'
import { asTreeError } from './tree-error.ts'

/** Enough for the scalars of an envelope. */
const HEAD_BYTES = 4096

/** What a publication did, in files and bytes. */
export interface Published {
  readonly written: readonly string[]
  readonly unchanged: number
  readonly removed: readonly string[]
  /** Files of the last publication that were missing, damaged or edited. */
  readonly damaged: readonly string[]
  readonly bytes: number
}

/**
 * The published tree on a disk. A publication is all or nothing: changed files are staged, then a journal appears in one
 * rename, and from that moment the publication has happened: whoever opens the tree next finishes it. Files are put
 * before the lists that name them, the manifest and the index last; what is dropped goes after that, so a reader never
 * follows a path to nothing. The calls are synchronous because a publication has nothing to do meanwhile, and over
 * thousands of small files that is several times faster.
 */
export class Tree {
  readonly root: string
  #last: LastFiles

  /**
   * Opens a tree, made anew if it is not there, and finishes an interrupted publication.
   *
   * @throws TreeError `not_writable`
   */
  constructor(root: string) {
    this.root = root
    makeRoot(root)
    this.#last = this.#written(() => {
      recover(root)
      return new LastFiles(root)
    })
  }

  /** Text of a file as it was published; null where it is missing, damaged or edited. */
  read(file: string): string | null {
    return this.#last.read(file)
  }

  /** The beginning of a file of the tree, enough for the envelope's scalars; `''` where there is none. */
  head(file: string): string {
    const path = join(this.root, file)
    if (statsAt(path) === null) return ''
    const bytes = Buffer.alloc(HEAD_BYTES)
    const descriptor = openSync(path, 'r')
    try {
      return bytes.toString('utf8', 0, readSync(descriptor, bytes))
    } finally {
      closeSync(descriptor)
    }
  }

  /** What the tree holds of a file, if it is whole. Without a manifest, the file speaks for itself. */
  last(file: string): LastFile | undefined {
    return this.#last.get(file)
  }

  /** Files that are missing, damaged or edited, of those that were looked at since the last publication. */
  get damaged(): readonly string[] {
    return this.#last.damaged
  }

  /** Whether anything was ever published here. */
  get isEmpty(): boolean {
    return statsAt(join(this.root, LAYOUT.index)) === null && this.#last.paths.length === 0
  }

  /** Folder for the files that {@link adopt} takes. */
  get incoming(): string {
    const folder = join(this.root, WORK.incoming)
    // What is behind a link is not of this tree.
    if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) rmSync(folder)
    return folder
  }

  /** Makes the files that were gathered in {@link incoming} the tree, all or nothing. */
  adopt(rows: readonly Pick<ManifestRow, 'path' | 'sha256'>[]): void {
    this.#written(() => {
      clearStaging(this.root)
      renameSync(this.incoming, join(this.root, WORK.staging))
      this.#commit({ put: rows.map(({ path, sha256 }) => [path, sha256] as const), drop: [] })
    })
  }

  /** Paths of the documents of the last publication; whatever lies there where the manifest is lost. */
  get files(): readonly string[] {
    const { paths } = this.#last
    return paths.length > 0 ? paths : filesBelow(this.root, LAYOUT.api)
  }

  /**
   * Makes the tree hold exactly these documents. Nothing of the tree changes before the last of them is composed; when
   * composing throws, nothing changes at all.
   */
  publish(documents: Iterable<Document>): Published {
    return this.#written(() => {
      clearStaging(this.root)
      const kept = new Set<string>()
      const put: (readonly [string, string])[] = []
      let bytes = 0
      for (const { text, ...row } of documents) {
        kept.add(row.path)
        bytes += row.bytes
        if (text === null || this.#holds(row)) continue
        stage(this.root, row.path, text, row.timestamp)
        put.push([row.path, row.sha256])
      }
      const drop = this.#orphans(kept)
      const { damaged } = this
      if (put.length + drop.length > 0) this.#commit({ put, drop })
      const written = put.map(([path]) => path)
      return { written, unchanged: kept.size - written.length, removed: drop, damaged, bytes }
    })
  }

  /** Folders are made and files are brought to the disk before the journal appears: while the old tree still stands. */
  #commit({ put, drop }: Journal): void {
    const files = put.map(([file]) => file)
    makeFolders(this.root, files)
    // A first publication has nothing to lose: what a power cut takes of it, the next run makes as this one did.
    if (!this.isEmpty) syncFiles(join(this.root, WORK.staging), files)
    commit(this.root, { put: put.toSorted(([a], [b]) => inOrderOfPublication(a, b)), drop })
    this.#last = new LastFiles(this.root)
  }

  #holds({ path, sha256 }: ManifestRow): boolean {
    const last = this.last(path)
    if (last) return last.row.sha256 === sha256
    if (this.#last.isAbsent(path)) return false
    return hashOf(textAt(join(this.root, path)) ?? '') === sha256
  }

  /** Files of the last manifest that are not among those to keep, and documents that no manifest knew. */
  #orphans(kept: ReadonlySet<string>): string[] {
    const documents = [LAYOUT.index, ...filesBelow(this.root, LAYOUT.api)].filter(
      (file) => isDocument(file) && existsSync(join(this.root, file)),
    )
    return [...new Set([...this.#last.paths, ...documents])].filter((file) => !kept.has(file))
  }

  /** Turns what a full or a closed disk says into a TreeError. What was staged goes, unless it is published already. */
  #written<T>(write: () => T): T {
    try {
      return write()
    } catch (error) {
      if (!isUnfinished(this.root)) clearStaging(this.root)
      throw asTreeError(this.root, error) ?? error
    }
  }
}
