import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isCode } from './tree-error.ts'

/** No published file is longer; a longer one counts as missing. */
export const MOST_FILE_BYTES = 256 * 2 ** 20

/** Reads a file of a tree, wherever the tree is; null where there is none, or one of more than `most` bytes. */
export type TreeReader = (file: string, most?: number) => Promise<string | null>

const MISSING = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG'] as const

/** An exception per missing file would take longer than everything else about it. */
const QUIET = { throwIfNoEntry: false } as const

/** Text of a regular file, following links; null for anything else, and for a file of more than `most` bytes. */
export function textAt(path: string, most: number = MOST_FILE_BYTES): string | null {
  try {
    // A pipe or a device would be read for ever.
    const stats = statSync(path, QUIET)
    return stats?.isFile() && stats.size <= most ? readFileSync(path, 'utf8') : null
  } catch (error) {
    if (MISSING.some((code) => isCode(error, code))) return null
    throw error
  }
}

/** A reader of the tree in a folder. */
export const folderReader =
  (root: string): TreeReader =>
  async (file, most) =>
    textAt(join(root, file), most)

/** Size and time of a regular file; null where there is none. */
export function statsAt(path: string): { readonly size: number; readonly mtimeMs: number } | null {
  try {
    const stats = statSync(path, QUIET)
    return stats?.isFile() ? stats : null
  } catch (error) {
    if (MISSING.some((code) => isCode(error, code))) return null
    throw error
  }
}

/** Every file and link below a folder of a tree, relative to the tree's root; none where the folder is missing. */
export function filesBelow(root: string, folder: string): string[] {
  const files: string[] = []
  const visit = (below: string) => {
    for (const entry of readdirSync(join(root, below), { withFileTypes: true })) {
      const file = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory()) visit(file)
      else files.push(file)
    }
  }
  if (statSync(join(root, folder), { throwIfNoEntry: false })?.isDirectory()) visit(folder)
  return files
}
