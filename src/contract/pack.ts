/**
 * The format of a pack: all documents of one snapshot in one file, of which a reader takes only the parts it needs. This
 * module reads it and knows neither disk nor network, so the client has it too.
 *
 * A pack is a sequence of gzipped groups, then a gzipped {@link PackIndex}, then a footer with the index's length and
 * digest. A group holds the documents of some listings. Its rows of JSON are split into shapes, which repeat, and columns
 * of values, which compress well beside each other.
 */

/** Length of the footer: `QTPACK1 <length of the index, 10 digits> <SHA-256 of the index>\n`. */
export const FOOTER_BYTES = 84

/** Maximum length of an index, compressed. One of 100,000 documents has 700 KB. */
export const MOST_INDEX_BYTES = 8 * 2 ** 20
/** Maximum length of a group or an index, uncompressed. A group of listings has 0.45 MB. */
export const MOST_UNPACKED_BYTES = 16 * 2 ** 20
/** Maximum length of a pack. One of 1,252 listings has about 1 MB. */
export const MOST_PACK_BYTES = 64 * 2 ** 20
/** Maximum length of a document in a pack, with 16 characters for each line. */
export const MOST_DOCUMENT_CHARACTERS = 32 * 2 ** 20
/** Maximum number of lines, values and names in a group. */
const MOST_MARKS = 2 ** 20
/** Maximum length of a path. */
const MOST_PATH = 1024
/** Maximum nesting of a line. */
const MOST_DEPTH = 64

/** Stands for a value in a shape. JSON has no such character outside of escapes. */
const VALUE = '\u0001'
/** Stands for the slug of a line in its other values. */
const SLUG = '\u0002'
/** Between the parts of a group. */
const PART = '\u001D'
/** Between the blocks of a part. */
const BLOCK = '\u001E'

/** Length and SHA-256 of bytes in a pack. */
export interface PackPart {
  readonly bytes: number
  readonly sha256: string
}

/** The index of a pack. */
export interface PackIndex {
  readonly format: 1
  readonly generatedAt: string
  readonly staleAfter: string
  readonly snapshotId: string
  /** In the order of the file, from its first byte, without gaps. */
  readonly groups: readonly PackPart[]
  /** Documents, sorted. */
  readonly paths: readonly string[]
  /** Group of each document. */
  readonly homes: readonly number[]
  /** Shapes of lines that several groups have. */
  readonly shapes: readonly string[]
  /** Lists whose beginnings are documents too, and the numbers of their rows: `limit` variants. */
  readonly limits: readonly (readonly [list: string, rows: readonly number[]])[]
}

/** A document in its group. */
export interface PackedDocument {
  /** SHA-256 of its bytes, in base64 without padding. */
  readonly sha256: string
  readonly recipe: readonly Piece[]
}

/** Consecutive lines of a document: of one kind, in one group. */
export interface Piece {
  /** Null: the group of the document itself. */
  readonly group: number | null
  readonly kind: string
  readonly first: number
  readonly count: number
}

/** An unpacked group. */
export interface PackGroup {
  /** Returns the document at a place among those of the group, in the order of the index; null if there is none. */
  document(place: number): PackedDocument | null
  /** Returns lines of a kind; null if there are fewer. */
  lines(kind: string, first: number, count: number): readonly string[] | null
}

/** A line of JSON: its text with {@link VALUE} in place of the values, and the values. */
export interface SplitLine {
  readonly shape: string
  readonly values: readonly string[]
}

/** Returns the footer of a pack. */
export const printFooter = ({ bytes, sha256 }: PackPart): string =>
  `QTPACK1 ${String(bytes).padStart(10, '0')} ${sha256}\n`

/** Returns length and digest of the index of a pack; null if the text is not a footer. */
export function footerOf(text: string): PackPart | null {
  const [, bytes, sha256] = /^QTPACK1 (\d{10}) ([0-9a-f]{64})\n$/.exec(text) ?? []
  return bytes === undefined || sha256 === undefined ? null : { bytes: Number(bytes), sha256 }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const isPart = (value: unknown): value is PackPart =>
  isObject(value) &&
  typeof value['bytes'] === 'number' &&
  Number.isSafeInteger(value['bytes']) &&
  value['bytes'] > 0 &&
  typeof value['sha256'] === 'string' &&
  /^[0-9a-f]{64}$/.test(value['sha256'])

const PATH = /^(?!\.)[^/\\\p{Cc}]+(\/(?!\.)[^/\\\p{Cc}]+)*$/u

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value) && value >= 0

const isLimit = (value: unknown): boolean =>
  Array.isArray(value) && typeof value[0] === 'string' && Array.isArray(value[1]) && value[1].every(isCount)

const isTime = (value: unknown): boolean => typeof value === 'string' && !Number.isNaN(Date.parse(value))

const isText = (value: unknown): boolean => typeof value === 'string'

const isSorted = (values: readonly unknown[]): boolean =>
  values.every((value, at) => at === 0 || String(values[at - 1]) < String(value))

const isList = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isItem)

