import { archiveDayOf, archiveFolder, isPack, timeOfSnapshotFile } from '../contract/archive.ts'
import { archivedAs, putDays } from './add-snapshot.ts'
import { daysBetween, knownSnapshots } from './archive-days.ts'
import type { ArchiveStore } from './archive-store.ts'
import { packIn } from './old-packs.ts'
import { writeSnapshot } from './write-snapshot.ts'
import { DAY_MS } from '../contract/time.ts'

/** Packs that one call rewrites, at most: they take about a second each. */
const MOST_REWRITTEN = 24
/** Months in which packs were written, and days that a list may name the last one before. */
const [PACK_MONTHS, SEEN_DAYS] = [12, 31]

/**
 * Rewrites packs of an archive as snapshot files, the oldest first, some in each call. A file is listed before its pack is
 * removed. A pack that cannot be read is left alone.
 *
 * @param newest time of the newest snapshot
 * @returns the packs that were rewritten
 */
export async function migratePacks(store: ArchiveStore, newest: string): Promise<readonly string[]> {
  const rewritten: string[] = []
  return store.alone(async () => {
    for (let months = PACK_MONTHS; months >= 0; months--) {
      const month = new Date(`${newest.slice(0, 7)}-01T00:00:00Z`)
      month.setUTCMonth(month.getUTCMonth() - months)
      // eslint-disable-next-line no-await-in-loop -- the oldest first
      const files = [...(await store.list(archiveFolder(month.toISOString()))).keys()].toSorted()
      for (const file of files.filter((one) => isPack(one) && timeOfSnapshotFile(one) !== null)) {
        if (rewritten.length === MOST_REWRITTEN) break
        // eslint-disable-next-line no-await-in-loop -- one at a time is all that is held
        const pack = packIn(Buffer.from((await store.read(file)) ?? []))
        if (pack === null) continue
        const written = writeSnapshot(pack.head, pack.documents)
        // eslint-disable-next-line no-await-in-loop -- as above
        await store.put(archivedAs(pack.head, written).file, written.bytes)
        rewritten.push(file)
      }
    }
    const times = rewritten.flatMap((file) => timeOfSnapshotFile(file) ?? [])
    if (times.length > 0) {
      const until = Math.min(Math.max(...times) + SEEN_DAYS * DAY_MS, Date.parse(newest))
      const days = daysBetween(Math.min(...times), until)
      await putDays(store, await knownSnapshots(store, new Set(days)), archiveDayOf(Date.parse(newest)))
    }
    // eslint-disable-next-line no-await-in-loop -- stores limit requests
    for (const file of rewritten) await store.remove(file)
    return rewritten
  })
}
