import { type HashAt, type Sha256, joined, leafHash, nodeHash } from './merkle.ts'
import { isObject, parseJson } from './read-json.ts'
import { type SignedNote, fromBase64, parseNote, printNote, toBase64 } from './signed-note.ts'

/** Files of the log of runs, below the tree's root, beside its tiles. */
export const LOG = {
  folder: 'log',
  checkpoint: 'log/checkpoint',
  keys: 'log/keys.json',
  proof: 'log/latest.tlog-proof',
} as const

/** Hashes of a full tile, and entries of a full bundle. */
export const TILE = 256
export const HASH_BYTES = 32

/** Where a rotation stands: a key that another one replaces signs beside it for thirty days. */
export const ROTATION = { days: 30 } as const

/** What the log says of one run. */
export interface LogEntry {
  /** SHA-256 of the list of the parts of the manifest, which covers every document but the next two. */
  readonly manifest: string
  /** SHA-256 of the index, which has the SHA-256 of the collector document. */
  readonly index: string
  /** SHA-256 of the source data, by which a recording of the run is known. */
  readonly inputs: string
  readonly commit: string | null
  /** Version of the methodology. */
  readonly methodology: string
  readonly generatedAt: string
  readonly staleAfter: string
}

/** Returns the entry in a text; null if it is none. */
export function parseEntry(text: string): LogEntry | null {
  const parsed = parseJson(text)
  const entry = isObject(parsed) ? parsed : {}
  const { manifest, index, inputs, commit, methodology, generatedAt, staleAfter } = entry
  const texts = [manifest, index, inputs, methodology, generatedAt, staleAfter]
  if (!texts.every((one) => typeof one === 'string') || (commit !== null && typeof commit !== 'string')) return null
  const [list = '', first = '', source = '', version = '', at = '', until = ''] = texts
  return {
    manifest: list,
    index: first,
    inputs: source,
    commit,
    methodology: version,
    generatedAt: at,
    staleAfter: until,
  }
}

/** A public key of the log, and when it signs. */
export interface LogKey {
  readonly key: string
  readonly from: string
  /** When its last signature is valid; null: it is in use. */
  readonly until: string | null
}

/**
 * Prints an entry. Spaces at its end keep both bytes of its length below 128, so that a bundle of entries is ASCII: it passes
 * through everything that carries the documents of a tree.
 */
export function printEntry(entry: LogEntry): string {
  const text = JSON.stringify(entry)
  return text.length % TILE < 128 ? text : text.padEnd(Math.ceil(text.length / TILE) * TILE, ' ')
}

/** Returns an entry as a bundle has it: its length in two bytes, then itself. */
export const bundled = (entry: string): string =>
  String.fromCodePoint(Math.floor(entry.length / TILE), entry.length % TILE) + entry

/** Returns the entries of a bundle; null if it is cut off. */
export function entriesOf(bundle: string): readonly string[] | null {
  const entries: string[] = []
  for (let at = 0; at < bundle.length;) {
    const end = at + 2 + (bundle.codePointAt(at) ?? 0) * TILE + (bundle.codePointAt(at + 1) ?? 0)
    if (end > bundle.length || end < at + 3) return null
    entries.push(bundle.slice(at + 2, end))
    at = end
  }
  return entries
}

/** Whether a file of the log is carried with the documents of a tree: all others follow from these. */
export const isCarried = (file: string): boolean =>
  /^log\/(?:checkpoint|latest\.tlog-proof|tile\/entries\/(?:x\d{3}\/)*\d{3}(?:\.p\/\d{1,3})?)$/.test(file)

/** How many hashes of a level a log of `size` entries has. */
const hashesOf = (level: number | 'entries', size: number): number =>
  Math.floor(size / (level === 'entries' ? 1 : TILE ** level))

/** Returns the file of a tile, or of a bundle of entries, in a log of `size` entries. */
export function tileFile(level: number | 'entries', index: number, size: number): string {
  const width = Math.min(TILE, hashesOf(level, size) - index * TILE)
  const digits = String(index)
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/.{3}/g) ?? []
  const name = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/')
  return `${LOG.folder}/tile/${level}/${name}${width < TILE ? `.p/${width}` : ''}`
}

const LEVELS = ['entries', 0, 1, 2, 3, 4, 5, 6] as const

/** Returns the bundles of entries of a log of `size` entries, in order. */
export const bundlesOf = (size: number): readonly string[] =>
  Array.from({ length: Math.ceil(size / TILE) }, (_, index) => tileFile('entries', index, size))

