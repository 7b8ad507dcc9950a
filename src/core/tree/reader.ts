import { readFileSync, readdirSync, statSync } from 'node:fs'
import { readFile, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { isCode } from './tree-error.ts'

/** Maximum size of a file. A larger one counts as missing. The largest are tables. */
export const MOST_FILE_BYTES = 80 * 2 ** 20

/** Reads a file of a tree in a folder or on a site. Returns null if it is missing, or larger than {@link MOST_FILE_BYTES}. */
export type TreeReader = (file: string) => Promise<string | null>

const MISSING = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG'] as const

function nullIfMissing(error: unknown): null {
  if (MISSING.some((code) => isCode(error, code))) return null
  throw error
}

function unlessMissing<T>(read: () => T | null): T | null {
  try {
    return read()
  } catch (error) {
    return nullIfMissing(error)
  }
}

/** Size and modification time of a regular file, following links; null: there is none. */
export function statsAt(path: string): { readonly size: number; readonly mtimeMs: number } | null {
  return unlessMissing(() => {
    // Missing files are common, and an exception for each takes longer than the rest of the call.
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats?.isFile() ? stats : null
  })
}

/** Null for anything but a regular file of at most `most` bytes: reading a pipe or a device might never end. */
export const bytesAt = (path: string, most = MOST_FILE_BYTES): Buffer | null =>
  unlessMissing(() => ((statsAt(path)?.size ?? Infinity) <= most ? readFileSync(path) : null))

export const textAt = (path: string, most?: number): string | null => bytesAt(path, most)?.toString('utf8') ?? null

/**
 * Returns the path of a regular file of at most `most` bytes below a folder. Null for missing and hidden files, and for links
 * out of the folder.
 */
export async function pathBelow(root: string, file: string, most = Infinity): Promise<string | null> {
  if (file.includes('\0') || file.split('/').some((part) => part.startsWith('.') || part === '')) return null
  try {
    const [base, real] = await Promise.all([realpath(root), realpath(join(root, file))])
    if (!real.startsWith(base + sep)) return null
    const stats = await stat(real)
    return stats.isFile() && stats.size <= most ? real : null
  } catch (error) {
    return nullIfMissing(error)
  }
}

/** Returns a reader of the tree in a folder, whose files the system keeps in memory. */
export const folderReader =
  (root: string): TreeReader =>
  async (file) => {
    const path = await pathBelow(root, file, MOST_FILE_BYTES)
    return path === null ? null : readFile(path, 'utf8')
  }

/** Returns every file and link below a folder of a tree, relative to the tree's root; none if the folder is missing. */
export const filesBelow = (root: string, folder: string): string[] =>
  (unlessMissing(() => readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) ?? [])
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
