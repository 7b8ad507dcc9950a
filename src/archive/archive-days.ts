import { gunzipSync } from 'node:zlib'
import { group } from 'd3-array'
import { sha256Of } from '../contract/digest.ts'
import {
  type ArchiveDay,
  type ArchiveGap,
  type ArchivedPack,
  archiveDayFile,
  archiveDayOf,
  archiveFolder,
  isArchiveDay,
  packFile,
  timeOfPackFile,
} from '../contract/archive.ts'
import {
  FOOTER_BYTES,
  MOST_INDEX_BYTES,
  MOST_PACK_BYTES,
  MOST_UNPACKED_BYTES,
  footerOf,
  isPackIndex,
} from '../contract/pack.ts'
import { parseJson } from '../contract/read-json.ts'
import type { ArchiveStore } from './archive-store.ts'

const DAY_MS = 86_400_000

/** Packs and gaps of some days of an archive, as its files show. */
export interface KnownPacks {
  readonly packs: readonly ArchivedPack[]
  readonly gaps: readonly ArchiveGap[]
  /** Files with the name of a pack that are none. */
  readonly foreign: readonly string[]
  /** Days that were looked at. */
  readonly wanted: ReadonlySet<string>
  /** The lists of days as stored; null for a damaged one. */
  readonly days: ReadonlyMap<string, ArchiveDay | null>
}

/**
 * Reads what some days of an archive hold. The packs themselves tell: one that no list has, because its writer was killed
 * or another overwrote the list, is found by its name and its footer, and a listed one that is gone is left out.
 */
export async function knownPacks(store: ArchiveStore, wanted: ReadonlySet<string>): Promise<KnownPacks> {
  const files = new Map<string, number>()
  for (const folder of new Set([...wanted].map(archiveFolder)))
    // eslint-disable-next-line no-await-in-loop -- three or four months
    for (const [file, bytes] of await store.list(folder)) files.set(file, bytes)
  const days = new Map<string, ArchiveDay | null>()
  for (const day of wanted)
    // eslint-disable-next-line no-await-in-loop -- stores limit requests, and a day has one file
    if (files.has(archiveDayFile(day))) days.set(day, dayIn(await store.read(archiveDayFile(day)), day))
  const listed = new Map([...days.values()].flatMap((day) => day?.packs ?? []).map((pack) => [pack.file, pack]))
  const packs = new Map<string, ArchivedPack>()
  const foreign: string[] = []
  // Listed ones first: of two packs of one time, the list has the right one.
  for (const [file, bytes] of [...files].toSorted(([a], [b]) => Number(listed.has(b)) - Number(listed.has(a)))) {
    const time = timeOfPackFile(file)
    if (time === null || !wanted.has(archiveDayOf(time))) continue
    const known = listed.get(file)
    // eslint-disable-next-line no-await-in-loop -- only packs that no list has are read
    const pack = known?.bytes === bytes ? known : await packIn(store, file, bytes)
    if (pack && !packs.has(pack.time)) packs.set(pack.time, pack)
    else foreign.push(file)
  }
  const gaps = [...days.values()].flatMap((day) => day?.gaps ?? [])
  const sorted = [...packs.values()].toSorted((a, b) => (a.time < b.time ? -1 : 1))
  return { packs: sorted, gaps: uniqueGaps(gaps), foreign: foreign.toSorted(), wanted, days }
}

function dayIn(bytes: Uint8Array | null, day: string): ArchiveDay | null {
  const value = bytes === null ? undefined : parseJson(Buffer.from(bytes).toString('utf8'))
  return isArchiveDay(value, day) ? value : null
}

/** Describes a pack by its own bytes; null if it is none, is cut off, or has the name of another. */
async function packIn(store: ArchiveStore, file: string, bytes: number): Promise<ArchivedPack | null> {
  if (bytes < FOOTER_BYTES) return null
  const footer = await exactly(store, file, bytes - FOOTER_BYTES, FOOTER_BYTES)
  const index = footer && footerOf(footer.toString('latin1'))
  const groupBytes = bytes - FOOTER_BYTES - (index?.bytes ?? 0)
  if (!index || bytes > MOST_PACK_BYTES || groupBytes < 0 || index.bytes > MOST_INDEX_BYTES) return null
  const packed = await exactly(store, file, groupBytes, index.bytes)
  if (packed === null || sha256Of(packed) !== index.sha256) return null
  const value = parseJson(gunzippedText(packed) ?? '')
  if (!isPackIndex(value, groupBytes) || packFile(value.generatedAt, index) !== file) return null
  const { generatedAt, staleAfter, snapshotId } = value
  return { time: generatedAt, staleAfter, snapshotId, file, bytes, index }
}

/** Returns a gzipped text; null if it is none, or too long. */
export function gunzippedText(bytes: Uint8Array): string | null {
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_UNPACKED_BYTES }).toString('utf8')
  } catch {
    return null
  }
}

async function exactly(store: ArchiveStore, file: string, from: number, length: number): Promise<Buffer | null> {
  const bytes = await store.read(file, { from, length })
  return bytes?.byteLength === length ? Buffer.from(bytes) : null
}

const uniqueGaps = (gaps: readonly ArchiveGap[]): ArchiveGap[] =>
  [...new Map(gaps.map((gap) => [`${gap.from} ${gap.to}`, gap])).values()].toSorted((a, b) =>
    a.from < b.from ? -1 : 1,
  )

/**
 * Returns the lists of days, given in order. Days without a pack have one too.
 *
 * @param stored the lists as they are: the first of consecutive days keeps its previous pack
 */
export function daysOf(
  days: readonly string[],
  { packs, gaps, days: stored }: Pick<KnownPacks, 'packs' | 'gaps' | 'days'>,
): readonly ArchiveDay[] {
  const byDay = group(packs, ({ time }) => archiveDayOf(Date.parse(time)))
  const lists: ArchiveDay[] = []
  for (const day of days) {
    const start = Date.parse(day)
    const before = lists.at(-1)
    const isNext = before !== undefined && Date.parse(before.day) + DAY_MS === start
    const previous = isNext ? (before.packs.at(-1) ?? before.previous) : (stored.get(day)?.previous ?? null)
    const touches = ({ from, to }: ArchiveGap) => Date.parse(to) > start && Date.parse(from) <= start + DAY_MS
    lists.push({ format: 1, day, previous, packs: byDay.get(day) ?? [], gaps: gaps.filter(touches) })
  }
  return lists
}

/** Prints the list of a day, a pack a line. */
export function printDay({ format, day, previous, packs, gaps }: ArchiveDay): string {
  const lines = (values: readonly object[]) =>
    values.length === 0 ? '[]' : `[\n${values.map((value) => JSON.stringify(value)).join(',\n')}\n]`
  const head = [`"format":${format}`, `"day":"${day}"`, `"previous":${JSON.stringify(previous)}`]
  return `{${[...head, `"packs":${lines(packs)}`, `"gaps":${lines(gaps)}`].join(',\n')}}\n`
}

/** Returns the days that hold the times between two, in ms since 1970. */
export function daysBetween(from: number, to: number): string[] {
  const first = Date.parse(archiveDayOf(from))
  const count = Math.round((Date.parse(archiveDayOf(to)) - first) / DAY_MS) + 1
  return Array.from({ length: Math.max(count, 0) }, (_, at) => archiveDayOf(first + at * DAY_MS + 1))
}
