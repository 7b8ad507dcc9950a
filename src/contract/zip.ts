import { placesIn } from './blocks.ts'

/**
 * Documents in a ZIP file. A large one is an entry with its path. Small ones share an entry, a group, which is a block named
 * after the first of them, so that the directory stays small.
 */

/** An entry, as the directory of a ZIP file describes it. */
export interface ZipEntry {
  readonly name: string
  /** Place of its first byte in the file. */
  readonly from: number
  /** Place after its last byte. */
  readonly to: number
  /** Length of its content, compressed. */
  readonly bytes: number
  readonly size: number
}

/** Maximum length of the content of an entry: of the largest document. */
export const MOST_ENTRY_BYTES = 64 * 2 ** 20
/** Maximum number of entries: that of a ZIP file without extensions. */
const MOST_ENTRIES = 2 ** 16 - 1
const GROUPS = 'groups/'

/** Length of the end of a ZIP file without a comment, of the head of an entry, and of its line in the directory. */
const [END_BYTES, HEAD_BYTES, LINE_BYTES] = [22, 30, 46]
const [END, HEAD, LINE] = [0x06054b50, 0x04034b50, 0x02014b50]
const DEFLATED = 8

const PATH = /^(?!\.)[^/\\\p{Cc}]+(\/(?!\.)[^/\\\p{Cc}]+)*$/u
const MOST_PATH = 1024

/** Whether a path is one of a file below a folder. */
const isPath = (path: string): boolean => path.length <= MOST_PATH && PATH.test(path)

/** Returns the name of the group that begins with a document. */
export const groupName = (first: string): string => GROUPS + first

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength)

/**
 * Returns the entries of a ZIP file in their order.
 *
 * @param tail its last bytes, with all of the directory
 * @param length of the file
 * @throws Error with what is wrong: it is no ZIP file, or one whose entries overlap, are too large or have unsafe names
 */
export function entriesIn(tail: Uint8Array, length: number): readonly ZipEntry[] {
  const view = viewOf(tail)
  const end = tail.byteLength - END_BYTES
  if (end < 0 || view.getUint32(end, true) !== END) throw new SyntaxError('it does not end as a ZIP file')
  const directory = view.getUint32(end + 16, true)
  let at = directory - (length - tail.byteLength)
  if (at < 0 || at + view.getUint32(end + 12, true) !== end) throw new SyntaxError('its directory is elsewhere')
  const entries: ZipEntry[] = []
  const text = (from: number, bytes: number) => new TextDecoder().decode(tail.subarray(from, from + bytes))
  while (at < end) {
    if (view.getUint32(at, true) !== LINE || view.getUint16(at + 10, true) !== DEFLATED)
      throw new SyntaxError('its directory is damaged')
    const [bytes, size] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)]
    const [ofName, ofExtra, ofComment] = [28, 30, 32].map((place) => view.getUint16(at + place, true))
    const [nameBytes, extraBytes, commentBytes] = [ofName ?? 0, ofExtra ?? 0, ofComment ?? 0]
    const name = text(at + LINE_BYTES, nameBytes)
    if (entries.length === MOST_ENTRIES) throw new RangeError('it has too many entries')
    entries.push({ name, from: view.getUint32(at + 42, true), to: directory, bytes, size })
    at += LINE_BYTES + nameBytes + extraBytes + commentBytes
  }
  return entries.map((entry, place) => {
    const to = entries[place + 1]?.from ?? directory
    if (entry.from + HEAD_BYTES + entry.bytes > to) throw new RangeError('its entries overlap')
    if (entry.size > MOST_ENTRY_BYTES) throw new RangeError(`${entry.name} is too large`)
    if (!isPath(entry.name)) throw new RangeError('an entry has an unsafe name')
    return { ...entry, to }
  })
}

/** Returns the content of an entry, compressed, from its bytes in the file. @throws Error if it is not there */
export function contentOf({ name, bytes }: ZipEntry, own: Uint8Array): Uint8Array {
  const view = viewOf(own)
  if (view.getUint32(0, true) !== HEAD) throw new SyntaxError(`${name} is not where its directory says`)
  const from = HEAD_BYTES + view.getUint16(26, true) + view.getUint16(28, true)
  if (from + bytes > own.byteLength) throw new RangeError(`${name} is longer than its place`)
  return own.subarray(from, from + bytes)
}

/** Returns the entry that has a document if any has it: its own, or the group whose range it is in. */
export const entryOf = (entries: readonly ZipEntry[], path: string): ZipEntry | undefined =>
  entries.find(({ name }) => name === path) ??
  entries.findLast(({ name }) => name.startsWith(GROUPS) && name <= groupName(path))

/** Yields the documents of an entry from its text. */
export function* documentsOf({ name }: ZipEntry, text: string): Generator<readonly [path: string, text: string]> {
  if (!name.startsWith(GROUPS)) yield [name, text]
  else for (const [path, { from, to }] of placesIn(text)) yield [path, text.slice(from, to)]
}
