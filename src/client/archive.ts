import {
  type ArchiveDay,
  MOST_DAY_BYTES,
  PACK_ADVICE,
  archiveDayFile,
  archiveDayIn,
  dayUntil,
  isPack,
  snapshotAt,
} from '../contract/archive.ts'
import { parseJson } from '../contract/read-json.ts'
import { isoOf } from '../contract/time.ts'
import { lru } from '../contract/lru.ts'
import { SnapshotFileError } from './errors.ts'
import { type ReadRange, rangeReader } from './range.ts'
import { openSnapshotFile } from './snapshot-file.ts'

/** Bytes of a file: `length` from `from`. */
export interface ByteRange {
  readonly from: number
  readonly length: number
  /** Length of the whole file, if it is known: a place that ignores ranges is then read once. */
  readonly of?: number
}

/** An archive that is only read. Files are `<month's folder>/<name>`. */
export interface ReadableArchive {
  /** For messages. */
  readonly name: string
  /** Returns a file or a part of it; null if there is none. A part may be shorter, or the whole file. */
  read(file: string, range?: ByteRange): Promise<Uint8Array | null>
}

/** A host that ignores ranges sends a file whole, which is kept. */
const KEPT_FILES = 4

/**
 * Returns an archive on a host of files, with or without ranges. Public releases of a GitHub repository are one:
 * `https://github.com/<owner>/<repo>/releases/download`.
 */
export function siteArchive(site: string, fetch: typeof globalThis.fetch, timeoutMs: number): ReadableArchive {
  const base = site.replace(/\/+$/, '')
  const host = rangeReader(fetch, timeoutMs)
  const files = lru<ReadRange>(KEPT_FILES)
  return {
    name: base,
    read(file, range) {
      const url = `${base}/${file}`
      if (range?.of === undefined) return host.whole(url, MOST_DAY_BYTES)
      const part = files.get(url) ?? host.ranges(url, range.of)
      files.put(url, part)
      return part(range.from, range.length)
    },
  }
}

/** A snapshot of the past in one archive. */
export type PastFile = Awaited<ReturnType<typeof openUntil>>

/**
 * Opens the newest snapshot of an archive until a time in ms since 1970, and says in which gap that is, if runs failed then.
 *
 * @throws SnapshotFileError if there is none, or it cannot be read
 */
export async function openUntil(
  archive: ReadableArchive,
  time: number,
  open: typeof openSnapshotFile = openSnapshotFile,
) {
  const day = await dayUntil(time, (one) => dayIn(archive, one))
  const snapshot = day && snapshotAt(day, time)
  if (!snapshot) throw new SnapshotFileError(archive.name, `there is no snapshot until ${isoOf(time)}`)
  const { file, bytes, end } = snapshot
  const name = `${archive.name}/${file}`
  if (isPack(file)) throw new SnapshotFileError(name, PACK_ADVICE)
  const read: ReadRange = async (from, length) =>
    (await archive.read(file, { from, length, of: bytes })) ?? new Uint8Array()
  const gap = day.gaps.find(({ from, to }) => Date.parse(from) < time && time < Date.parse(to)) ?? null
  return { snapshot, gap, open: await open({ name, bytes, end, of: snapshot, read }) }
}

async function dayIn(archive: ReadableArchive, day: string): Promise<ArchiveDay | null> {
  const file = archiveDayFile(day)
  const bytes = await archive.read(file)
  const list = bytes && archiveDayIn(parseJson(new TextDecoder().decode(bytes)), day)
  if (bytes === null || list) return list
  throw new SnapshotFileError(
    `${archive.name}/${file}`,
    'it is not the list of a day. The next snapshot that is added writes it again',
  )
}
