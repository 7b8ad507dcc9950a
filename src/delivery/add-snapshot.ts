import { sha256Of } from '../contract/digest.ts'
import {
  type ArchiveGap,
  type ArchivedSnapshot,
  archiveDayFile,
  archiveDayOf,
  archiveFolder,
  snapshotFile,
} from '../contract/archive.ts'
import { type KnownSnapshots, daysBetween, daysOf, knownSnapshots, printDay } from './archive-days.ts'
import { ArchiveError, type ArchiveStore } from './archive-store.ts'
import { type Retention, keptTimes, trustedNewest } from './retention.ts'
import { type ArchivableSnapshot, writeSnapshot } from './snapshot-documents.ts'
import { DAY_MS } from '../contract/time.ts'

/** Attempts to list a snapshot while other writers overwrite the list. */
const ATTEMPTS = 5

/**
 * Adds a snapshot to an archive, and removes those that are no longer kept. Returns it, whether the archive had it before, its
 * number of documents, the removed files, and those with the name of a snapshot file that are none. A file is stored
 * before a list names it, and removed after no list does, so a reader never follows a list to a missing file. An interrupted
 * addition leaves a file without a list, which the next one finds.
 *
 * @throws ArchiveError if another file has its name, if the archive does not show it
 */
export async function addSnapshot(store: ArchiveStore, { head, documents }: ArchivableSnapshot, retention: Retention) {
  const { bytes, end } = writeSnapshot(head, documents)
  const { generatedAt: time, staleAfter, snapshotId } = head
  const snapshot = { time, staleAfter, snapshotId, file: snapshotFile(time, end), bytes: bytes.length, end }
  return store.alone(async () => {
    const wasThere = await isStored(store, snapshot, bytes)
    if (!wasThere) await store.put(snapshot.file, bytes)
    const cadenceMs = Date.parse(head.nextBuildAt) - Date.parse(snapshot.time)
    for (let attempt = 1; ; attempt++) {
      // eslint-disable-next-line no-await-in-loop -- again only if another writer was at work
      const { isShown, isListed, ...found } = await relist(store, snapshot, retention, cadenceMs)
      if (isListed) return { snapshot, wasThere, documents: documents.length, ...found }
      if (attempt === ATTEMPTS && !isShown)
        throw new ArchiveError(
          `${store.name} took ${snapshot.file}, and does not show it. Check its address: something else may answer there.`,
        )
      if (attempt === ATTEMPTS)
        throw new ArchiveError(
          `${store.name}: other writers keep overwriting the list of the day. Add the snapshot again.`,
        )
    }
  })
}

/** Whether the archive has a snapshot already. @throws ArchiveError if another file has its name */
async function isStored(store: ArchiveStore, snapshot: ArchivedSnapshot, bytes: Uint8Array): Promise<boolean> {
  const files = await store.list(archiveFolder(archiveDayOf(Date.parse(snapshot.time))))
  if (!files.has(snapshot.file)) {
    const { snapshots } = await knownSnapshots(store, new Set([archiveDayOf(Date.parse(snapshot.time))]))
    const same = snapshots.find(({ time }) => time === snapshot.time)
    if (!same) return false
    throw new ArchiveError(
      `${store.name} has another snapshot of ${snapshot.time}, ${same.file}. It is kept, and this one is not added.`,
    )
  }
  const found = await store.read(snapshot.file)
  if (found !== null && sha256Of(found) === sha256Of(bytes)) return true
  throw new ArchiveError(
    `${store.name} has a file ${snapshot.file} that is not this snapshot. Delete it if it is not yours, and add the snapshot again.`,
  )
}

/** Writes the lists of the days that changed, and removes the snapshots that are no longer kept. */
async function relist(store: ArchiveStore, snapshot: ArchivedSnapshot, retention: Retention, cadenceMs: number) {
  const own = archiveDayOf(Date.parse(snapshot.time))
  const known = await knownSnapshots(store, await daysToSee(store, snapshot, retention))
  const gap = gapBefore(snapshot, known, cadenceMs)
  const times = known.snapshots.map(({ time }) => Date.parse(time))
  const kept = keptTimes(times, retention, trustedNewest(times))
  const isKept = ({ time }: ArchivedSnapshot) => kept.has(Date.parse(time))
  const snapshots = known.snapshots.filter(isKept)
  const gaps = gap ? [...known.gaps, gap] : known.gaps
  await putDays(store, { ...known, snapshots, gaps }, own)
  const removed = known.snapshots.filter((one) => !isKept(one)).map(({ file }) => file)
  // eslint-disable-next-line no-await-in-loop -- one or two
  for (const file of removed) await store.remove(file)
  const { days } = await knownSnapshots(store, new Set([own]))
  const isShown = known.snapshots.some(({ file }) => file === snapshot.file)
  const isInDay = days.get(own)?.snapshots.some(({ file }) => file === snapshot.file) === true
  return { removed, foreign: known.foreign, isShown, isListed: isShown && (!isKept(snapshot) || isInDay) }
}

/** Writes the lists of days that changed. `own` is the day of the newest snapshot. */
async function putDays(store: ArchiveStore, known: KnownSnapshots, own: string): Promise<void> {
  const seen = [...known.days.keys(), ...known.snapshots.map(({ time }) => archiveDayOf(Date.parse(time)))].toSorted()
  const [first = own, last = own] = [seen[0], seen.at(-1)]
  const wanted = daysBetween(Date.parse(first) + 1, Date.parse(last) + 1).filter((day) => known.wanted.has(day))
  for (const day of daysOf(wanted, known)) {
    const stored = known.days.get(day.day)
    const text = printDay(day)
    // eslint-disable-next-line no-await-in-loop -- few days change
    if (!stored || printDay(stored) !== text) await store.put(archiveDayFile(day.day), Buffer.from(text))
  }
}

/**
 * Returns the days to look at: with the first snapshot of a day all that are not yet thinned to one, otherwise those in
 * which snapshots reach an age at which fewer are kept.
 */
async function daysToSee(store: ArchiveStore, { time }: ArchivedSnapshot, retention: Retention): Promise<Set<string>> {
  const at = Date.parse(time)
  const { halfHourlyDays, hourlyDays } = retention
  const own = archiveDayOf(at)
  const isFirst = !(await store.list(archiveFolder(own))).has(archiveDayFile(own))
  const around = (days: number) => daysBetween(at - (days + 1) * DAY_MS, at - (days - 1) * DAY_MS)
  return new Set(
    isFirst
      ? daysBetween(at - (Math.max(halfHourlyDays, hourlyDays) + 31) * DAY_MS, at + DAY_MS)
      : [...around(hourlyDays), ...around(halfHourlyDays), ...daysBetween(at - DAY_MS, at + DAY_MS)],
  )
}

/** Returns the gap between a snapshot and the one before it, if runs in between failed; null if none did. */
function gapBefore(snapshot: ArchivedSnapshot, { snapshots }: KnownSnapshots, cadenceMs: number): ArchiveGap | null {
  const before = snapshots.findLast(({ time }) => time < snapshot.time)
  const after = snapshots.some(({ time }) => time > snapshot.time)
  if (!before || after || !(cadenceMs > 0)) return null
  const isLate = Date.parse(snapshot.time) - Date.parse(before.time) >= 1.5 * cadenceMs
  return isLate ? { from: before.time, to: snapshot.time } : null
}
