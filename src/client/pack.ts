import {
  FOOTER_BYTES,
  MOST_DOCUMENT_CHARACTERS,
  MOST_INDEX_BYTES,
  MOST_PACK_BYTES,
  MOST_UNPACKED_BYTES,
  type PackGroup,
  type PackIndex,
  type PackPart,
  type PackedDocument,
  type Take,
  homeOf,
  isPackIndex,
  offsetOf,
  openGroup,
} from '../contract/pack.ts'
import type { ArchivedPack } from '../contract/archive.ts'
import { parseJson } from '../contract/read-json.ts'
import { PackError } from './errors.ts'

/** Reads `length` bytes of a file from a place. It may return other bytes: they are checked by digest. */
export type ReadRange = (from: number, length: number) => Promise<Uint8Array>

/** A pack and how to read it. */
export interface PackFile {
  /** For messages. */
  readonly name: string
  readonly bytes: number
  readonly index: PackPart
  readonly read: ReadRange
  /** The snapshot that it is listed as; absent: any. */
  readonly of?: Pick<ArchivedPack, 'time' | 'staleAfter' | 'snapshotId'>
}

/** An opened pack. */
export interface OpenPack {
  readonly index: PackIndex
  /** Returns the bytes of a document as published; null if the pack does not have it. @throws PackError */
  document(path: string): Promise<Uint8Array<ArrayBuffer> | null>
}

/** Maximum number of characters of unpacked text at a time. */
const MOST_HELD = 128 * 2 ** 20
/** Maximum number of characters that are kept for the next document. The groups of 1,252 listings have 20 million. */
const MOST_KEPT = 48 * 2 ** 20

/** Opens a pack: reads its index. @throws PackError if it is damaged, larger than a pack may be, or another snapshot */
export async function openPack({ name, bytes, index: part, read, of }: PackFile): Promise<OpenPack> {
  if (bytes > MOST_PACK_BYTES) throw new PackError(name, `it has ${bytes} bytes, and a pack at most ${MOST_PACK_BYTES}`)
  const groupBytes = bytes - FOOTER_BYTES - part.bytes
  if (groupBytes < 0 || part.bytes > MOST_INDEX_BYTES) throw new PackError(name, 'its index points outside of it')
  const text = await unpacked(name, await read(groupBytes, part.bytes), part)
  const index = parseJson(text)
  if (!isPackIndex(index, groupBytes)) throw new PackError(name, 'its index is not one of a pack')
  const isListed =
    of === undefined ||
    (index.generatedAt === of.time && index.staleAfter === of.staleAfter && index.snapshotId === of.snapshotId)
  if (!isListed)
    throw new PackError(
      name,
      `it is the snapshot ${index.snapshotId} of ${index.generatedAt}, which is not the listed one`,
    )
  const groups = groupReader(name, index, read)
  return {
    index,
    async document(path) {
      const home = homeOf(index, path)
      if (home === null) return null
      try {
        const [own] = await groups.open([home.group])
        const stored = own?.document(home.place)
        if (!own || !stored) throw new PackError(name, `${path} is not where its index says`)
        return await assembled(stored, { name, path, own, groups: groups.open })
      } catch (cause) {
        if (cause instanceof PackError) throw cause
        throw new PackError(name, cause instanceof Error ? cause.message : String(cause), cause)
      } finally {
        groups.tidy()
      }
    },
  }
}

type ReadGroups = (numbers: readonly number[]) => Promise<readonly PackGroup[]>

interface GroupReader {
  readonly open: ReadGroups
  /** Forgets the groups, if they are too large to be kept. */
  tidy(): void
}

