import { type SplitLine, slugIn, splitLine } from '../contract/pack.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { ArchiveError } from './archive-error.ts'

/** A document to pack. */
export interface Packable {
  readonly path: string
  readonly text: string
  /** In hexadecimal, as the manifest has it. */
  readonly sha256: string
}

/** One line of a group. */
export interface PlannedLine {
  readonly kind: string
  readonly text: string
}

/** Documents and rows to store together. */
export interface PlannedGroup {
  readonly documents: readonly Packable[]
  /** Rows of lists, which the documents of other groups are assembled from. */
  readonly rows: readonly PlannedLine[]
}

/**
 * What goes where. Everything about one listing is in one group: its documents, and its rows of the long lists. The lists
 * themselves only name their rows, so that each row is stored once.
 */
export interface PackPlan {
  readonly groups: readonly PlannedGroup[]
  /** Documents that are assembled from the rows of groups. */
  readonly lists: readonly Packable[]
}

/** Uncompressed size of a group: about 35 KB compressed, so that one document costs one short request. */
const GROUP_BYTES = 450_000
/** Documents of several listings below this are kept whole, so that one request reads them. */
const WHOLE_BYTES = 1_000

/** Returns the kind of the lines of a document: `api/mkt/assets/bitcoin.json` is of `assets/*`. */
export function kindOf(path: string): string {
  const below = path.startsWith(`${API_FOLDER}/`) ? path.slice(API_FOLDER.length + 1) : ''
  const [folder = '', name, ...rest] = below.split('/')
  return [folder, ...(name === undefined ? [] : ['*']), ...rest].join('/').replaceAll(/\s/g, '_')
}

/** Returns the lines of a document. @throws ArchiveError `unfit` if it cannot be told apart from the format */
export function linesOf({ path, text }: Packable): readonly string[] {
  // eslint-disable-next-line no-control-regex -- control characters are what it looks for
  if (!text.endsWith('\n') || /[\u0000-\u0009\u000B-\u001F]/.test(text))
    throw new ArchiveError('unfit', `${path} is not a document that the program printed, so it cannot be packed.`)
  return text.slice(0, -1).split('\n')
}

/** Plans the groups of documents, given by path. Equal documents give equal plans. */
export function planPack(documents: readonly Packable[]): PackPlan {
  const bySlug = new Map<string, { documents: Packable[]; rows: PlannedLine[]; bytes: number }>()
  const others: Packable[] = []
  const lists: Packable[] = []
  const known = new Set<string>()
  const entryOf = (slug: string) => {
    const entry = bySlug.get(slug) ?? { documents: [], rows: [], bytes: 0 }
    bySlug.set(slug, entry)
    return entry
  }
  for (const document of documents.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const lines = linesOf(document)
    const slugs = new Set(lines.flatMap((line) => slugIn(line) ?? []))
    const [slug] = slugs
    if (slug !== undefined && slugs.size === 1) {
      const entry = entryOf(slug)
      entry.documents.push(document)
      entry.bytes += document.text.length
    } else if (slug === undefined || document.text.length < WHOLE_BYTES) others.push(document)
    else {
      lists.push(document)
      for (const text of lines) {
        const owner = slugIn(text)
        if (owner === null || known.has(text)) continue
        known.add(text)
        const entry = entryOf(owner)
        entry.rows.push({ kind: kindOf(document.path), text })
        entry.bytes += text.length
      }
    }
  }
  const listings = [...bySlug].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry)
  const single = others.map((document) => ({ documents: [document], rows: [], bytes: document.text.length }))
  return { groups: [...gathered(listings), ...gathered(single)], lists }
}

type Entry = PlannedGroup & { readonly bytes: number }

/** Joins entries to groups of about {@link GROUP_BYTES}. */
function gathered(entries: readonly Entry[]): PlannedGroup[] {
  const groups: { documents: Packable[]; rows: PlannedLine[] }[] = []
  let bytes = Infinity
  for (const entry of entries) {
    if (bytes + entry.bytes > GROUP_BYTES) {
      groups.push({ documents: [], rows: [] })
      bytes = 0
    }
    bytes += entry.bytes
    groups.at(-1)?.documents.push(...entry.documents)
    groups.at(-1)?.rows.push(...inOrderOfMarkets(entry.rows))
  }
  return groups
}

const VOLUME = /"volume_24h_usd":([\d.]+)/

/** Orders rows of one kind by volume, as the markets of a listing are ordered: their columns are then equal, and stored once. */
const inOrderOfMarkets = (rows: readonly PlannedLine[]): PlannedLine[] => {
  const volume = ({ text }: PlannedLine) => Number(VOLUME.exec(text)?.[1] ?? 0)
  return rows.toSorted((a, b) => (a.kind === b.kind ? volume(b) - volume(a) : a.kind < b.kind ? -1 : 1))
}

/** An entry of a map of objects, or of a map of values. The second kind looks like a member of an envelope. */
const ENTRY = /^"[^"]+":(\{)?/
/** No envelope has as many members. */
const FEWEST_ENTRIES = 40

/** Splits the lines of one document or list. */
export function splitLines(lines: readonly string[]): readonly SplitLine[] {
  const entries = lines.map((line) => ENTRY.exec(line))
  const isMap = entries.filter((entry) => entry !== null).length >= FEWEST_ENTRIES
  return lines.map((line, at) => {
    const entry = entries[at] ?? null
    return splitLine(line, entry !== null && (isMap || (entry[1] !== undefined && line.endsWith('},'))))
  })
}
