import { isObject } from './read-json.ts'
import { DAY_MS, dayOf } from './time.ts'
import type { FileEnd } from './snapshot-file.ts'

/**
 * The layout of an archive, on any host: a folder per month with snapshot files, and per day a list of them. A day holds
 * what was published after its first second and until midnight after it, that included: who asks for midnight wants the
 * last snapshot until then, and finds it in the day that ends.
 */

export interface ArchivedSnapshot {
  /** `generatedAt` of the snapshot. */
  readonly time: string
  readonly staleAfter: string
  readonly snapshotId: string
  readonly file: string
  readonly bytes: number
  /** What tells it apart from any other file: see `snapshot-file.ts`. */
  readonly end: FileEnd
}

/** A time without snapshots: the last one before it and the first one after it. */
export interface ArchiveGap {
  readonly from: string
  readonly to: string
}

export interface ArchiveDay {
  readonly format: 2
  readonly day: string
  /** The last one before this day; null: there is none. */
  readonly previous: ArchivedSnapshot | null
  /** Oldest first. */
  readonly snapshots: readonly ArchivedSnapshot[]
  /** Where runs failed or were late. Snapshots that are no longer kept are no gap. */
  readonly gaps: readonly ArchiveGap[]
}

/** Maximum length of the list of a day. One of 48 snapshots has 16 KB. */
export const MOST_DAY_BYTES = 2 ** 20

/** Returns the day that holds a time in ms since 1970: `2026-11-22`. */
export const archiveDayOf = (time: number): string => dayOf(Math.ceil(time / DAY_MS) * DAY_MS - DAY_MS)

/** Reads the list of the day of a time in ms since 1970, or of the one before: in the archive the day may not have begun. */
export const dayUntil = async (
  time: number,
  read: (day: string) => Promise<ArchiveDay | null>,
): Promise<ArchiveDay | null> => (await read(archiveDayOf(time))) ?? read(archiveDayOf(time - DAY_MS))

/** Returns the folder of a day's files. */
export const archiveFolder = (day: string): string => `archive-${day.slice(0, 7)}`

/** Returns the file with the list of a day, relative to the archive. */
export const archiveDayFile = (day: string): string => `${archiveFolder(day)}/${day}.json`

/** Returns the name of a snapshot file, relative to the archive. */
export const snapshotFile = (time: string, { sha256 }: FileEnd): string =>
  `${archiveFolder(archiveDayOf(Date.parse(time)))}/${time.replaceAll(':', '-')}-${sha256.slice(0, 16)}.zip`

const SNAPSHOT_FILE = /^archive-\d{4}-\d\d\/(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\dZ)-[0-9a-f]{16}\.(?:zip|pack)$/

/** Whether a file has the name of a pack, which snapshot files were before they were ZIP files. */
export const isPack = (file: string): boolean => file.endsWith('.pack')

/** Says what to do about a pack, completing a sentence that names it. */
export const PACK_ADVICE =
  'it is a pack, which snapshots were before they were ZIP files. The version that wrote it reads it'

/** Returns the time in the name of a snapshot file or pack, in ms since 1970; null if it is not the name of one. */
export function timeOfSnapshotFile(file: string): number | null {
  const [, hour, minute, second] = SNAPSHOT_FILE.exec(file) ?? []
  const time = Date.parse(`${hour}:${minute}:${second}`)
  return Number.isNaN(time) ? null : time
}

/** Whether a file, relative to the archive, has the name of a snapshot file, of archived closes or of the list of either. */
export const isArchiveFile = (file: string): boolean =>
  /^archive-\d{4}-\d\d\/(?:closes\.json|\d{4}-\d\d-\d\d\.json|[\w-]+\.(?:zip|pack))$/.test(file)

/** Returns the newest snapshot of a day until a time, or the last before the day; null if there is none. */
export function snapshotAt({ snapshots, previous }: ArchiveDay, time: number): ArchivedSnapshot | null {
  return [previous, ...snapshots].findLast((one) => one !== null && Date.parse(one.time) <= time) ?? null
}

const isTime = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value) && !Number.isNaN(Date.parse(value))

const isDigest = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)

const isLength = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0

function isArchivedSnapshot(value: unknown): value is ArchivedSnapshot {
  if (!isObject(value) || !isObject(value['end'])) return false
  const { time, staleAfter, snapshotId, file, bytes, end } = value
  return (
    [isTime(time), isTime(staleAfter), typeof snapshotId === 'string'].every(Boolean) &&
    typeof file === 'string' &&
    timeOfSnapshotFile(file) === Date.parse(String(time)) &&
    [isLength(bytes), isLength(end['bytes']), isDigest(end['sha256'])].every(Boolean)
  )
}

/** Returns a value in the current format, if it is the list of a day in the one of packs. */
function renamed(value: unknown): unknown {
  if (!isObject(value) || value['format'] !== 1 || !Array.isArray(value['packs'])) return value
  const entry = (pack: unknown) => {
    if (!isObject(pack)) return pack
    const { index: end, ...members } = pack
    return { ...members, end }
  }
  const { day, previous, packs, gaps } = value
  return { format: 2, day, previous: entry(previous), snapshots: packs.map(entry), gaps }
}

/** Returns the list of a day in a value; null if it is not one: its own snapshots, in order. */
export function archiveDayIn(given: unknown, day: string): ArchiveDay | null {
  const value = renamed(given)
  return isArchiveDay(value, day) ? value : null
}

function isArchiveDay(value: unknown, day: string): value is ArchiveDay {
  if (!isObject(value) || value['format'] !== 2 || value['day'] !== day) return false
  const { previous, snapshots, gaps } = value
  const isGap = (gap: unknown) => isObject(gap) && isTime(gap['from']) && isTime(gap['to'])
  if (!Array.isArray(gaps) || !gaps.every(isGap) || !Array.isArray(snapshots)) return false
  if (previous !== null && !isArchivedSnapshot(previous)) return false
  const isAfter = (one: ArchivedSnapshot, at: number) => at === 0 || String(snapshots[at - 1]?.time) < one.time
  const isOfDay = (one: unknown) => isArchivedSnapshot(one) && archiveDayOf(Date.parse(one.time)) === day
  return snapshots.every(isOfDay) && snapshots.every(isAfter)
}