/** Returns a reader of groups. Groups beside each other are read with one request. */
function groupReader(name: string, index: PackIndex, read: ReadRange): GroupReader {
  const kept = new Map<number, PackGroup>()
  let held = 0
  const take: Take = (characters) => {
    held += characters
    if (held > MOST_HELD) throw new RangeError('its documents are too large')
  }
  async function run(numbers: readonly number[]): Promise<readonly PackGroup[]> {
    const parts = numbers.flatMap((number) => index.groups[number] ?? [])
    const length = parts.reduce((sum, { bytes }) => sum + bytes, 0)
    const bytes = await read(offsetOf(index, numbers[0] ?? 0), length)
    if (bytes.byteLength !== length)
      throw new PackError(name, `${bytes.byteLength} bytes came where ${length} were asked`)
    const groups: PackGroup[] = []
    let from = 0
    for (const [at, part] of parts.entries()) {
      const own = bytes.subarray(from, (from += part.bytes))
      // eslint-disable-next-line no-await-in-loop -- one at a time, so that a bomb is noticed before the next
      const group = openGroup(await unpacked(name, own, part), index.shapes, take)
      kept.set(numbers[at] ?? -1, group)
      groups.push(group)
    }
    return groups
  }
  const open: ReadGroups = async (numbers) => {
    if (numbers.some((number) => number >= index.groups.length))
      throw new PackError(name, 'a document points outside of it')
    const found = new Map(
      numbers.flatMap((number) => {
        const group = kept.get(number)
        return group ? [[number, group] as const] : []
      }),
    )
    for (const missing of runsOf(numbers.filter((number) => !found.has(number)))) {
      // eslint-disable-next-line no-await-in-loop -- there is rarely more than one, and a host may limit requests
      for (const [at, group] of (await run(missing)).entries()) found.set(missing[at] ?? -1, group)
    }
    return numbers.flatMap((number) => found.get(number) ?? [])
  }
  return {
    open,
    tidy() {
      if (held <= MOST_KEPT) return
      kept.clear()
      held = 0
    },
  }
}

/** Splits numbers into runs of consecutive ones. */
function runsOf(numbers: readonly number[]): number[][] {
  const runs: number[][] = []
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const last = runs.at(-1)
    if (last && (last.at(-1) ?? 0) + 1 === number) last.push(number)
    else runs.push([number])
  }
  return runs
}

interface Assembly {
  readonly name: string
  readonly path: string
  readonly own: PackGroup
  readonly groups: ReadGroups
}

/** Puts a document together from its lines, and checks it against its digest. */
async function assembled(
  { sha256, recipe }: PackedDocument,
  { name, path, own, groups }: Assembly,
): Promise<Uint8Array<ArrayBuffer>> {
  const numbers = [...new Set(recipe.flatMap(({ group }) => group ?? []))]
  const others = new Map((await groups(numbers)).map((group, at) => [numbers[at], group]))
  const lines: string[] = []
  let length = 0
  for (const { group, kind, first, count } of recipe) {
    const found = (group === null ? own : others.get(group))?.lines(kind, first, count)
    if (!found) throw new PackError(name, `${path} points to lines that it does not have`)
    for (const line of found) {
      length += line.length + 16
      if (length > MOST_DOCUMENT_CHARACTERS) throw new PackError(name, `${path} is too large`)
      lines.push(line)
    }
  }
  const bytes = new TextEncoder().encode(`${lines.join('\n')}\n`)
  if (base64(await digestOf(bytes)) !== sha256) throw new PackError(name, `${path} does not have its SHA-256`)
  return bytes
}

const digestOf = async (bytes: Uint8Array): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)))

const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes)).replace('=', '')

const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** Checks a part of a pack against its digest, and unpacks it. */
async function unpacked(name: string, bytes: Uint8Array, { bytes: length, sha256 }: PackPart): Promise<string> {
  if (bytes.byteLength !== length || hex(await digestOf(bytes)) !== sha256)
    throw new PackError(name, 'a part of it does not have its SHA-256')
  const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new DecompressionStream('gzip'))
  const decoder = new TextDecoder()
  let text = ''
  let total = 0
  for (const reader = stream.getReader(); ;) {
    // eslint-disable-next-line no-await-in-loop -- a stream is read piece by piece
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new PackError(name, 'a part of it is not gzipped', cause)
    })
    if (done) return text + decoder.decode()
    total += value.byteLength
    if (total > MOST_UNPACKED_BYTES) {
      void reader.cancel().catch(() => {})
      throw new PackError(name, 'a part of it is too large')
    }
    text += decoder.decode(value, { stream: true })
  }
}
