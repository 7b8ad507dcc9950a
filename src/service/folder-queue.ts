import { link, mkdir, open, readFile, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Queue, RequestRecord } from './queue.ts'

/**
 * A queue in a folder: one JSON file per request. A record appears whole and on disk, or not at all, also when several
 * processes add to one folder. A damaged file is set aside, told to `report`, and the rest goes on.
 *
 * @param unique a text that no other call and no other process gives
 */
export function folderQueue(folder: string, unique: () => string, report: (error: unknown) => void): Queue {
  const fileOf = (id: string) => join(folder, `${id}.json`)

  async function read(file: string): Promise<RequestRecord | null> {
    const path = join(folder, file)
    try {
      return RequestRecord.parse(JSON.parse(await readFile(path, 'utf8')))
    } catch (cause) {
      if (codeOf(cause) === 'ENOENT') return null
      if (codeOf(cause) !== undefined) throw cause
      await rename(path, `${path}.damaged`)
      report(new Error(`${path} could not be read and was set aside as ${file}.damaged`, { cause }))
      return null
    }
  }

  return {
    async add(record) {
      await mkdir(folder, { recursive: true })
      const draft = join(folder, `.${record.request_id}.${unique()}`)
      try {
        await writeSynced(draft, `${JSON.stringify(record, null, 2)}\n`)
        // A link fails where the name is taken, so of two that add the same request one finds the other's.
        await link(draft, fileOf(record.request_id))
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error
        return (await read(`${record.request_id}.json`)) ?? record
      } finally {
        await rm(draft, { force: true })
      }
      await syncFolder(folder)
      return record
    },
    async list() {
      const names = await readdir(folder).catch((error: unknown) => {
        if (codeOf(error) === 'ENOENT') return []
        throw error
      })
      const files = names.filter((name) => /^[0-9a-z-]+\.json$/.test(name)).toSorted()
      const records = await Promise.all(files.map(read))
      return records.filter((record) => record !== null)
    },
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx')
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
