import { randomBytes, randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { link, mkdir, open, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { statsAt, textAt } from '../core/tree/reader.ts'
import { type Queue, type RowStore, type StoredRow, queueIn } from './queue.ts'

/** A folder's time of change counts in steps of the file system: seconds on some. A younger one may hide a later change. */
const SETTLED_MS = 3000
/** Drafts of killed processes, which may hold contacts, are deleted after this time. */
const LEFT_OVER_MS = 10 * 60_000

/**
 * Opens a queue in a folder: one JSON file per request.
 *
 * @param exclusively runs a change while no other process makes one in the same folder
 * @param now time in ms since 1970, by the clock of the folder's disk
 */
export function folderQueue(
  folder: string,
  exclusively: (change: () => Promise<boolean>) => Promise<boolean>,
  report: (error: unknown) => void,
  now: () => number,
): Queue {
  let known: { readonly changed: bigint; readonly rows: readonly StoredRow[] } | null = null
  const fileOf = (id: string) => join(folder, `${id}.json`)

  function readOne(id: string): readonly StoredRow[] {
    const text = textAt(fileOf(id))
    return text === null ? [] : [{ id, text }]
  }

  async function readAll(): Promise<readonly StoredRow[]> {
    const at = now()
    const state = statSync(folder, { bigint: true, throwIfNoEntry: false })
    if (!state) return []
    if (known?.changed === state.mtimeNs) return known.rows
    const names = await readdir(folder)
    for (const name of names.filter((one) => one.endsWith('.draft'))) {
      const draft = statsAt(join(folder, name))
      if (draft && at - draft.mtimeMs > LEFT_OVER_MS) await rm(join(folder, name), { force: true })
    }
    const ids = names.flatMap((name) => /^([0-9a-z-]{8,64})\.json$/.exec(name)?.[1] ?? []).toSorted()
    const rows = ids.flatMap(readOne)
    const isSettled = at - Number(state.mtimeNs / 1_000_000n) > SETTLED_MS
    known = isSettled ? { changed: state.mtimeNs, rows } : null
    return rows
  }

  async function write(id: string, before: string | null, after: string | null): Promise<boolean> {
    if (before === null) await mkdir(folder, { recursive: true })
    else if (textAt(fileOf(id)) !== before) return false
    if (after === null) await rm(fileOf(id), { force: true })
    else return placeFile(fileOf(id), after, before === null ? link : rename)
    return true
  }

  const store: RowStore = {
    read: async (id) => (id === undefined ? readAll() : readOne(id)),
    write: (id, before, after) =>
      before === null ? write(id, before, after) : exclusively(() => write(id, before, after)),
  }
  return queueIn(store, report)
}

/** Writes a file, whole and flushed, and puts it in its place by a link or a new name. Returns whether there was room for a link. */
export async function placeFile(file: string, text: string, put: typeof rename, mode = 0o600): Promise<boolean> {
  const draft = `${file}.${randomUUID()}.draft`
  try {
    await writeFile(draft, text, { flag: 'wx', mode, flush: true })
    await put(draft, file)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
    const folder = await open(dirname(file), 'r')
    await folder.sync()
    await folder.close()
  }
}

/** Returns the permanent secret of a folder, which all processes share: the first one that was placed. */
export async function secretIn(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const file = join(folder, '.secret')
  await placeFile(file, randomBytes(32).toString('hex'), link)
  return readFile(file, 'utf8')
}
