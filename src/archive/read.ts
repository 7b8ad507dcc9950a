import {
  type ArchiveDay,
  type ArchivedPack,
  archiveDayFile,
  archiveDayOf,
  isArchiveDay,
  packAt,
} from '../contract/archive.ts'
import { parseJson } from '../contract/read-json.ts'
import { limitEntries } from '../contract/text.ts'
import { type OpenPack, openPack } from '../client/pack.ts'
import { limitVariantOf } from '../tree/layout.ts'
import { ArchiveError } from './archive-error.ts'
import type { ReadableArchive } from './archive-store.ts'

const DAY_MS = 86_400_000

/** A snapshot of the past. */
export interface PastSnapshot {
  readonly pack: ArchivedPack
  /** The gap that the asked time is in, if runs failed then. */
  readonly gap: { readonly from: string; readonly to: string } | null
  readonly paths: readonly string[]
  /** Returns the text of a document as it was published; null if the snapshot has none of this path. */
  read(path: string): Promise<string | null>
}

/**
 * Opens the newest snapshot until a time in ms since 1970.
 *
 * @throws ArchiveError `not_archived` if the archive has none, `damaged` if it cannot be read
 */
export async function openPast(store: ReadableArchive, time: number): Promise<PastSnapshot> {
  const day = await dayAt(store, time)
  const pack = day && packAt(day, time)
  if (!day || !pack)
    throw new ArchiveError('not_archived', `${store.name} has no snapshot until ${new Date(time).toISOString()}.`)
  const opened = await openPack({
    name: `${store.name} ${pack.file}`,
    bytes: pack.bytes,
    index: pack.index,
    of: pack,
    read: async (from, length) => (await store.read(pack.file, { from, length, of: pack.bytes })) ?? new Uint8Array(),
  })
  const gap = day.gaps.find(({ from, to }) => Date.parse(from) < time && time < Date.parse(to)) ?? null
  return { pack, gap, paths: pathsOf(opened), read: readerOf(opened) }
}

/** Returns every document, those of one group together, then the `limit` variants of each list. */
function pathsOf({ index: { paths, homes, limits } }: OpenPack): readonly string[] {
  const homeOf = new Map(paths.map((path, at) => [path, homes[at] ?? 0]))
  return [
    ...paths.toSorted((a, b) => (homeOf.get(a) ?? 0) - (homeOf.get(b) ?? 0)),
    ...limits.flatMap(([list, rows]) => rows.map((count) => `${list.slice(0, -'.json'.length)}/limit=${count}.json`)),
  ]
}

async function dayAt(store: ReadableArchive, time: number): Promise<ArchiveDay | null> {
  const own = await readDay(store, archiveDayOf(time))
  // The day may not have begun, in the archive.
  return own ?? readDay(store, archiveDayOf(time - DAY_MS))
}

async function readDay(store: ReadableArchive, day: string): Promise<ArchiveDay | null> {
  const bytes = await store.read(archiveDayFile(day))
  if (bytes === null) return null
  const value = parseJson(new TextDecoder().decode(bytes))
  if (isArchiveDay(value, day)) return value
  throw new ArchiveError(
    'damaged',
    `${store.name}: ${archiveDayFile(day)} is damaged. Add the next snapshot, which writes it again.`,
  )
}

/** Returns a reader of the documents of a pack. The last list is kept, because its `limit` variants are cut from it. */
function readerOf(pack: OpenPack): PastSnapshot['read'] {
  const decode = (bytes: Uint8Array | null) => (bytes === null ? null : new TextDecoder().decode(bytes))
  let last: { readonly list: string; readonly text: string | null } = { list: '', text: null }
  return async (path) => {
    const own = decode(await pack.document(path))
    if (own !== null) return own
    const variant = limitVariantOf(path)
    const isPublished = pack.index.limits.some(([list, rows]) => list === variant?.of && rows.includes(variant.rows))
    if (!variant || !isPublished) return null
    if (last.list !== variant.of) last = { list: variant.of, text: decode(await pack.document(variant.of)) }
    return last.text === null ? null : limitEntries(last.text, variant.rows)
  }
}
