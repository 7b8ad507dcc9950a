import { gunzipSync } from 'node:zlib'
import * as z from 'zod'
import { sha256Of } from '../contract/digest.ts'
import { readJson } from '../contract/read-json.ts'
import type { SnapshotHead } from '../contract/snapshot-file.ts'
import { isPath } from '../contract/zip.ts'
import type { ZipText } from '../tree/write-zip.ts'

/**
 * Packs, which snapshot files were before they were ZIP files: gzipped groups, then a gzipped index, then a footer. A group
 * holds lines of JSON as shapes and columns of values, and documents as recipes of lines. They are read once, to be rewritten.
 */

const FOOTER_BYTES = 84
/** Maximum length of a group or an index, unpacked. */
const MOST_UNPACKED_BYTES = 16 * 2 ** 20
/** Maximum number of characters of all that is unpacked. A pack of 1,252 listings has 50 million. */
const MOST_CHARACTERS = 2 ** 27
/** What an entry of a list takes, in characters. */
const ENTRY_CHARACTERS = 16

/** Stand for a value in a shape and for the slug of a line, and divide the parts and blocks of a group. */
const [VALUE, SLUG, PART, BLOCK] = ['\u0001', '\u0002', '\u001D', '\u001E'] as const

const Place = z.int().nonnegative()
const Index = z.object({
  generatedAt: z.string(),
  staleAfter: z.string(),
  snapshotId: z.string(),
  groups: z.array(z.object({ bytes: Place, sha256: z.string() })),
  paths: z.array(z.string().refine(isPath)),
  homes: z.array(Place),
  shapes: z.array(z.string()),
  limits: z.array(z.tuple([z.string(), z.array(Place)])),
})

/** A group: its documents as digest and recipe, and its lines by kind. */
interface Group {
  readonly documents: readonly string[]
  readonly lines: ReadonlyMap<string, readonly string[]>
}

const ENTRY_ENDS = new Set(['\n', ' ', VALUE, PART, BLOCK].map((end) => end.charCodeAt(0)))

type Take = (characters: number) => void

/** Returns what a pack holds; null if the bytes are not a pack, or it is damaged. */
export function packIn(bytes: Buffer): { readonly head: SnapshotHead; readonly documents: readonly ZipText[] } | null {
  try {
    return read(bytes)
  } catch {
    return null
  }
}

function read(bytes: Buffer): ReturnType<typeof packIn> {
  const footer = /^QTPACK1 (\d{10}) ([0-9a-f]{64})\n$/.exec(bytes.toString('latin1', bytes.length - FOOTER_BYTES))
  const [, length = '', sha256 = ''] = footer ?? []
  const end = bytes.length - FOOTER_BYTES - Number(length)
  const index = readJson(unpacked(bytes.subarray(end, -FOOTER_BYTES), sha256), Index)
  if (index === null) return null
  let left = MOST_CHARACTERS
  const take: Take = (characters) => {
    left -= characters
    if (left < 0) throw new RangeError('it is too large')
  }
  let from = 0
  const groups = index.groups.map((part) =>
    groupIn(unpacked(bytes.subarray(from, (from += part.bytes)), part.sha256), index.shapes, take),
  )
  const seen = new Map<number, number>()
  const documents = index.paths.map((path, at) => {
    const home = index.homes[at] ?? 0
    const place = seen.get(home) ?? 0
    seen.set(home, place + 1)
    return { path, text: documentAt(groups, home, place, take) }
  })
  const { generatedAt, staleAfter, snapshotId, limits } = index
  return { head: { generatedAt, staleAfter, snapshotId, limits }, documents }
}

function unpacked(bytes: Buffer, sha256: string): string {
  if (sha256Of(bytes) !== sha256) throw new RangeError('a part does not have its SHA-256')
  return gunzipSync(bytes, { maxOutputLength: MOST_UNPACKED_BYTES }).toString('utf8')
}

