import { sha256Of } from '../contract/digest.ts'
import {
  type ArchiveGap,
  type ArchivedPack,
  archiveDayFile,
  archiveDayOf,
  archiveFolder,
  packFile,
} from '../contract/archive.ts'
import { type KnownPacks, daysBetween, daysOf, knownPacks, printDay } from './archive-days.ts'
import { ArchiveError } from './archive-error.ts'
import type { ArchiveStore } from './archive-store.ts'
import { type Retention, keptTimes, trustedNewest } from './retention.ts'
import type { PackableSnapshot } from './snapshot-documents.ts'
import { writePack } from './write-pack.ts'

/** The result of {@link addSnapshot}. */
export interface Added {
  readonly pack: ArchivedPack
  /** Whether the archive had it before. */
  readonly wasThere: boolean
  /** Documents in it. */
  readonly documents: number
  readonly removed: readonly string[]
  /** Files with the name of a pack that are none. They are left alone and never read. */
  readonly foreign: readonly string[]
}

const DAY_MS = 86_400_000
/** Attempts to list a pack while other writers overwrite the list. */
const ATTEMPTS = 5

/**
 * Adds a snapshot to an archive, and removes the packs that are no longer kept. A pack is stored
 * before a list names it, and removed after no list does, so a reader never follows a list to a missing pack. An interrupted
 * addition leaves a pack without a list, which the next one finds.
 *
 * @throws ArchiveError `foreign` if another file has the name of the pack, `unreachable` if the archive does not show it
 */
export async function addSnapshot(
  store: ArchiveStore,
  { head, documents, limits }: PackableSnapshot,
  retention: Retention,
): Promise<Added> {
  const { bytes, index } = writePack(head, documents, limits)
  const { generatedAt: time, staleAfter, snapshotId } = head
  const pack: ArchivedPack = { time, staleAfter, snapshotId, file: packFile(time, index), bytes: bytes.length, index }
  return store.alone(async () => {
    const wasThere = await isStored(store, pack, bytes)
    if (!wasThere) await store.put(pack.file, bytes)
    const cadenceMs = Date.parse(head.nextBuildAt) - Date.parse(time)
    for (let attempt = 1; ; attempt++) {
      // eslint-disable-next-line no-await-in-loop -- again only if another writer was at work
      const { removed, foreign, isShown, isListed } = await relist(store, pack, { retention, cadenceMs })
      if (isListed) return { pack, wasThere, documents: documents.length, removed, foreign }
      if (attempt === ATTEMPTS && !isShown)
        throw new ArchiveError(
          'unreachable',
          `${store.name} took ${pack.file}, and does not show it. Check its address: something else may answer there.`,
        )
      if (attempt === ATTEMPTS)
        throw new ArchiveError(
          'unreachable',
          `${store.name}: other writers keep overwriting the list of the day. Add the snapshot again.`,
        )
    }
  })
}

/** Whether the archive has a pack already. @throws ArchiveError `foreign` if another file has its name */
async function isStored(store: ArchiveStore, pack: ArchivedPack, bytes: Uint8Array): Promise<boolean> {
  const files = await store.list(archiveFolder(archiveDayOf(Date.parse(pack.time))))
  if (!files.has(pack.file)) {
    const { packs } = await knownPacks(store, new Set([archiveDayOf(Date.parse(pack.time))]))
    const same = packs.find(({ time }) => time === pack.time)
    if (!same) return false
    throw new ArchiveError(
      'foreign',
      `${store.name} has another snapshot of ${pack.time}, ${same.file}. It is kept, and this one is not added.`,
    )
  }
  const found = await store.read(pack.file)
  if (found !== null && sha256Of(found) === sha256Of(bytes)) return true
  throw new ArchiveError(
    'foreign',
    `${store.name} has a file ${pack.file} that is not this snapshot. Delete it if it is not yours, and add the snapshot again.`,
  )
}

interface Relisting {
  readonly retention: Retention
  readonly cadenceMs: number
}

/** Writes the lists of the days that changed, and removes the packs that are no longer kept. */
async function relist(store: ArchiveStore, pack: ArchivedPack, { retention, cadenceMs }: Relisting) {
  const own = archiveDayOf(Date.parse(pack.time))
  const known = await knownPacks(store, await daysToSee(store, pack, retention))
  const gap = gapBefore(pack, known, cadenceMs)
  const times = known.packs.map(({ time }) => Date.parse(time))
  const kept = keptTimes(times, retention, trustedNewest(times))
  const isKept = ({ time }: ArchivedPack) => kept.has(Date.parse(time))
  const packs = known.packs.filter(isKept)
  const gaps = gap ? [...known.gaps, gap] : known.gaps
  const seen = [...known.days.keys(), ...packs.map(({ time }) => archiveDayOf(Date.parse(time)))].toSorted()
  const [first = own, last = own] = [seen[0], seen.at(-1)]
  const wanted = daysBetween(Date.parse(first) + 1, Date.parse(last) + 1).filter((day) => known.wanted.has(day))
  for (const day of daysOf(wanted, { ...known, packs, gaps })) {
    const stored = known.days.get(day.day)
    const text = printDay(day)
    // eslint-disable-next-line no-await-in-loop -- few days change
    if (!stored || printDay(stored) !== text) await store.put(archiveDayFile(day.day), Buffer.from(text))
  }
  const removed = known.packs.filter((one) => !isKept(one)).map(({ file }) => file)
  // eslint-disable-next-line no-await-in-loop -- one or two
  for (const file of removed) await store.remove(file)
  const { days } = await knownPacks(store, new Set([own]))
  const isShown = known.packs.some(({ file }) => file === pack.file)
  const isInDay = days.get(own)?.packs.some(({ file }) => file === pack.file) === true
  return { removed, foreign: known.foreign, isShown, isListed: isShown && (!isKept(pack) || isInDay) }
}

/**
 * Returns the days to look at: with the first pack of a day all that are not yet thinned to one pack, otherwise those in
 * which packs reach an age at which fewer are kept.
 */
async function daysToSee(store: ArchiveStore, { time }: ArchivedPack, retention: Retention): Promise<Set<string>> {
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

/** Returns the gap between a pack and the one before it, if runs in between failed; null if none did. */
function gapBefore(pack: ArchivedPack, { packs }: KnownPacks, cadenceMs: number): ArchiveGap | null {
  const before = packs.findLast(({ time }) => time < pack.time)
  const after = packs.some(({ time }) => time > pack.time)
  if (!before || after || !(cadenceMs > 0)) return null
  const isLate = Date.parse(pack.time) - Date.parse(before.time) >= 1.5 * cadenceMs
  return isLate ? { from: before.time, to: pack.time } : null
}
