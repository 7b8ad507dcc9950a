import {
  FOOTER_BYTES,
  MOST_INDEX_BYTES,
  MOST_UNPACKED_BYTES,
  type PackGroup,
  type PackIndex,
  type PackPart,
  type PackedDocument,
  homeOf,
  isPackIndex,
  offsetOf,
  openGroup,
} from '../contract/pack.ts'
import { parseJson } from '../contract/read-json.ts'
import { PackError } from './errors.ts'
import { lru } from '../contract/lru.ts'

/** Reads `length` bytes of a file from a place. It may return other bytes: they are checked by digest. */
export type ReadRange = (from: number, length: number) => Promise<Uint8Array>

/** A pack and how to read it. */
export interface PackFile {
  /** For messages. */
  readonly name: string
  readonly bytes: number
  readonly index: PackPart
  readonly read: ReadRange
}

/** An opened pack. */
export interface OpenPack {
  readonly index: PackIndex
  /** Returns the bytes of a document as published; null if the pack does not have it. @throws PackError */
  document(path: string): Promise<Uint8Array<ArrayBuffer> | null>
}

/** Groups that are kept unpacked. A list needs those of all listings: 28 for 1,252. */
const KEPT_GROUPS = 64

/** Opens a pack: reads its index. @throws PackError if it is damaged */
export async function openPack({ name, bytes, index: part, read }: PackFile): Promise<OpenPack> {
  const groupBytes = bytes - FOOTER_BYTES - part.bytes
  if (groupBytes < 0 || part.bytes > MOST_INDEX_BYTES) throw new PackError(name, 'its index points outside of it')
  const text = await unpacked(name, await read(groupBytes, part.bytes), part)
  const index = parseJson(text)
  if (!isPackIndex(index, groupBytes)) throw new PackError(name, 'its index is not one of a pack')
  const groups = groupReader(name, index, read)
  return {
    index,
    async document(path) {
      const home = homeOf(index, path)
      if (home === null) return null
      const [own] = await groups([home.group])
      const stored = own?.document(home.place)
      if (!own || !stored) throw new PackError(name, `${path} is not where its index says`)
      return assembled(stored, { name, path, own, groups })
    },
  }
}

type ReadGroups = (numbers: readonly number[]) => Promise<readonly PackGroup[]>

/** Returns a reader of groups. Groups beside each other are read with one request. */
function groupReader(name: string, index: PackIndex, read: ReadRange): ReadGroups {
  const kept = lru<PackGroup>(KEPT_GROUPS)
  async function run(numbers: readonly number[]): Promise<readonly PackGroup[]> {
    const parts = numbers.flatMap((number) => index.groups[number] ?? [])
    const length = parts.reduce((sum, { bytes }) => sum + bytes, 0)
    const bytes = await read(offsetOf(index, numbers[0] ?? 0), length)
    if (bytes.byteLength !== length)
      throw new PackError(name, `${bytes.byteLength} bytes came where ${length} were asked`)
    let from = 0
    return Promise.all(
      parts.map(async (part, at) => {
        const own = bytes.subarray(from, (from += part.bytes))
        const group = openGroup(await unpacked(name, own, part), index.shapes)
        kept.put(String(numbers[at]), group)
        return group
      }),
    )
  }
  return async (numbers) => {
    if (numbers.some((number) => number >= index.groups.length))
      throw new PackError(name, 'a document points outside of it')
    const found = new Map(
      numbers.flatMap((number) => {
        const group = kept.get(String(number))
        return group ? [[number, group] as const] : []
      }),
    )
    for (const missing of runsOf(numbers.filter((number) => !found.has(number)))) {
      // eslint-disable-next-line no-await-in-loop -- there is rarely more than one, and a host may limit requests
      for (const [at, group] of (await run(missing)).entries()) found.set(missing[at] ?? -1, group)
    }
    return numbers.flatMap((number) => found.get(number) ?? [])
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
  const lines = recipe.flatMap(({ group, kind, first, count }) => {
    const found = (group === null ? own : others.get(group))?.lines(kind, first, count)
    if (!found) throw new PackError(name, `${path} points to lines that it does not have`)
    return found
  })
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
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    total += value.byteLength
    if (total > MOST_UNPACKED_BYTES) throw new PackError(name, 'a part of it is too large')
    text += decoder.decode(value, { stream: true })
  }
}