/** Whether a value is the index of a pack whose groups have `bytes` bytes together, so that nothing in it points outside. */
export function isPackIndex(value: unknown, bytes: number): value is PackIndex {
  if (!isObject(value) || value['format'] !== 1 || !Array.isArray(value['groups'])) return false
  const { generatedAt, staleAfter, snapshotId, groups, paths, homes, shapes, limits } = value
  const isHome = (home: unknown) => isCount(home) && home < groups.length
  const isPath = (path: unknown) => typeof path === 'string' && path.length <= MOST_PATH && PATH.test(path)
  return (
    [isTime(generatedAt), isTime(staleAfter), isText(snapshotId)].every(Boolean) &&
    groups.every(isPart) &&
    groups.reduce((sum, part) => sum + part.bytes, 0) === bytes &&
    [isList(paths, isPath), isList(homes, isHome), isList(shapes, isText), isList(limits, isLimit)].every(Boolean) &&
    Array.isArray(paths) &&
    isSorted(paths) &&
    Array.isArray(homes) &&
    paths.length === homes.length
  )
}

/** Where a document is: its group, and its place among the documents of that. */
export interface PackHome {
  readonly group: number
  readonly place: number
}

/** Returns where a document is; null if the pack does not have it. */
export function homeOf({ paths, homes }: PackIndex, path: string): PackHome | null {
  let [low, high] = [0, paths.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((paths[middle] ?? '') < path) low = middle + 1
    else high = middle
  }
  const group = homes[low]
  if (paths[low] !== path || group === undefined) return null
  return { group, place: homes.slice(0, low).filter((home) => home === group).length }
}

/** Returns the first byte of a group in its pack. */
export const offsetOf = ({ groups }: PackIndex, group: number): number =>
  groups.slice(0, group).reduce((sum, { bytes }) => sum + bytes, 0)

const TOKENS = /"(?:[^"\\]|\\.)*"(:)?|-?\d[\d.]*(?:[eE][+-]?\d+)?|true|false|null/g

/**
 * Splits a line of JSON. In its values, {@link SLUG} stands for the slug that it names.
 *
 * @param isEntry whether it is an entry of a map, so that the name at its beginning is a value too
 */
export function splitLine(line: string, isEntry: boolean): SplitLine {
  const values: string[] = []
  const slug = slugIn(line)
  const shape = line.replaceAll(TOKENS, (token: string, colon: string | undefined, at: number) => {
    const isName = colon !== undefined
    if (isName && !(isEntry && at === 0)) return token
    const value = isName ? token.slice(0, -1) : token
    const isSlug = value === `"${slug}"` && line.startsWith('"slug":', at - 7)
    values.push(slug === null || isSlug || value[0] !== '"' ? value : value.replaceAll(slug, SLUG))
    return isName ? `${VALUE}:` : VALUE
  })
  return { shape, values }
}

const SLUG_MEMBER = /"slug":"([a-z0-9-]+)"/

/** Returns the slug that a line names first; null if it names none. */
export const slugIn = (line: string): string | null => SLUG_MEMBER.exec(line)?.[1] ?? null

/** Counts characters of unpacked text. @throws RangeError if there are more than a reader has room for */
export type Take = (characters: number) => void

/** Returns a line with its slug in place of {@link SLUG}. */
function withSlug(line: string, take: Take): string {
  if (!line.includes(SLUG)) return line
  const parts = line.split(SLUG)
  const slug = slugIn(line) ?? ''
  take(parts.length * slug.length)
  return parts.join(slug)
}

const MARKS = /"((?:[^"\\]|\\.)*)":|[{}[\]]/g

/** Returns the member that each value of a shape belongs to, with those around it: `price_usd<sources<price_basis`. */
export function membersOfShape(shape: string, take: Take = () => {}): readonly string[] {
  const around: string[] = []
  let member = ''
  return shape
    .split(VALUE)
    .slice(0, -1)
    .map((literal) => {
      for (const [mark, name] of literal.matchAll(MARKS))
        if (name !== undefined) member = name
        else if (mark === '{' || mark === '[') {
          if (around.length === MOST_DEPTH) throw new RangeError('a line of it is nested too deep')
          around.unshift(member)
        } else member = around.shift() ?? ''
      const path = [member, ...around].join('<')
      take(path.length)
      return path
    })
}

/** The lines of one kind in a group: the number of each line's shape, those of the index first, then the group's own. */
export interface PackedKind {
  readonly kind: string
  readonly sequence: readonly number[]
}

/** The content of a group, as it is stored. */
export interface PackedLines {
  readonly kinds: readonly PackedKind[]
  /** Shapes that no other group has. */
  readonly shapes: readonly string[]
  /** The values of each member of each kind, in order; see {@link columnNames}. Equal columns are stored once. */
  readonly columns: readonly (readonly string[])[]
  /** The column of each name. */
  readonly places: readonly number[]
}

