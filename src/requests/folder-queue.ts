import { link, mkdir, open, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { DAY_MS } from '../core/contract/time.ts'
import { type Queue, QueueError, RequestRecord } from './queue.ts'

/** Maximum number of files read concurrently, so that a long queue does not exhaust file descriptors. */
const READS_AT_ONCE = 32
/** A folder's time of change counts in steps of the file system: seconds on some. A younger one may hide a later change. */
const SETTLED_MS = 3000
/** What may hold contacts and is deleted after this time: drafts of killed processes, and files that could not be read. */
const LEFT_OVER_MS = { '.draft': 10 * 60_000, '.damaged': 30 * DAY_MS } as const

export interface FolderEdge {
  readonly unique: () => string
  /** Runs work while no other process does so for this folder. */
  readonly exclusively: <Result>(work: () => Promise<Result>) => Promise<Result>
  readonly report: (error: unknown) => void
  /** Time in ms since 1970, by the clock of the folder's disk. */
  readonly now: () => number
}

/** Opens a queue in a folder: one JSON file per request. A damaged file is renamed and goes to `report`. */
export function folderQueue(folder: string, { unique, exclusively, report, now }: FolderEdge): Queue {
  const atOnce = pLimit(READS_AT_ONCE)
  let known: { readonly changed: bigint; readonly records: readonly RequestRecord[] } | null = null
  const fileOf = (id: string) => join(folder, `${id}.json`)

  async function get(id: string): Promise<RequestRecord | null> {
    const file = fileOf(id)
    const text = await readFile(file, 'utf8').catch(unlessCode('ENOENT'))
    if (text === null) return null
    try {
      return RequestRecord.parse(JSON.parse(text))
    } catch (cause) {
      await rename(file, `${file}.damaged`).catch(unlessCode('ENOENT'))
      report(new Error(`${file} could not be read and was renamed to ${id}.json.damaged`, { cause }))
      return null
    }
  }

  async function list(): Promise<readonly RequestRecord[]> {
    const at = now()
    const state = await stat(folder, { bigint: true }).catch(unlessCode('ENOENT'))
    if (state === null) return []
    if (known?.changed === state.mtimeNs) return known.records
    const entries = await readdir(folder, { withFileTypes: true })
    const names = entries.flatMap((entry) => (entry.isFile() ? [entry.name] : []))
    await removeLeftOvers(folder, names, at)
    const ids = names.flatMap((name) => /^([0-9a-z-]{8,64})\.json$/.exec(name)?.[1] ?? []).toSorted()
    const found = await Promise.all(ids.map((id) => atOnce(() => get(id))))
    const records = found.filter((record) => record !== null)
    const isSettled = at - Number(state.mtimeNs / 1_000_000n) > SETTLED_MS
    known = isSettled ? { changed: state.mtimeNs, records } : null
    return records
  }

  return {
    get,
    list,
    async add(record) {
      await mkdir(folder, { recursive: true })
      const id = record.request_id
      if (!(await get(id))) await writeNew(fileOf(id), textOf(record), unique())
      const kept = await get(id)
      if (!kept) throw new QueueError(`${fileOf(id)} cannot be read. Check the file.`)
      await syncFolder(folder)
      return kept
    },
    update: (id, change) =>
      exclusively(async () => {
        const record = await get(id)
        if (!record) return null
        const after = change(record)
        if (after) await write(fileOf(id), textOf(after), unique(), rename)
        else await rm(fileOf(id), { force: true })
        await syncFolder(folder)
        return after
      }),
  }
}

async function removeLeftOvers(folder: string, names: readonly string[], now: number): Promise<void> {
  for (const name of names)
    for (const [ending, most] of Object.entries(LEFT_OVER_MS)) {
      // A rename changes ctime, not mtime.
      const found = name.endsWith(ending) ? await stat(join(folder, name)).catch(unlessCode('ENOENT')) : null
      if (found && now - found.ctimeMs > most) await rm(join(folder, name), { force: true })
    }
}

const unlessCode =
  (code: string) =>
  (error: unknown): null => {
    if (error instanceof Error && 'code' in error && error.code === code) return null
    throw error
  }

const textOf = (record: RequestRecord): string => `${JSON.stringify(record, null, 2)}\n`

/** Writes a file that only its owner can read, whole and flushed. */
async function write(file: string, text: string, unique: string, place: typeof rename): Promise<void> {
  const draft = `${file}.${unique}.draft`
  try {
    await writeFile(draft, text, { flag: 'wx', mode: 0o600, flush: true })
    await place(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
}

/** Writes a file, unless there is one. */
const writeNew = (file: string, text: string, unique: string): Promise<unknown> =>
  write(file, text, unique, link).catch(unlessCode('EEXIST'))

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
  await writeNew(file, offered, offered.slice(0, 16))
  await syncFolder(folder)
  return readFile(file, 'utf8')
}
