import { link, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { isCode, syncFolder, writeSynced } from './disk.ts'
import { type Queue, RequestRecord } from './queue.ts'

/** Files read at once: a long queue must not use up the process's descriptors. */
const READS_AT_ONCE = 32
/** Every failed attempt is another writer's success, so this many in a row mean a folder that is not as it should be. */
const ATTEMPTS = 100

/** A draft is linked a moment after it was written; one that is older than this belongs to a process that was killed. */
const DRAFT_MS = 10 * 60_000
/** What was set aside may be looked into for so long: it may hold contacts, which are to be deleted in the end. */
const DAMAGED_MS = 30 * 86_400_000

/** A file that holds one state of a request. Its name tells which; its content never changes. */
interface Edition {
  readonly file: string
  readonly id: string
  readonly number: number
}

/**
 * A queue in a folder: one JSON file per request, `<id>.json`, and `<id>.<n>.json` once it was changed n times. A file
 * appears whole and on disk, under a name that was free, or not at all, and is never written again: so several processes
 * neither lose nor double a request, and what was read once need not be read again. A damaged file is set aside, told to
 * `report`, and the rest goes on.
 *
 * @param unique a text that no other call and no other process gives
 * @param now time of day in ms since 1970, as the folder's disk has it
 */
export function folderQueue(
  folder: string,
  unique: () => string,
  report: (error: unknown) => void,
  now: () => number,
): Queue {
  const atOnce = pLimit(READS_AT_ONCE)
  let known = new Map<string, RequestRecord>()

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
      report(new Error(`${path} could not be read and was set aside as ${file}.damaged`, { cause }))
      return null
    }
  }

  async function files(): Promise<string[]> {
    const entries = (await readdir(folder, { withFileTypes: true }).catch(unlessCode('ENOENT'))) ?? []
    return entries.flatMap((entry) => (entry.isFile() ? [entry.name] : []))
  }

  const editions = async (id: string): Promise<Edition[]> =>
    editionsIn((await files()).filter((file) => file.startsWith(`${id}.`))).filter((edition) => edition.id === id)

  /** Deletes what killed processes left: whole requests, with contacts, that nobody would ever delete. */
  async function purge(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const most = DRAFT.test(name) ? DRAFT_MS : name.endsWith('.damaged') ? DAMAGED_MS : Number.POSITIVE_INFINITY
      if (most === Number.POSITIVE_INFINITY) continue
      // A rename changes the time of the name, not that of the content.
      const found = await stat(join(folder, name)).catch(unlessCode('ENOENT'))
      if (found && now() - found.ctimeMs > most) await rm(join(folder, name), { force: true })
    }
  }

  /** The newest readable state of a request. */
  async function newest(id: string): Promise<{ edition: Edition; record: RequestRecord } | null> {
    for (const edition of await editions(id)) {
      const record = await read(edition)
      if (record) return { edition, record }
    }
    return null
  }

  /** Makes an edition, unless its name is taken or a later one is there. */
  async function put(edition: Edition, record: RequestRecord): Promise<boolean> {
    const draft = join(folder, `.${edition.file}.${unique()}`)
    try {
      await writeSynced(draft, `${JSON.stringify(record, null, 2)}\n`)
      await link(draft, join(folder, edition.file))
    } catch (error) {
      if (!isCode(error, 'EEXIST')) throw error
      return false
    } finally {
      await rm(draft, { force: true })
    }
    const [latest] = await editions(edition.id)
    if (latest && latest.number > edition.number) {
      await rm(join(folder, edition.file), { force: true })
      return false
    }
    return true
  }

  async function add(record: RequestRecord): Promise<RequestRecord> {
    await mkdir(folder, { recursive: true })
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const found = await newest(record.request_id)
      if (!found && !(await put({ file: `${record.request_id}.json`, id: record.request_id, number: 0 }, record)))
        continue
      // Also for one that is there already: who wrote it may not have come this far.
      await syncFolder(folder)
      return found?.record ?? record
    }
    throw new Error(`${record.request_id} could not be added to ${folder} in ${ATTEMPTS} attempts`)
  }

  async function update(id: string, change: (record: RequestRecord) => RequestRecord): Promise<RequestRecord | null> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const found = await newest(id)
      if (!found) return null
      const changed = change(found.record)
      const number = found.edition.number + 1
      if (!(await put({ file: `${id}.${number}.json`, id, number }, changed))) continue
      await syncFolder(folder)
      const older = (await editions(id)).filter((edition) => edition.number < number)
      for (const { file } of older) await rm(join(folder, file), { force: true })
      return changed
    }
    throw new Error(`${id} could not be changed in ${folder} in ${ATTEMPTS} attempts`)
  }

  async function list(): Promise<readonly RequestRecord[]> {
    const names = await files()
    await purge(names)
    const found = editionsIn(names)
    const present = new Set(names)
    known = new Map([...known].filter(([file]) => present.has(file)))
    const latest = found.filter(({ id }, at) => found[at - 1]?.id !== id)
    const records = await Promise.all(latest.map((edition) => atOnce(() => current(edition))))
    return records.filter((record) => record !== null)
  }

  /** What an edition holds; where a change replaced it meanwhile, what the newest one does. */
  async function current(edition: Edition): Promise<RequestRecord | null> {
    return (await read(edition)) ?? (await newest(edition.id))?.record ?? null
  }

  return { add, update, list, get: async (id) => (await newest(id))?.record ?? null }
}

/** A file on its way to become an edition. */
const DRAFT = /^\.[0-9a-z-]{8,64}(?:\.\d{1,9})?\.json\../

/** The editions among files, by id and the newest first. */
const editionsIn = (files: readonly string[]): Edition[] =>
  files
    .flatMap((file) => editionOf(file) ?? [])
    .toSorted((a, b) => (a.id === b.id ? b.number - a.number : a.id < b.id ? -1 : 1))

function editionOf(file: string): Edition | null {
  const [, id, number = '0'] = /^([0-9a-z-]{8,64})(?:\.(\d{1,9}))?\.json$/.exec(file) ?? []
  return id === undefined ? null : { file, id, number: Number(number) }
}

const unlessCode =
  (code: string) =>
  (error: unknown): null => {
    if (isCode(error, code)) return null
    throw error
  }
