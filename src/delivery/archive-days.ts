import { group } from 'd3-array'
import {
  type ArchiveDay,
  type ArchiveGap,
  type ArchivedSnapshot,
  archiveDayFile,
  archiveDayOf,
  archiveFolder,
  archiveDayIn,
  isPack,
  snapshotFile,
  timeOfSnapshotFile,
} from '../contract/archive.ts'
import { openSnapshotFile } from '../client/snapshot-file.ts'
import { HEAD_ENTRY, MOST_SNAPSHOT_BYTES } from '../contract/snapshot-file.ts'
import { entriesIn } from '../contract/zip.ts'
import { sha256Of } from '../contract/digest.ts'
import { by } from '../contract/order.ts'
import { parseJson } from '../contract/read-json.ts'
import type { ArchiveStore } from './archive-store.ts'
import { DAY_MS } from '../contract/time.ts'

/** Snapshots and gaps of some days of an archive, as its files show. */
export type KnownSnapshots = Awaited<ReturnType<typeof knownSnapshots>>

/**
 * Reads what some days of an archive hold. The files themselves tell: one that no list has, because its writer was killed
 * or another overwrote the list, is found by its name and its content, and a listed one that is gone is left out.
 */
export async function knownSnapshots(store: ArchiveStore, wanted: ReadonlySet<string>) {
  const files = new Map<string, number>()
  for (const folder of new Set([...wanted].map(archiveFolder)))
    // eslint-disable-next-line no-await-in-loop -- three or four months
    for (const [file, bytes] of await store.list(folder)) files.set(file, bytes)
  const days = new Map<string, ArchiveDay | null>()
  for (const day of wanted)
    // eslint-disable-next-line no-await-in-loop -- stores limit requests, and a day has one file
    if (files.has(archiveDayFile(day))) days.set(day, dayIn(await store.read(archiveDayFile(day)), day))
  const listed = new Map(
    [...days.values()].flatMap((day) => day?.snapshots ?? []).map((snapshot) => [snapshot.file, snapshot]),
  )
  const snapshots = new Map<string, ArchivedSnapshot>()
  const foreign: string[] = []
  // Of two of one time, a ZIP file comes before a pack, and the list has the right one.
  const rank = (file: string) => Number(isPack(file)) * 2 + Number(!listed.has(file))
  for (const [file, bytes] of [...files].toSorted(([a], [b]) => rank(a) - rank(b))) {
    const time = timeOfSnapshotFile(file)
    if (time === null || !wanted.has(archiveDayOf(time))) continue
    const known = listed.get(file)
    // eslint-disable-next-line no-await-in-loop -- only files that no list has are read
    const snapshot = known?.bytes === bytes ? known : await snapshotIn(store, file, bytes)
    if (snapshot && !snapshots.has(snapshot.time)) snapshots.set(snapshot.time, snapshot)
    else foreign.push(file)
  }
  const gaps = [...days.values()].flatMap((day) => day?.gaps ?? [])
  const once = new Map(gaps.map((gap) => [`${gap.from} ${gap.to}`, gap]))
  return {
    snapshots: [...snapshots.values()].toSorted(by(({ time }) => time)),
    gaps: [...once.values()].toSorted(by(({ from }) => from)),
    /** Files with the name of a snapshot file that are none. */
    foreign: foreign.toSorted(),
    wanted,
    /** The lists of days as stored; null for a damaged one. */
    days,
  }
}

const dayIn = (bytes: Uint8Array | null, day: string): ArchiveDay | null =>
  bytes && archiveDayIn(parseJson(Buffer.from(bytes).toString('utf8')), day)

/** Describes a snapshot file by its own bytes; null if it is none, is cut off, or has the name of another. */
async function snapshotIn(store: ArchiveStore, file: string, length: number): Promise<ArchivedSnapshot | null> {
  const bytes = length > MOST_SNAPSHOT_BYTES ? null : await store.read(file)
  try {
    const from = bytes && entriesIn(bytes, length).find(({ name }) => name === HEAD_ENTRY)?.from
    if (!bytes || from === undefined || from === null) return null
    const tail = bytes.subarray(from)
    const end = { bytes: tail.length, sha256: sha256Of(tail) }
    const read = async (at: number, count: number) => bytes.subarray(at, at + count)
    const { head } = await openSnapshotFile({ name: file, bytes: bytes.length, end, read })
    const { generatedAt: time, staleAfter, snapshotId } = head
    return snapshotFile(time, end) === file ? { time, staleAfter, snapshotId, file, bytes: length, end } : null
  } catch {
    return null
  }
}

/**
 * Returns the lists of days, given in order. Days without a snapshot have one too.
 *
 * @param stored the lists as they are: the first of consecutive days keeps its previous snapshot
 */
export function daysOf(
  days: readonly string[],
  { snapshots, gaps, days: stored }: Pick<KnownSnapshots, 'snapshots' | 'gaps' | 'days'>,
): readonly ArchiveDay[] {
  const byDay = group(snapshots, ({ time }) => archiveDayOf(Date.parse(time)))
  const lists: ArchiveDay[] = []
  for (const day of days) {
    const start = Date.parse(day)
    const before = lists.at(-1)
    const isNext = before !== undefined && Date.parse(before.day) + DAY_MS === start
    const previous = isNext ? (before.snapshots.at(-1) ?? before.previous) : (stored.get(day)?.previous ?? null)
    const touches = ({ from, to }: ArchiveGap) => Date.parse(to) > start && Date.parse(from) <= start + DAY_MS
    lists.push({ format: 2, day, previous, snapshots: byDay.get(day) ?? [], gaps: gaps.filter(touches) })
  }
  return lists
}

/** Prints the list of a day, a snapshot a line. */
export function printDay({ format, day, previous, snapshots, gaps }: ArchiveDay): string {
  const lines = (values: readonly object[]) =>
    values.length === 0 ? '[]' : `[\n${values.map((value) => JSON.stringify(value)).join(',\n')}\n]`
  const head = [`"format":${format}`, `"day":"${day}"`, `"previous":${JSON.stringify(previous)}`]
  return `{${[...head, `"snapshots":${lines(snapshots)}`, `"gaps":${lines(gaps)}`].join(',\n')}}\n`
}

/** Returns the days that hold the times between two, in ms since 1970. */
export function daysBetween(from: number, to: number): string[] {
  const first = Date.parse(archiveDayOf(from))
  const count = Math.round((Date.parse(archiveDayOf(to)) - first) / DAY_MS) + 1
  return Array.from({ length: Math.max(count, 0) }, (_, at) => archiveDayOf(first + at * DAY_MS + 1))
}
