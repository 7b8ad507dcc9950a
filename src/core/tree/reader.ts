import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isCode } from './tree-error.ts'

/** Maximum size of a file. A larger one counts as missing. The largest are tables. */
export const MOST_FILE_BYTES = 80 * 2 ** 20

/** Reads a file of a tree in a folder or on a site. Returns null if it is missing or larger than `most` bytes. */
export type TreeReader = (file: string, most?: number) => Promise<string | null>

const MISSING = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG'] as const

/** Missing files are common, and an exception for each takes longer than the rest of the call. */
const QUIET = { throwIfNoEntry: false } as const

function unlessMissing<T>(read: () => T | null): T | null {
  try {
    return read()
  } catch (error) {
    if (MISSING.some((code) => isCode(error, code))) return null
    throw error
  }
}

/** Size and modification time of a regular file, following links; null: there is none. */
export function statsAt(path: string): { readonly size: number; readonly mtimeMs: number } | null {
  return unlessMissing(() => {
    const stats = statSync(path, QUIET)
    return stats?.isFile() ? stats : null
  })
}

/** Null for anything but a regular file of at most `most` bytes: reading a pipe or a device might never end. */
export const bytesAt = (path: string, most = MOST_FILE_BYTES): Buffer | null =>
  unlessMissing(() => ((statsAt(path)?.size ?? Infinity) <= most ? readFileSync(path) : null))

export const textAt = (path: string, most?: number): string | null => bytesAt(path, most)?.toString('utf8') ?? null

export const folderReader =
  (root: string): TreeReader =>
  async (file, most) =>
    textAt(join(root, file), most)

/**
 * Returns every file and link below a folder of a tree, relative to the tree's root; none if the folder is missing. A folder
 * nested too deep for the system has none.
 */
export function filesBelow(root: string, folder: string): string[] {
  const files: string[] = []
  const folders = statSync(join(root, folder), QUIET)?.isDirectory() ? [folder] : []
  for (let below = folders.pop(); below !== undefined; below = folders.pop()) {
    const path = join(root, below)
    for (const entry of unlessMissing(() => readdirSync(path, { withFileTypes: true })) ?? []) {
      const file = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory()) folders.push(file)
      else files.push(file)
    }
  }
  return files
}
