import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { type HashAt, leafHash, nodeHash } from './merkle.ts'
import { isObject, parseJson } from './read-json.ts'
import { type Checkpoint, fromBase64, parseCheckpoint, printNote, toBase64 } from './signed-note.ts'

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
/** Partial bundles of so many sizes are kept, for readers of a checkpoint that was just replaced. */
const KEPT_BUNDLES = 8

/** A key that another one replaces signs beside it for thirty days. */
export const ROTATION = { days: 30 } as const

/** A public key of the log, and when it signs. */
export interface LogKey {
  readonly key: string
  readonly from: string
  /** When its last signature is valid; null: it is in use. */
  readonly until: string | null
}

export interface LogEntry {
  /** SHA-256 of the manifest, which covers every document but the next two. */
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
  /** From which a reader who trusts one of them learns the others; none: the log is unsigned. */
  readonly keys: readonly LogKey[]
}

/** Whether a value is an object with a text under each of these names. */
export const hasTexts = (value: unknown, names: readonly string[]): value is Readonly<Record<string, unknown>> =>
  isObject(value) && names.every((name) => typeof value[name] === 'string')

const isLogKey = (row: unknown): row is LogKey =>
  hasTexts(row, ['key', 'from']) && (row['until'] === null || typeof row['until'] === 'string')

const isEntry = (entry: unknown): entry is Omit<LogEntry, 'keys'> =>
  hasTexts(entry, ['manifest', 'index', 'inputs', 'methodology', 'generatedAt', 'staleAfter'])

/** Returns the entry in a text; null if it is none. Those of the first logs have no keys. */
function parseEntry(text: string): LogEntry | null {
  const entry = parseJson(text)
  const keys = isObject(entry) && Array.isArray(entry['keys']) ? entry['keys'].filter(isLogKey) : []
  return isEntry(entry) ? { ...entry, keys } : null
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

type Level = number | 'entries'

/** How many hashes of a level a log of `size` entries has. */
const hashesOf = (level: Level, size: number): number => Math.floor(size / (level === 'entries' ? 1 : TILE ** level))

/** Returns the file of a tile, or of a bundle of entries, in a log of `size` entries. */
export function tileFile(level: Level, index: number, size: number): string {
  const width = Math.min(TILE, hashesOf(level, size) - index * TILE)
  const digits = String(index)
  const name = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').replaceAll(/\d{3}(?=\d)/g, 'x$&/')
  return `${LOG.folder}/tile/${level}/${name}${width < TILE ? `.p/${width}` : ''}`
}

/** Returns the bundles of entries of a log of `size` entries, in order. */
export const bundlesOf = (size: number): readonly string[] =>
  Array.from({ length: Math.ceil(size / TILE) }, (_, index) => tileFile('entries', index, size))

/**
 * Returns the hashes of a tree as its tiles have them. A hash of leaves on both sides of `border` is computed from those below
 * it, so that the roots of `border` leaves and of all are of the same leaves.
 */
export function hashesIn(tile: (level: number, index: number) => Uint8Array, border = 0): HashAt {
  const at: HashAt = (level, index) => {
    const [from, to] = [index * 2 ** level, (index + 1) * 2 ** level]
    if (level % 8 > 0 || (from < border && border < to))
      return nodeHash(at(level - 1, 2 * index), at(level - 1, 2 * index + 1))
    const place = (index % TILE) * HASH_BYTES
    return tile(level / 8, Math.floor(index / TILE)).subarray(place, place + HASH_BYTES)
  }
  return at
}

/** Returns the new files of a log that an entry is added to, tiles and a bundle. @param read returns a file of the log */
export function filesWith(
  entry: string,
  size: number,
  read: (file: string) => Uint8Array,
): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>()
  const put = (level: Level, added: Uint8Array): void => {
    const [index, width] = [Math.floor(hashesOf(level, size) / TILE), hashesOf(level, size) % TILE]
    const content = concatBytes(width === 0 ? new Uint8Array() : read(tileFile(level, index, size)), added)
    files.set(tileFile(level, index, size + 1), content)
    const at = hashesIn(() => content)
    if (level !== 'entries' && width + 1 === TILE) put(level + 1, nodeHash(at(7, 0), at(7, 1)))
  }
  put('entries', utf8ToBytes(bundled(entry)))
  put(0, leafHash(utf8ToBytes(entry)))
  return files
}

/**
 * Returns the partial files that go when a file of the log comes: those of a full one, as C2SP allows, and a bundle of some
 * sizes before. Partial tiles stay, as it asks, for every checkpoint that there was.
 */
export function goneWith(file: string): readonly string[] {
  const [stem = '', width] = file.split('.p/')
  if (width === undefined) return Array.from({ length: TILE - 1 }, (_, at) => `${stem}.p/${at + 1}`)
  return stem.includes('/entries/') ? [`${stem}.p/${Number(width) - KEPT_BUNDLES}`] : []
}

/** The proof that an entry is in a log, with the entry itself and its manifest, as one file. */
export interface LogProof {
  readonly entry: LogEntry
  /** The entry as it is in the log. */
  readonly leaf: string
  readonly manifest: string
  readonly index: number
  /** From the hash beside the entry up to the one below the root. */
  readonly path: readonly Uint8Array[]
  readonly checkpoint: Checkpoint
}

const HEADER = 'c2sp.org/tlog-proof@v1'

/** Prints a proof. The extra data of it is the entry, a newline and the manifest. */
export function printProof({ leaf, manifest, index, path, checkpoint }: Omit<LogProof, 'entry'>): string {
  const extra = toBase64(utf8ToBytes(`${leaf}\n${manifest}`))
  return [HEADER, `extra ${extra}`, `index ${index}`, ...path.map(toBase64), '', printNote(checkpoint)].join('\n')
}

/** Returns the proof in a text; null if it is none. */
export function parseProof(text: string): LogProof | null {
  const [, header, extra = '', index, hashes = '', note = ''] =
    /^(\S+)\nextra (\S+)\nindex (0|[1-9]\d{0,11})\n((?:\S+\n)*)\n([^]*)$/.exec(text) ?? []
  const [leaf = '', ...manifest] = new TextDecoder().decode(fromBase64(extra) ?? undefined).split('\n')
  const path = hashes
    .split('\n')
    .slice(0, -1)
    .map((line) => fromBase64(line) ?? new Uint8Array())
  const [entry, checkpoint] = [parseEntry(leaf), parseCheckpoint(note)]
  const isWhole = header === HEADER && path.every(({ length }) => length === HASH_BYTES)
  if (!isWhole || entry === null || checkpoint === null) return null
  return { entry, leaf, manifest: manifest.join('\n'), index: Number(index), path, checkpoint }
}
