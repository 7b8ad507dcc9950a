import { join } from 'node:path'
import type * as z from 'zod'
import { sha256Of } from '../contract/digest.ts'
import { HOUR_MS, isoOf } from '../contract/time.ts'
import { type BlockLayout, BLOCKS, type BlockFolder, blockOf, folderOfBlock } from '../contract/blocks.ts'
import { startsIn } from '../contract/manifest-parts.ts'
import { type ListedRow, ManifestRow } from '../contract/manifest.ts'
import { readJson } from '../contract/read-json.ts'
import { textIn } from '../contract/text.ts'
import { STATE_VERSION, Timestamp } from '../contract/words.ts'
import { type LastFile } from '../endpoints/compose.ts'
import { filesInCheckpoint } from './checkpoint.ts'
import { LAYOUT } from './layout.ts'
import { OpenBlocks } from './block-reader.ts'
import { IndexDigests, PublishedManifest, rowsListedBy, versionIn } from './published-documents.ts'
import { bytesAt, filesBelow, partReader, statsAt, textAt } from './reader.ts'

/** Whether a file has the size and modification time in the manifest. Files are written with the time of their data. */
function hasListedSizeAndTime(root: string, { path, bytes, timestamp }: ManifestRow): boolean {
  const stats = statsAt(join(root, path))
  return stats?.size === bytes && Math.floor(stats.mtimeMs) === Date.parse(timestamp)
}

/** A file is compared with its digest in one hour of the day, so that runs at most an hour apart check all of them in a day. */
const HOURS = 24

/**
 * The files of the last publication, checked against the digests in the manifest. A manifest whose digest is not in the
 * index is ignored. Without a manifest, files are compared by content.
 */