/** Returns the text of a group. */
export function printGroup(
  documents: readonly PackedDocument[],
  { kinds, shapes, columns, places }: PackedLines,
): string {
  const heads = documents.map(({ sha256, recipe }) => `${sha256}\t${printRecipe(recipe)}`)
  const blocks = kinds.map(({ kind, sequence }) => `${kind}\n${sequence.join(' ')}`)
  const values = columns.map((column) => column.join('\n'))
  return [heads.join('\n'), shapes.join('\n'), blocks.join(BLOCK), places.join(' '), values.join(BLOCK)].join(PART)
}

/** Returns the names of the columns of a group, in the order in which its lines need them: kind and member. */
export function columnNames(
  kinds: readonly PackedKind[],
  membersOf: (shape: number) => readonly string[],
  take: Take = () => {},
): string[] {
  return kinds.flatMap(({ kind, sequence }) => {
    const members = new Set<string>()
    for (const shape of new Set(sequence)) for (const member of membersOf(shape)) members.add(member)
    return Array.from(members, (member) => {
      take(kind.length + member.length)
      return `${kind} ${member}`
    })
  })
}

/** `=kind`, then `first+count` lines of the own group, or `group.first+count`; `+1` is left out. */
function printRecipe(recipe: readonly Piece[]): string {
  let current: string | null = null
  return recipe
    .map(({ group, kind, first, count }) => {
      const mark = kind === current ? '' : `=${kind} `
      current = kind
      return `${mark}${group === null ? '' : `${group}.`}${first}${count === 1 ? '' : `+${count}`}`
    })
    .join(' ')
}

function recipeOf(text: string): readonly Piece[] {
  let kind = ''
  const pieces: Piece[] = []
  for (const word of text.split(' ')) {
    if (word.startsWith('=')) {
      kind = word.slice(1)
      continue
    }
    const [, group, first, count] = /^(?:(\d+)\.)?(\d+)(?:\+(\d+))?$/.exec(word) ?? []
    if (first === undefined) throw new SyntaxError('The recipe of a document is damaged')
    pieces.push({
      group: group === undefined ? null : Number(group),
      kind,
      first: Number(first),
      count: Number(count ?? 1),
    })
  }
  return pieces
}

// eslint-disable-next-line no-control-regex -- control characters stand between the parts
const MARK = /[\u0001\u0002\u001D\u001E\n\t ]/g

/** @throws RangeError if a text has more pieces than a reader has room for */
function refuseMany(text: string): void {
  let count = 0
  for (MARK.lastIndex = 0; MARK.test(text); count++)
    if (count === MOST_MARKS) throw new RangeError('a part of it has too many lines')
}

/**
 * Opens the text of a group. Its documents and lines are parsed when they are asked for.
 *
 * @param take counts what the group takes in memory
 */
export function openGroup(text: string, shared: readonly string[], take: Take): PackGroup {
  take(text.length)
  refuseMany(text)
  const [heads = '', own = '', blocks = '', places = '', values = ''] = text.split(PART)
  const documents = heads.split('\n')
  let kinds: ReadonlyMap<string, readonly string[]> | null = null
  return {
    document(place) {
      const [sha256 = '', recipe] = documents[place]?.split('\t') ?? []
      return recipe === undefined ? null : { sha256, recipe: recipeOf(recipe) }
    },
    lines(kind, first, count) {
      kinds ??= linesByKind(
        {
          kinds: blocks.split(BLOCK).map((block) => {
            const [kind = '', sequence = ''] = block.split('\n')
            return { kind, sequence: sequence.split(' ').map(Number) }
          }),
          shapes: [...shared, ...own.split('\n')],
          columns: values.split(BLOCK).map((column) => column.split('\n')),
          places: places.split(' ').map(Number),
        },
        take,
      )
      const lines = kinds.get(kind)?.slice(first, first + count)
      return lines?.length === count ? lines : null
    },
  }
}

/** Returns the lines of a group by kind. Here `shapes` has those of the index too. */
function linesByKind(
  { kinds, shapes, columns, places }: PackedLines,
  take: Take,
): ReadonlyMap<string, readonly string[]> {
  const literals = new Map<number, readonly string[]>()
  const literalsOf = (shape: number) => {
    const known = literals.get(shape) ?? (shapes[shape] ?? '').split(VALUE)
    literals.set(shape, known)
    return known
  }
  const members = new Map<number, readonly string[]>()
  const membersOf = (shape: number) => {
    const known = members.get(shape) ?? membersOfShape(shapes[shape] ?? '', take)
    members.set(shape, known)
    return known
  }
  const cursors = new Map(
    columnNames(kinds, membersOf, take).map((name, at) => [name, { column: columns[places[at] ?? 0] ?? [], next: 0 }]),
  )
  return new Map(
    kinds.map(({ kind, sequence }) => {
      const lines = sequence.map((shape) => {
        const [begin = '', ...rest] = literalsOf(shape)
        let line = begin
        for (const [at, member] of membersOf(shape).entries()) {
          const cursor = cursors.get(`${kind} ${member}`)
          line += (cursor?.column[cursor.next++] ?? '') + (rest[at] ?? '')
        }
        take(line.length)
        return withSlug(line, take)
      })
      return [kind, lines] as const
    }),
  )
}
