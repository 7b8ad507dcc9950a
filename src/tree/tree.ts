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
import { IndexMembers } from '../contract/api-index.ts'
import { ManifestRow } from '../contract/manifest.ts'
import { PREFIX } from '../contract/words.ts'
import { type Document, type LastFile, hashOf } from '../endpoints/compose.ts'
import { syncFiles } from './sync-files.ts'
import { diskTrouble, isCode } from './tree-error.ts'
import { dropTwins, hasTwins } from './precompressed.ts'

const API = PREFIX.slice(1)
const MANIFEST = `${API}/manifest.json`
const INDEX = `${API}.json`
const COLLECTOR = `${API}/collector.json`

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
  #manifest: ReadonlyMap<string, ManifestRow> = new Map()
  /** Digests by file: of the manifest's rows, and of the two documents that the index lists. */
  #digests: ReadonlyMap<string, string> = new Map()
  /** Whether a listed file is what was published, of those that were looked at. */
  readonly #whole = new Map<string, boolean>()

  /** Opens a tree, made anew if it is not there, and finishes a publication that was cut off. */
  constructor(root: string) {
    this.root = root
    this.#written(() => {
      mkdirSync(root, { recursive: true })
      this.#recover()
    })
    this.#readManifest()
  }

  /** Text of a file of the tree as it was published; null where it is missing, damaged or edited. */
  read(file: string): string | null {
    const text = textOf(join(this.root, file))
    const sha256 = this.#digests.get(file)
    if (sha256 === undefined) return text
    const whole = text !== null && hashOf(text) === sha256
    this.#whole.set(file, whole)
    return whole ? text : null
  }

  /** Files that are missing, damaged or edited, of those that were looked at since the last publication. */
  get damaged(): readonly string[] {
    return [...this.#whole].flatMap(([file, whole]) => (whole ? [] : [file])).toSorted()
  }

  /** The beginning of a file of the tree, enough for the envelope's scalars; `''` where there is none. */
  head(file: string): string {
    const row = this.#manifest.get(file)
    if (row && !this.#isWhole(row)) return ''
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

  /** What the tree holds of a file, if it is whole. Without a manifest, the file speaks for itself. */
  before(file: string): LastFile | undefined {
    const row = this.#manifest.get(file)
    if (row) return this.#isWhole(row) ? { row, isListed: true } : undefined
    const unlisted = this.#manifest.size === 0 ? this.#rowOf(file) : null
    return unlisted ? { row: unlisted, isListed: false } : undefined
  }

  /**
   * Whether a listed file is what was published. Files are given the time of their data, so one of the right size and time
   * is taken for whole, as rsync and make do; any other is held against its digest.
   */
  #isWhole({ path, bytes, sha256, timestamp }: ManifestRow): boolean {
    const known = this.#whole.get(path)
    if (known !== undefined) return known
    const stats = statSync(join(this.root, path), { throwIfNoEntry: false })
    const sameTime = stats !== undefined && Math.floor(stats.mtimeMs) === Date.parse(timestamp)
    const whole = stats?.size === bytes && (sameTime || hashOf(textOf(join(this.root, path)) ?? '') === sha256)
    this.#whole.set(path, whole)
    return whole
  }

  /** The row that a manifest would hold of a file; null where there is none. */
  #rowOf(path: string): ManifestRow | null {
    const text = textOf(join(this.root, path))
    if (text === null) return null
    const said = ManifestRow.shape.timestamp.safeParse(/\n"timestamp":"([^"]+)",/.exec(text)?.[1])
    const timestamp = said.data ?? `${statSync(join(this.root, path)).mtime.toISOString().slice(0, 19)}Z`
    return { path, bytes: Buffer.byteLength(text), sha256: hashOf(text), timestamp }
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
    this.#readManifest()
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
      const written = put.map(([path]) => path)
      const { damaged } = this
      this.#readManifest()
      return { written, unchanged: kept.size - written.length, removed: drop, damaged, bytes }
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
    const last = this.before(path)
    if (last) return last.row.sha256 === sha256
    return hashOf(textOf(join(this.root, path)) ?? '') === sha256
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
      const text = textOf(join(this.root, STAGING, file)) ?? textOf(join(this.root, file))
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

  #readManifest(): void {
    this.#whole.clear()
    const text = textOf(join(this.root, MANIFEST))
    const listed = digestsIn(textOf(join(this.root, INDEX)))
    const sha256 = text === null ? '' : hashOf(text)
    const manifest = (listed?.manifest ?? sha256) === sha256 ? manifestOf(text) : null
    // The manifest does not name itself.
    const own = manifest && {
      path: MANIFEST,
      bytes: Buffer.byteLength(text ?? ''),
      sha256,
      timestamp: manifest.timestamp,
    }
    const rows = manifest && own ? [...manifest.rows, own] : []
    this.#manifest = new Map(rows.map((row) => [row.path, row]))
    this.#digests = new Map([
      ...rows.map(({ path, sha256 }) => [path, sha256] as const),
      ...(listed ? [[MANIFEST, listed.manifest] as const, [COLLECTOR, listed.collector] as const] : []),
    ])
  }
}

const Index = z.object({ sha256: IndexMembers.sha256 })

/** The digests that an index lists; null where it is missing or damaged. */
function digestsIn(text: string | null): z.infer<typeof Index>['sha256'] | null {
  try {
    return Index.parse(JSON.parse(text ?? 'null')).sha256
  } catch {
    return null
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
