import { closeSync, existsSync, openSync, readSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolders, syncFiles } from '../tree/folders.ts'
import { lock } from '../tree/lock.ts'
import { bytesAt, filesBelow, statsAt } from '../tree/reader.ts'
import { asTreeError } from '../tree/tree-error.ts'
import { ArchiveError, type ArchiveStore } from './archive-store.ts'

/** @throws ArchiveError if a folder holds files, and no archive */
function refuseForeign(root: string): void {
  const names = existsSync(root) ? readdirSync(root).filter((name) => !name.startsWith('.')) : []
  const [first] = names.toSorted()
  if (first !== undefined && !names.some((name) => /^archive-\d{4}-\d\d$/.test(name)))
    throw new ArchiveError(`${root} holds ${first}, and no archive. Name an empty folder with --to.`)
}

/**
 * Opens an archive in a folder. One writer at a time: others fail at once, as a second build does.
 *
 * @param now time of day in ms since 1970
 */
export function folderStore(root: string, now: () => number): ArchiveStore {
  const written = <Result>(work: () => Result): Result => {
    try {
      return work()
    } catch (error) {
      throw asTreeError(root, error) ?? error
    }
  }
  return {
    name: root,
    async list(folder) {
      const files = filesBelow(root, folder).filter((file) => !file.endsWith('.new'))
      return new Map(files.map((file) => [file, statsAt(join(root, file))?.size ?? 0]))
    },
    async read(file, range) {
      const path = join(root, file)
      if (range === undefined || statsAt(path) === null) return bytesAt(path)
      const bytes = Buffer.alloc(range.length)
      const descriptor = openSync(path, 'r')
      try {
        return bytes.subarray(0, readSync(descriptor, bytes, 0, range.length, range.from))
      } finally {
        closeSync(descriptor)
      }
    },
    async put(file, bytes) {
      written(() => {
        makeFolders(root, [file])
        writeFileSync(join(root, `${file}.new`), bytes)
        syncFiles(root, [`${file}.new`])
        renameSync(join(root, `${file}.new`), join(root, file))
      })
    },
    async remove(file) {
      written(() => rmSync(join(root, file), { force: true }))
    },
    async alone(work) {
      refuseForeign(root)
      const unlock = lock(root, now())
      try {
        return await work()
      } finally {
        unlock()
      }
    },
  }
}
