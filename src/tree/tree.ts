import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fse from 'fs-extra'
import * as z from 'zod'
import { ManifestRow } from '../contract/manifest.ts'
import { PREFIX } from '../contract/words.ts'
import { type Document, hashOf } from '../endpoints/compose.ts'
import { syncFiles } from './sync-files.ts'
import { diskTrouble, isCode } from './tree-error.ts'
import { dropTwins, hasTwins } from './precompressed.ts'

const API = PREFIX.slice(1)
const MANIFEST = `${API}/manifest.json`
const INDEX = `${API}.json`

/** Work in progress, inside the tree so that a rename never crosses a file system. No server shows dot files. */
const STAGING = '.staging'
const JOURNAL = '.journal'
/** Where a tree that is taken from elsewhere gathers; it outlives a cut, so that the next attempt goes on. */
const INCOMING = '.incoming'

const HEAD_BYTES = 4096

const Journal = z.object({
  put: z.array(z.tuple([z.string(), z.string()]).readonly()),
  drop: z.array(z.string()),
})
type Journal = z.infer<typeof Journal>

/** What a publication did, in files and bytes. */
export interface Published {
  readonly written: readonly string[]
  readonly unchanged: number
  readonly removed: readonly string[]
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
  #manifest: ReadonlyMap<string, ManifestRow>

  /** Opens a tree, made anew if it is not there, and finishes a publication that was cut off. */
  constructor(root: string) {
    this.root = root
    this.#written(() => {
      mkdirSync(root, { recursive: true })
      this.#recover()
    })
    this.#manifest = this.#readManifest()
  }

  /** Text of a file of the tree, or null. */
  read(file: string): string | null {
    return textOf(join(this.root, file))
  }

  /** The beginning of a file of the tree, enough for the envelope's scalars; `''` where there is none. */
  head(file: string): string {
    const bytes = Buffer.alloc(HEAD_BYTES)
    let descriptor
    try {
      descriptor = openSync(join(this.root, file), 'r')
    } catch (error) {
      if (isCode(error, 'ENOENT')) return ''
      throw error
    }
    try {
      return bytes.toString('utf8', 0, readSync(descriptor, bytes))
    } finally {
      closeSync(descriptor)
    }
  }

  /** What the tree holds of a file, if it is whole: a file of another size than it should have counts as gone. */
  before(file: string): ManifestRow | undefined {
    const row = this.#manifest.get(file)
    const size = row && statSync(join(this.root, file), { throwIfNoEntry: false })?.size
    return row && size === row.bytes ? row : undefined
  }

  /** Whether a publication into this folder was cut off, to be finished by whoever opens it next. */
  static isUnfinished(root: string): boolean {
    return existsSync(join(root, JOURNAL))
  }

  /** Whether anything was ever published here. */
  get isEmpty(): boolean {
    return !existsSync(join(this.root, INDEX)) && this.#manifest.size === 0
  }

  /** Folder for the files that {@link adopt} takes. */
  get incoming(): string {
    return join(this.root, INCOMING)
  }

  /** Makes the files that were gathered in {@link incoming} the tree, all or nothing. */
  adopt(rows: readonly Pick<ManifestRow, 'path' | 'sha256'>[]): void {
    rmSync(join(this.root, STAGING), { recursive: true, force: true })
    renameSync(this.incoming, join(this.root, STAGING))
    const put = rows.map(({ path, sha256 }) => [path, sha256] as const)
    this.#commit({ put: put.toSorted(listsLast), drop: [] })
    this.#manifest = this.#readManifest()
  }

  /** Paths of the documents of the last publication; whatever lies there where the manifest is lost. */
  get files(): readonly string[] {
    return this.#manifest.size > 0 ? [...this.#manifest.keys()] : filesBelow(this.root, API)
  }

  /**
   * Makes the tree hold exactly these documents. Nothing of the tree changes before the last of them is composed; when
   * composing throws, nothing changes at all.
   */
  publish(documents: Iterable<Document>): Published {
    rmSync(join(this.root, STAGING), { recursive: true, force: true })
    const kept = new Map<string, ManifestRow>()
    const put: (readonly [string, string])[] = []
    let bytes = 0
    return this.#written(() => {
      for (const { text, ...row } of documents) {
        kept.set(row.path, row)
        bytes += row.bytes
        if (text === null || this.#holds(row)) continue
        this.#stage(row.path, text, row.timestamp)
        put.push([row.path, row.sha256])
      }
      const drop = this.#orphans(kept)
      if (put.length + drop.length > 0) this.#commit({ put: put.toSorted(listsLast), drop })
      this.#manifest = this.#readManifest()
      return { written: put.map(([path]) => path), unchanged: kept.size - put.length, removed: drop, bytes }
    })
  }

  /** What a full or a closed disk says is told in words; what was staged on it goes, unless it is published already. */
  #written<T>(write: () => T): T {
    try {
      return write()
    } catch (error) {
      if (!existsSync(join(this.root, JOURNAL))) rmSync(join(this.root, STAGING), { recursive: true, force: true })
      throw diskTrouble(this.root, error) ?? error
    }
  }

  #holds({ path, sha256 }: ManifestRow): boolean {
    const before = this.before(path)
    if (before) return before.sha256 === sha256
    const text = this.read(path)
    return text !== null && hashOf(text) === sha256
  }

  /** Files of the last manifest that are not among those to keep, and documents that no manifest knew. */
  #orphans(kept: ReadonlyMap<string, unknown>): string[] {
    const documents = filesBelow(this.root, API)
      .concat(existsSync(join(this.root, INDEX)) ? [INDEX] : [])
      .filter((file) => file.endsWith('.json'))
    return [...new Set([...this.#manifest.keys(), ...documents])].filter((file) => !kept.has(file))
  }

  #stage(file: string, text: string, timestamp: string): void {
    const target = join(this.root, STAGING, file)
    try {
      writeFileSync(target, text)
    } catch (error) {
      if (!isCode(error, 'ENOENT')) throw error
      // The first file of its folder; looking for the folder every time would cost more than all the writing.
      fse.outputFileSync(target, text)
    }
    // Last-Modified is the time of the data on hosts that make it of the file's time.
    const at = new Date(timestamp)
    utimesSync(target, at, at)
  }

  #commit(journal: Journal): void {
    // Folders are made before the journal appears: a full disk is to be met while the old tree still stands.
    for (const folder of new Set(journal.put.map(([file]) => dirname(file))))
      mkdirSync(join(this.root, folder), { recursive: true })
    // A first publication has nothing to lose: what a power cut takes of it, the next run makes as this one did.
    if (!this.isEmpty)
      syncFiles(
        join(this.root, STAGING),
        journal.put.map(([file]) => file),
      )
    const staged = join(this.root, STAGING, JOURNAL)
    const descriptor = openSync(staged, 'w')
    writeFileSync(descriptor, JSON.stringify(journal))
    fsyncSync(descriptor)
    closeSync(descriptor)
    renameSync(staged, join(this.root, JOURNAL))
    this.#apply(journal)
  }

  #recover(): void {
    const text = textOf(join(this.root, JOURNAL))
    if (text === null) return rmSync(join(this.root, STAGING), { recursive: true, force: true })
    const journal = Journal.parse(JSON.parse(text))
    // A power cut can lose what a process had written. Then what is staged is worth nothing and the old tree stays.
    const whole = journal.put.every(([file, sha256]) => {
      const text = textOf(join(this.root, STAGING, file)) ?? this.read(file)
      return text !== null && hashOf(text) === sha256
    })
    this.#apply(whole ? journal : { put: [], drop: [MANIFEST] })
  }

  #apply({ put, drop }: Journal): void {
    const compressed = hasTwins(this.root)
    for (const [file] of put) {
      const target = join(this.root, file)
      if (compressed) dropTwins(this.root, file)
      try {
        renameSync(join(this.root, STAGING, file), target)
      } catch (error) {
        // Moved before the interruption.
        if (!isCode(error, 'ENOENT') || !existsSync(target)) throw error
      }
    }
    for (const file of drop) {
      if (compressed) dropTwins(this.root, file)
      rmSync(join(this.root, file), { force: true })
      removeEmpty(dirname(join(this.root, file)))
    }
    rmSync(join(this.root, STAGING), { recursive: true, force: true })
    rmSync(join(this.root, JOURNAL), { force: true })
  }

  #readManifest(): ReadonlyMap<string, ManifestRow> {
    const text = this.read(MANIFEST)
    const manifest = manifestOf(text)
    if (text === null || manifest === null) return new Map()
    // The manifest does not name itself.
    const own = { path: MANIFEST, bytes: Buffer.byteLength(text), sha256: hashOf(text), timestamp: manifest.timestamp }
    return new Map([...manifest.rows, own].map((row) => [row.path, row]))
  }
}