/** Consecutive lines of a document: `first+count` of its own group, or `group.first+count`. */
const PIECE = /^(?:(\d+)\.)?(\d+)(?:\+(\d+))?$/

/** Puts a document together from its lines: a recipe is `=kind`, then pieces. */
function documentAt(groups: readonly Group[], home: number, place: number, take: Take): string {
  const [sha256, recipe = ''] = groups[home]?.documents[place]?.split('\t') ?? []
  let kind = ''
  const lines = recipe.split(' ').flatMap((word) => {
    if (word.startsWith('=')) kind = word.slice(1)
    const [, group = home, first, count = 1] = PIECE.exec(word) ?? []
    if (first === undefined) return []
    const found = groups[Number(group)]?.lines.get(kind)?.slice(Number(first), Number(first) + Number(count)) ?? []
    take(found.reduce((sum, line) => sum + line.length + 1, 0))
    return found
  })
  const text = `${lines.join('\n')}\n`
  if (Buffer.from(sha256Of(text), 'hex').toString('base64').replace('=', '') === sha256) return text
  throw new RangeError('a document does not have its SHA-256')
}

function entriesIn(text: string): number {
  let entries = 0
  for (let at = 0; at < text.length; at++) if (ENTRY_ENDS.has(text.charCodeAt(at))) entries++
  return entries
}

function groupIn(text: string, shared: readonly string[], take: Take): Group {
  take(text.length + entriesIn(text) * ENTRY_CHARACTERS)
  const [heads = '', own = '', blocks = '', places = '', values = ''] = text.split(PART)
  const shapes = [...shared, ...own.split('\n')].map((shape) => ({
    literals: shape.split(VALUE),
    members: membersOf(shape, take),
  }))
  const kinds = blocks.split(BLOCK).map((block) => {
    const [kind = '', sequence = ''] = block.split('\n')
    return { kind, sequence: sequence.split(' ').map(Number) }
  })
  const names = kinds.flatMap(({ kind, sequence }) =>
    [...new Set([...new Set(sequence)].flatMap((shape) => shapes[shape]?.members ?? []))].map(
      (member) => `${kind} ${member}`,
    ),
  )
  const columns = values.split(BLOCK).map((column) => column.split('\n'))
  const placeOf = places.split(' ').map(Number)
  const cursors = new Map(names.map((name, at) => [name, { column: columns[placeOf[at] ?? 0] ?? [], next: 0 }]))
  const lineOf = (kind: string, shape: number): string => {
    const { literals: [begin = '', ...rest] = [], members = [] } = shapes[shape] ?? {}
    let line = begin
    for (const [at, member] of members.entries()) {
      const cursor = cursors.get(`${kind} ${member}`)
      line += (cursor?.column[cursor.next++] ?? '') + (rest[at] ?? '')
    }
    const slug = /"slug":"([a-z0-9-]+)"/.exec(line)?.[1] ?? ''
    take(line.length + (line.split(SLUG).length - 1) * slug.length)
    return line.replaceAll(SLUG, slug)
  }
  return {
    documents: heads.split('\n'),
    lines: new Map(kinds.map(({ kind, sequence }) => [kind, sequence.map((shape) => lineOf(kind, shape))])),
  }
}

const MARKS = /"((?:[^"\\]|\\.)*)":|[{}[\]]/g

/** Returns the member that each value of a shape belongs to, with those around it: `price_usd<sources<price_basis`. */
function membersOf(shape: string, take: Take): readonly string[] {
  const around: string[] = []
  let member = ''
  return shape
    .split(VALUE)
    .slice(0, -1)
    .map((literal) => {
      for (const [mark, name] of literal.matchAll(MARKS))
        if (name !== undefined) member = name
        else if (mark === '{' || mark === '[') around.unshift(member)
        else member = around.shift() ?? ''
      const path = [member, ...around].join('<')
      take(path.length)
      return path
    })
}
