import { sha256Of } from '../contract/digest.ts'
import { gunzipSync } from 'node:zlib'
import { group } from 'd3-array'
import * as z from 'zod'
import { archiveFolder, isPack } from '../contract/archive.ts'
import { Day } from '../contract/changes.ts'
import { closesDay, closesFile } from '../contract/closes.ts'
import { readJson } from '../contract/read-json.ts'
import { FILL_DAYS } from '../history/closes.ts'
import { documentsInZip } from '../tree/checkpoint-documents.ts'
import type { Tree } from '../tree/tree.ts'
import { ZipFile, deflate } from '../tree/write-zip.ts'
import { ArchiveError, type ArchiveStore, type ReadableArchive } from './archive-store.ts'
import { DAY_MS } from '../contract/time.ts'

/** Maximum length of the closes of a day. Those of 5,000 listings have 1 MB. */
const MOST_BYTES = 16 * 2 ** 20

const ClosesEntry = z.object({
  day: Day,
  file: z.string().regex(/^archive-\d{4}-\d\d\/closes-\d{4}-\d\d-\d\d-[0-9a-f]{16}\.(?:zip|pack)$/),
  bytes: z.int().positive().max(MOST_BYTES),
  /** Of the file: a ZIP file with one entry. One named `.pack` is gzipped, as an earlier version wrote it. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})
type ClosesEntry = z.infer<typeof ClosesEntry>

const OwnDay = z.object({ day: Day })

const ClosesOfMonth = z.object({ format: z.literal(1), days: z.array(ClosesEntry) })

/** Returns the list of the closes of a day's month. */
const listFile = (day: string): string => `${archiveFolder(day)}/closes.json`

/** Returns the archived days of a month; none if there is no list, or a damaged one, which the next addition replaces. */
async function daysIn(store: ReadableArchive, file: string): Promise<ReadonlyMap<string, ClosesEntry>> {
  const bytes = await store.read(file)
  const list = readJson(bytes === null ? null : new TextDecoder().decode(bytes), ClosesOfMonth)
  return new Map(list?.days.map((entry) => [entry.day, entry]))
}

/**
 * Adds the daily closes of a tree that no run changes any more, each a file of its own, and returns their days. Snapshot files do not
 * have them, so that a day can leave the tree and stays readable. A file is stored before the list of its month names
 * it. Every call goes back to the newest month without a missing day, so what an interrupted one left out follows.
 */
export async function addCloses(store: ArchiveStore, tree: Tree): Promise<readonly string[]> {
  const days = tree.files.flatMap((file) => closesDay(file) ?? []).toSorted()
  const newest = Date.parse(days.at(-1) ?? '')
  const past = days.filter((day) => newest - Date.parse(day) > FILL_DAYS * DAY_MS)
  return store.alone(async () => {
    const incomplete: { file: string; known: ReadonlyMap<string, ClosesEntry>; missing: readonly string[] }[] = []
    for (const [file, own] of [...group(past, listFile)].toReversed()) {
      // eslint-disable-next-line no-await-in-loop -- it ends with the first complete month, which is mostly the first
      const known = await daysIn(store, file)
      const missing = own.filter((day) => !known.has(day))
      if (missing.length === 0) break
      incomplete.unshift({ file, known, missing })
    }
    const added: string[] = []
    for (const { file, known, missing } of incomplete) {
      // eslint-disable-next-line no-await-in-loop -- the oldest first, so that an interruption leaves no hole
      const entries = await putDays(store, tree, missing)
      const list = [...known.values(), ...entries].toSorted((a, b) => (a.day < b.day ? -1 : 1))
      // eslint-disable-next-line no-await-in-loop -- as above
      if (entries.length > 0) await store.put(file, Buffer.from(printList(list)))
      added.push(...entries.map(({ day }) => day))
    }
    return added
  })
}

async function putDays(store: ArchiveStore, tree: Tree, days: readonly string[]): Promise<ClosesEntry[]> {
  const entries: ClosesEntry[] = []
  for (const day of days) {
    const text = tree.read(closesFile(day))
    // A damaged document is not archived; once it is whole again, it is.
    if (text === null) continue
    const zip = new ZipFile()
    zip.add(deflate({ path: closesFile(day), text }, 9))
    const body = zip.end()
    const sha256 = sha256Of(body)
    const file = `${archiveFolder(day)}/closes-${day}-${sha256.slice(0, 16)}.zip`
    // eslint-disable-next-line no-await-in-loop -- stores limit requests, and mostly there is one
    await store.put(file, body)
    entries.push({ day, file, bytes: body.length, sha256 })
  }
  return entries
}

/** Prints the list of a month, a day a line. */
const printList = (days: readonly ClosesEntry[]): string =>
  `{"format":1,\n"days":[\n${days.map((day) => JSON.stringify(day)).join(',\n')}\n]}\n`

/**
 * Returns the closes of a day as they were published; null if the archive does not have them.
 *
 * @throws ArchiveError `damaged` if the file is not the listed one
 */
export async function archivedCloses(store: ReadableArchive, day: string): Promise<string | null> {
  const entry = (await daysIn(store, listFile(day))).get(day)
  if (entry === undefined) return null
  const { file, bytes, sha256 } = entry
  const body = await store.read(file, { from: 0, length: bytes, of: bytes })
  if (body === null || sha256Of(body) !== sha256)
    throw new ArchiveError('damaged', `${store.name}: ${file} is missing, or its SHA-256 is not the listed one.`)
  const text = textIn(file, body, day)
  if (text !== null && file.includes(`closes-${day}-`) && readJson(text, OwnDay)?.day === day) return text
  throw new ArchiveError('damaged', `${store.name}: ${file} does not have the closes of ${day}.`)
}

function textIn(file: string, body: Uint8Array, day: string): string | null {
  try {
    if (isPack(file)) return gunzipSync(body, { maxOutputLength: MOST_BYTES }).toString('utf8')
    return new Map(documentsInZip(body)).get(closesFile(day)) ?? null
  } catch {
    return null
  }
}