const Manifest = z.object({ timestamp: ManifestRow.shape.timestamp, rows: z.array(ManifestRow) })

/** A manifest; null where it is missing or damaged: then every file is compared by its content. */
function manifestOf(text: string | null): z.infer<typeof Manifest> | null {
  try {
    return Manifest.parse(JSON.parse(text ?? 'null'))
  } catch {
    return null
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'ENOTDIR') || isCode(error, 'EISDIR')) return null
    throw error
  }
}

function filesBelow(root: string, folder: string): string[] {
  const files: string[] = []
  const visit = (below: string) => {
    for (const entry of readdirSync(join(root, below), { withFileTypes: true })) {
      if (entry.isDirectory()) visit(`${below}/${entry.name}`)
      else files.push(`${below}/${entry.name}`)
    }
  }
  if (existsSync(join(root, folder))) visit(folder)
  return files
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    if (!isCode(error, 'ENOTEMPTY') && !isCode(error, 'ENOENT') && !isCode(error, 'EEXIST')) throw error
  }
}

const depth = (file: string): number => file.split('/').length
const isCut = (file: string): boolean => file.includes('=')

/** Deep documents first, then the lists that name them, the manifest, and the index as the very last. */
function listsLast([a]: readonly [string, string], [b]: readonly [string, string]): number {
  const order = (file: string) => (file === INDEX ? 3 : file === MANIFEST ? 2 : isCut(file) ? 0 : 1)
  return order(a) - order(b) || depth(b) - depth(a)
}