export class LastFiles {
  readonly root: string
  /** Versions of the state that the index and the manifest state. */
  versions: readonly number[] = []
  /** Hour of the day in which the tree was published. */
  #hour = 0
  #rows: ReadonlyMap<string, ListedRow> = new Map()
  /** Digests by file: those in the manifest, and those of the manifest and the collector document in the index. */
  #digests: ReadonlyMap<string, string> = new Map()
  #layout: BlockLayout | null = null
  /** Without a manifest: the files of the API, so that a first publication need not look for each. Otherwise null. */
  #unlisted: ReadonlySet<string> | null = null
  readonly #readPart = partReader()
  readonly #blocks = new OpenBlocks({
    whole: (file) => this.#bytesOf(file),
    part: (file, place) => this.#readPart(join(this.root, file), place),
  })
  /** Whether a listed file is unchanged, for each file checked so far. */
  readonly #whole = new Map<string, boolean>()
  /** Listed files that are lost on the disk, as the checkpoint has them. */
  readonly #lost = new Map<string, Buffer | null>()

  constructor(root: string) {
    this.root = root
    this.load()
  }

  /** Reads what index and manifest say of the files; again after a publication. */
  protected load(): void {
    for (const known of [this.#whole, this.#lost, this.#blocks]) known.clear()
    const text = textAt(join(this.root, LAYOUT.manifest))
    const indexText = textAt(join(this.root, LAYOUT.index))
    const index = readJson(indexText, IndexDigests)
    this.versions = [indexText, text].flatMap((one) => versionIn(one) ?? [])
    const listed = index?.sha256 ?? null
    this.#layout = index?.layout ?? null
    const rows = text === null ? [] : rowsIn(this.root, text, listed)
    const day = Date.parse(index?.timestamp ?? '') / HOUR_MS
    this.#hour = Number.isFinite(day) ? Math.floor(day) % HOURS : 0
    this.#rows = new Map(rows.map((row) => [row.path, row]))
    this.#unlisted = rows.length > 0 ? null : new Set(filesBelow(this.root, LAYOUT.api))
    this.#digests = new Map([
      ...rows.map(({ path, sha256 }) => [path, sha256] as const),
      ...(listed ? [[LAYOUT.manifest, listed.manifest] as const, [LAYOUT.collector, listed.collector] as const] : []),
    ])
  }

  /** The manifest and the files that it lists; none if it is lost. */
  get paths(): readonly string[] {
    return [...this.#rows.keys()]
  }

  /** Paths of the documents of the last publication, or all files of the API and all blocks if the manifest is lost. */
  get files(): readonly string[] {
    if (this.#rows.size > 0) return this.paths
    return [...filesBelow(this.root, LAYOUT.api), ...filesBelow(this.root, BLOCKS)]
  }

  /** Where the parts of the manifest begin; none if it is lost. */
  get partStarts(): readonly string[] {
    return startsIn([...this.#rows.values()])
  }

  /** The {@link files} with the sizes that they had. */
  get sizes(): readonly Pick<ManifestRow, 'path' | 'bytes'>[] {
    return this.files.map((path) => ({
      path,
      bytes: this.#rows.get(path)?.bytes ?? statsAt(join(this.root, path))?.size ?? 0,
    }))
  }

  isAbsent(file: string): boolean {
    return this.#unlisted !== null && file.startsWith(`${LAYOUT.api}/`) && !this.#unlisted.has(file)
  }

  /** Listed files that are missing, damaged or edited, of those checked so far. */
  get damaged(): readonly string[] {
    return [...this.#whole].flatMap(([file, whole]) => (whole ? [] : [file])).toSorted()
  }

  /** Documents of a folder: files of their own, and those in blocks that are whole. */
  documents(folder: BlockFolder): readonly string[] {
    return this.files.flatMap((file) =>
      folderOfBlock(file) === folder
        ? this.#blocks.documents(file)
        : file.startsWith(`${LAYOUT.api}/${folder}/`)
          ? [file]
          : [],
    )
  }

  /** Files that are lost on the disk and were read from the checkpoint. */
  get recovered(): readonly string[] {
    return [...this.#lost].flatMap(([file, bytes]) => (bytes === null ? [] : [file]))
  }

  /**
   * Returns the text of a file, or null if it is missing, damaged or edited, and not in the checkpoint.
   */
  read(file: string): string | null {
    const inBlock = this.#rows.has(file) ? null : this.#inBlock(file)
    return inBlock ?? this.#bytesOf(file)?.toString('utf8') ?? null
  }

  /** Text of a document in a block; null where there is none. */
  #inBlock(file: string): string | null {
    const block = blockOf(this.#layout, file)
    return block === null ? null : this.#blocks.read(block, file)
  }

  #bytesOf(file: string): Buffer | null {
    const bytes = bytesAt(join(this.root, file))
    const sha256 = this.#digests.get(file)
    if (sha256 === undefined) return bytes
    const whole = bytes !== null && sha256Of(bytes) === sha256
    this.#whole.set(file, whole)
    return whole ? bytes : this.#inCheckpoint(file, sha256)
  }

  /** Returns a listed file that is lost on the disk, as the checkpoint beside it has it; null if it has not. */
  #inCheckpoint(file: string, sha256: string): Buffer | null {
    if (!this.#lost.has(file)) {
      const gone = [...this.#rows.values()].filter((row) => !hasListedSizeAndTime(this.root, row))
      const lost = new Map([...gone.map((row) => [row.path, row.sha256] as const), [file, sha256] as const])
      const found = filesInCheckpoint(this.root, lost)
      for (const path of lost.keys()) this.#lost.set(path, found.get(path) ?? null)
    }
    return this.#lost.get(file) ?? null
  }

  /** Whether index and manifest are of one publication of this version. */
  get isCurrent(): boolean {
    return this.#rows.size > 0 && this.versions.every((version) => version === STATE_VERSION)
  }

  /** Returns the manifest row of an unchanged file, derived from the file itself if there is no manifest. */
  last(file: string): LastFile | undefined {
    const row = this.#rows.get(file)
    if (row) return this.#isWhole(row) ? lastFile(row, this.isCurrent) : undefined
    const text = this.#inBlock(file)
    if (text !== null) return lastInBlock(file, text, this.isCurrent)
    const unlisted = this.#rows.size === 0 && !this.isAbsent(file) ? this.#rowOf(file) : null
    return unlisted ? lastFile(unlisted, false) : undefined
  }

  /** Trusts a file of the listed size and time, as rsync does, but not in its hour. Compares the digest of any other. */
  #isWhole(row: ManifestRow): boolean {
    const known = this.#whole.get(row.path)
    if (known !== undefined) return known
    // Digests spread evenly over the hours.
    const hour = Number.parseInt(row.sha256.slice(0, 6), 16) % HOURS
    const isTrusted = hour !== this.#hour && hasListedSizeAndTime(this.root, row)
    const bytes = isTrusted ? null : bytesAt(join(this.root, row.path))
    const whole = isTrusted || (bytes !== null && sha256Of(bytes) === row.sha256)
    this.#whole.set(row.path, whole)
    return whole
  }

  /** Returns the manifest row of a file that no manifest lists, or null if it does not exist. */
  #rowOf(path: string): ManifestRow | null {
    const [text, stats] = [textAt(join(this.root, path)), statsAt(join(this.root, path))]
    if (text === null || stats === null) return null
    return ManifestRow.safeParse(rowFor(path, text, timestampIn(text, stats.mtimeMs))).data ?? null
  }
}

function timestampIn(text: string, otherwiseMs: number): string {
  const stated = Date.parse(textIn(text, 'timestamp') ?? '')
  return isoOf(Number.isFinite(stated) ? stated : otherwiseMs)
}

const rowFor = (path: string, text: string, timestamp: string): ManifestRow => ({
  path,
  bytes: Buffer.byteLength(text),
  sha256: sha256Of(text),
  timestamp,
})

const lastFile = (row: ManifestRow, isListed: boolean): LastFile => ({
  timestamp: row.timestamp,
  row: () => row,
  isText: (text) => Buffer.byteLength(text) === row.bytes && sha256Of(text) === row.sha256,
  isListed,
  isInBlock: false,
})

/** What the tree holds of a document in a block. No manifest lists it, so its row is made when it gets a file of its own. */
function lastInBlock(path: string, text: string, isListed: boolean): LastFile | undefined {
  const timestamp = timestampIn(text, 0)
  if (!Timestamp.safeParse(timestamp).success) return undefined
  return {
    timestamp,
    row: () => rowFor(path, text, timestamp),
    isText: (other) => other === text,
    isListed,
    isInBlock: true,
  }
}

/** Returns the rows of a manifest and a row for itself; none if it or a part is damaged, or its digest is not in the index. */
function rowsIn(
  root: string,
  text: string,
  digests: z.infer<typeof IndexDigests>['sha256'] | null,
): readonly ListedRow[] {
  const sha256 = sha256Of(text)
  const manifest = digests === null || digests.manifest === sha256 ? readJson(text, PublishedManifest) : null
  if (manifest === null) return []
  const { timestamp } = manifest
  const listed = rowsListedBy(manifest, (part) => textAt(join(root, part)))
  if (listed.lost.length > 0) return []
  return [...listed.rows, { path: LAYOUT.manifest, bytes: Buffer.byteLength(text), sha256, timestamp }]
}
