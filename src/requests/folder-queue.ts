import { link, mkdir, open, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { DAY_MS } from '../contract/time.ts'
import { type Queue, RequestRecord, type Version, queueOver } from './queue.ts'

/** Maximum number of files read concurrently, so that a long queue does not exhaust file descriptors. */
const READS_AT_ONCE = 32

/** A draft is linked right after it is written. An older one belongs to a killed process. */
const DRAFT_MS = 10 * 60_000
/** A folder's time of change counts in steps of the file system: seconds on some. A younger one may hide a later change. */
const SETTLED_MS = 3000
/** How long a list of names is trusted, so that old drafts are found in a folder where nothing happens. */
const NAMES_MS = 10 * 60_000
/** Retention of damaged files, which may contain contacts. */
const DAMAGED_MS = 30 * DAY_MS

/** The names in the folder, and the state of the folder just before they were read. */
interface Seen {
  readonly names: readonly string[]
  readonly changed: bigint
  readonly ino: bigint
  readonly at: number
}

/** A file with one immutable state of a request, identified by its name. */
type Edition = NonNullable<ReturnType<typeof editionOf>>

/**
 * Opens a queue in a folder: one JSON file per request, `<id>.json`, and `<id>.<n>.json` after n changes. A file appears
 * atomically, synced, under a free name, and never changes. So concurrent processes neither lose nor duplicate a request,
 * and files can be cached, as can the list of their names while the folder's time of change stands. A damaged file is
 * renamed and goes to `report`.
 *
 * @param unique returns a text unique to the call and the process
 * @param now time in ms since 1970, by the clock of the folder's disk
 */
export function folderQueue(
  folder: string,
  unique: () => string,
  report: (error: unknown) => void,
  now: () => number,
): Queue {
  const atOnce = pLimit(READS_AT_ONCE)
  let known = new Map<string, RequestRecord>()
  let seen: Seen | null = null
  let listed: { readonly names: readonly string[]; readonly records: readonly RequestRecord[] } | null = null

  async function read({ file }: Edition): Promise<RequestRecord | null> {
    const before = known.get(file)
    if (before) return before
    const path = join(folder, file)
    const text = await readFile(path, 'utf8').catch(unlessCode('ENOENT'))
    if (text === null) return null
    try {
      const record = RequestRecord.parse(JSON.parse(text))
      known.set(file, record)
      return record
    } catch (cause) {
      await rename(path, `${path}.damaged`).catch(unlessCode('ENOENT'))
      report(new Error(`${path} could not be read and was renamed to ${file}.damaged`, { cause }))
      return null
    }
  }

  /** Returns the names of the files, read again only if the folder may have changed. */
  async function files(): Promise<readonly string[]> {
    const state = await stat(folder, { bigint: true }).catch(unlessCode('ENOENT'))
    if (state === null) return []
    const { mtimeNs: changed, ino } = state
    const isSettled = seen !== null && seen.at - Number(changed / 1_000_000n) > SETTLED_MS
    if (seen?.changed === changed && seen.ino === ino && isSettled && now() - seen.at < NAMES_MS) return seen.names
    const at = now()
    const entries = (await readdir(folder, { withFileTypes: true }).catch(unlessCode('ENOENT'))) ?? []
    seen = { names: entries.flatMap((entry) => (entry.isFile() ? [entry.name] : [])), changed, ino, at }
    return seen.names
  }

  const editions = async (id: string): Promise<Edition[]> =>
    editionsIn((await files()).filter((file) => file.startsWith(`${id}.`))).filter((edition) => edition.id === id)

  /** Deletes drafts of killed processes: they hold requests with contacts. */
  async function purge(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const most = DRAFT.test(name) ? DRAFT_MS : name.endsWith('.damaged') ? DAMAGED_MS : Number.POSITIVE_INFINITY
      if (most === Number.POSITIVE_INFINITY) continue
      // A rename changes ctime, not mtime.
      const found = await stat(join(folder, name)).catch(unlessCode('ENOENT'))
      if (found && now() - found.ctimeMs > most) await rm(join(folder, name), { force: true })
    }
  }

  /** Returns the newest readable state of a request. */
  async function newest(id: string): Promise<Version | null> {
    for (const edition of await editions(id)) {
      const record = await read(edition)
      if (record) return { number: edition.number, record }
    }
    return null
  }

  /** Writes an edition, unless its name is taken or a later one exists, and deletes those before it. */
  async function put(id: string, { number, record }: Version): Promise<boolean> {
    await mkdir(folder, { recursive: true })
    const file = number === 0 ? `${id}.json` : `${id}.${number}.json`
    const draft = join(folder, `.${file}.${unique()}`)
    try {
      await writeFile(draft, `${JSON.stringify(record, null, 2)}\n`, NEW)
      await link(draft, join(folder, file))
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error
      return false
    } finally {
      await rm(draft, { force: true })
    }
    const all = await editions(id)
    const isLatest = !all.some((edition) => edition.number > number)
    if (isLatest) await syncFolder(folder)
    const gone = isLatest ? all.filter((edition) => edition.number < number).map((edition) => edition.file) : [file]
    for (const one of gone) await rm(join(folder, one), { force: true })
    return isLatest
  }

  async function erase(id: string, { number }: Version): Promise<boolean> {
    // The newest goes last, so that no older state comes back.
    const all = (await editions(id)).filter((edition) => edition.number <= number)
    for (const { file } of all.toReversed()) await rm(join(folder, file), { force: true })
    await syncFolder(folder)
    return true
  }

  async function list(): Promise<readonly RequestRecord[]> {
    const names = await files()
    if (listed?.names === names) return listed.records
    await purge(names)
    const found = editionsIn(names)
    const present = new Set(names)
    known = new Map([...known].filter(([file]) => present.has(file)))
    const latest = found.filter(({ id }, at) => found[at - 1]?.id !== id)
    const records = await Promise.all(latest.map((edition) => atOnce(() => current(edition))))
    listed = { names, records: records.filter((record) => record !== null) }
    return listed.records
  }

  /** Returns the record of an edition or, if it was replaced in the meantime, of the newest one. */
  async function current(edition: Edition): Promise<RequestRecord | null> {
    return (await read(edition)) ?? (await newest(edition.id))?.record ?? null
  }

  return queueOver({ newest, put, erase, list, settle: () => syncFolder(folder) })
}

