import type { PackPart } from './pack.ts'

/**
 * The layout of an archive, on any host: a folder per month with the packs, and per day a list of its packs. A day holds
 * what was published after its first second and until midnight after it, that included: who asks for midnight wants the
 * last snapshot until then, and finds it in the day that ends.
 */

/** A pack as a day lists it. */
export interface ArchivedPack {
  /** `generatedAt` of the snapshot. */
  readonly time: string
  readonly staleAfter: string
  readonly snapshotId: string
  readonly file: string
  readonly bytes: number
  readonly index: PackPart
}

/** A time without snapshots: the last one before it and the first one after it. */
export interface ArchiveGap {
  readonly from: string
  readonly to: string
}

/** The packs of one day. */
export interface ArchiveDay {
  readonly format: 1
  readonly day: string
  /** The last pack before this day; null: there is none. */
  readonly previous: ArchivedPack | null
  /** Oldest first. */
  readonly packs: readonly ArchivedPack[]
  /** Where runs failed or were late. Packs that are no longer kept are no gap. */
  readonly gaps: readonly ArchiveGap[]
}

const DAY_MS = 86_400_000

/** Maximum length of the list of a day. One of 48 packs has 16 KB. */
export const MOST_DAY_BYTES = 2 ** 20

/** Returns the day that holds a time in ms since 1970: `2026-11-22`. */
export const archiveDayOf = (time: number): string =>
  new Date(Math.ceil(time / DAY_MS) * DAY_MS - DAY_MS).toISOString().slice(0, 10)

/** Returns the folder of a day's files. */
export const archiveFolder = (day: string): string => `archive-${day.slice(0, 7)}`

/** Returns the file with the packs of a day, relative to the archive. */
export const archiveDayFile = (day: string): string => `${archiveFolder(day)}/${day}.json`

/** Returns the file of a pack, relative to the archive. */
export const packFile = (time: string, { sha256 }: PackPart): string =>
  `${archiveFolder(archiveDayOf(Date.parse(time)))}/${time.replaceAll(':', '-')}-${sha256.slice(0, 16)}.pack`

const PACK_FILE = /^archive-\d{4}-\d\d\/(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\dZ)-[0-9a-f]{16}\.pack$/

/** Returns the time in the name of a pack, in ms since 1970; null if it is not the name of one. */
export function timeOfPackFile(file: string): number | null {
  const [, hour, minute, second] = PACK_FILE.exec(file) ?? []
  const time = Date.parse(`${hour}:${minute}:${second}`)
  return Number.isNaN(time) ? null : time
}

/** Whether a file, relative to the archive, has the name of a pack, of archived closes or of the list of either. */
export const isArchiveFile = (file: string): boolean =>
  /^archive-\d{4}-\d\d\/(?:closes\.json|\d{4}-\d\d-\d\d\.json|[\w-]+\.pack)$/.test(file)

/** Returns the newest pack of a day until a time, or the last before the day; null if there is none. */
export function packAt({ packs, previous }: ArchiveDay, time: number): ArchivedPack | null {
  return [previous, ...packs].findLast((pack) => pack !== null && Date.parse(pack.time) <= time) ?? null
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const isTime = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value) && !Number.isNaN(Date.parse(value))

const isLength = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0

/** Whether a value is a pack as a day lists it. */
function isArchivedPack(value: unknown): value is ArchivedPack {
  if (!isObject(value) || !isObject(value['index'])) return false
  const { time, staleAfter, snapshotId, file, bytes, index } = value
  return (
    [isTime(time), isTime(staleAfter), typeof snapshotId === 'string'].every(Boolean) &&
    typeof file === 'string' &&
    timeOfPackFile(file) === Date.parse(String(time)) &&
    [isLength(bytes), isLength(index['bytes']), /^[0-9a-f]{64}$/.test(String(index['sha256']))].every(Boolean)
  )
}

/** Whether a value is the list of a day: its own packs, in order. */
export function isArchiveDay(value: unknown, day: string): value is ArchiveDay {
  if (!isObject(value) || value['format'] !== 1 || value['day'] !== day) return false
  const { previous, packs, gaps } = value
  const isGap = (gap: unknown) => isObject(gap) && isTime(gap['from']) && isTime(gap['to'])
  if (!Array.isArray(gaps) || !gaps.every(isGap) || !Array.isArray(packs)) return false
  if (previous !== null && !isArchivedPack(previous)) return false
  const isAfter = (pack: ArchivedPack, at: number) => at === 0 || String(packs[at - 1]?.time) < pack.time
  const isOfDay = (pack: unknown) => isArchivedPack(pack) && archiveDayOf(Date.parse(pack.time)) === day
  return packs.every(isOfDay) && packs.every(isAfter)
}