/** Returns all tiles and bundles of a log: the partial ones of smaller sizes stay until their tile is full. */
export const tilesOf = (size: number): readonly string[] =>
  LEVELS.flatMap((level) =>
    Array.from({ length: Math.ceil(hashesOf(level, size) / TILE) }, (_, index) => {
      const file = tileFile(level, index, size)
      const [full = '', width] = file.split('.p/')
      return width === undefined ? [file] : Array.from({ length: Number(width) }, (_one, at) => `${full}.p/${at + 1}`)
    }).flat(),
  )

/** Returns the new files of a log that an entry is added to, tiles and a bundle. @param read returns a file of the log */
export function tilesWith(
  entry: string,
  size: number,
  { read, sha256 }: { readonly read: (file: string) => Uint8Array; readonly sha256: Sha256 },
): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>()
  const put = (level: number | 'entries', content: Uint8Array): number | null => {
    const [index, width] = [Math.floor(hashesOf(level, size) / TILE), hashesOf(level, size) % TILE]
    const before = width === 0 ? new Uint8Array() : read(tileFile(level, index, size))
    files.set(tileFile(level, index, size + 1), joined(before, content))
    return width + 1 === TILE ? index : null
  }
  const bytes = new TextEncoder().encode(entry)
  put('entries', new TextEncoder().encode(bundled(entry)))
  const at = hashesIn((level, index) => files.get(tileFile(level, index, size + 1)) ?? bytes, sha256)
  let hash = leafHash(bytes, sha256)
  for (let level = 0, full = put(0, hash); full !== null; full = put(level, hash)) {
    const [left, right] = [at(8 * level + 7, 2 * full), at(8 * level + 7, 2 * full + 1)]
    hash = nodeHash(left, right, sha256)
    level++
  }
  return files
}

/** Returns the hashes of a tree as its tiles have them. */
export function hashesIn(tile: (level: number, index: number) => Uint8Array, sha256: Sha256): HashAt {
  const at: HashAt = (level, index) => {
    if (level % 8 > 0) return nodeHash(at(level - 1, 2 * index), at(level - 1, 2 * index + 1), sha256)
    const from = (index % TILE) * HASH_BYTES
    return tile(level / 8, Math.floor(index / TILE)).subarray(from, from + HASH_BYTES)
  }
  return at
}

/** The proof that an entry is in a log, with the entry itself and its manifest, as one file. */
export interface LogProof {
  readonly entry: Uint8Array
  readonly manifest: Uint8Array
  readonly index: number
  /** From the hash beside the entry up to the one below the root. */
  readonly path: readonly Uint8Array[]
  /** The checkpoint, as it is published. */
  readonly checkpoint: string
}

const NEWLINE = Uint8Array.of(10)
const HEADER = 'c2sp.org/tlog-proof@v1'

/** Prints a proof. The extra data of it is the entry, a newline and the manifest. */
export const printProof = ({ entry, manifest, index, path, checkpoint }: LogProof): string =>
  [
    HEADER,
    `extra ${toBase64(joined(entry, NEWLINE, manifest))}`,
    `index ${index}`,
    ...path.map(toBase64),
    '',
    checkpoint,
  ].join('\n')

/** Returns the proof in a text, and its checkpoint as a note; null if it is none. */
export function parseProof(text: string): (LogProof & { readonly note: SignedNote }) | null {
  const end = text.indexOf('\n\n')
  const [header, extra = '', index = '', ...lines] = text.slice(0, end).split('\n')
  const bytes = extra.startsWith('extra ') ? fromBase64(extra.slice('extra '.length)) : null
  const cut = bytes?.indexOf(10) ?? -1
  const [, place] = /^index (0|[1-9]\d{0,14})$/.exec(index) ?? []
  const path = lines.map((line) => fromBase64(line)).filter((hash) => hash?.length === HASH_BYTES)
  const note = parseNote(text.slice(end + 2))
  if (
    header !== HEADER ||
    bytes === null ||
    cut < 0 ||
    place === undefined ||
    note === null ||
    path.length < lines.length
  )
    return null
  return {
    entry: bytes.subarray(0, cut),
    manifest: bytes.subarray(cut + 1),
    index: Number(place),
    path: path.filter((hash) => hash !== null),
    checkpoint: printNote(note),
    note,
  }
}