const DRAFT = /^\.[0-9a-z-]{8,64}(?:\.\d{1,9})?\.json\../

/** Returns the editions among files, by id, newest first. */
const editionsIn = (files: readonly string[]): Edition[] =>
  files
    .flatMap((file) => editionOf(file) ?? [])
    .toSorted((a, b) => (a.id === b.id ? b.number - a.number : a.id < b.id ? -1 : 1))

function editionOf(file: string) {
  const [, id, number = '0'] = /^([0-9a-z-]{8,64})(?:\.(\d{1,9}))?\.json$/.exec(file) ?? []
  return id === undefined ? null : { file, id, number: Number(number) }
}

const unlessCode =
  (code: string) =>
  (error: unknown): null => {
    if (isCode(error, code)) return null
    throw error
  }

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

/** Options of a new file that only its owner can read, synced when it is written. A present file is an error, `EEXIST`. */
const NEW = { flag: 'wx', mode: 0o600, flush: true } as const

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Returns the permanent secret of a folder, shared by all processes: the first one offered.
 *
 * @param offered at least 32 random bytes as text, unique to this process
 */
export async function secretIn(folder: string, offered: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const file = join(folder, '.secret')
  const draft = `${file}.${offered.slice(0, 16)}`
  try {
    await writeFile(draft, offered, NEW)
    await link(draft, file)
    await syncFolder(folder)
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error
  } finally {
    await rm(draft, { force: true })
  }
  return readFile(file, 'utf8')
}
