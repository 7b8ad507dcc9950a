import { readFile, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { LAYOUT } from '../core/tree/layout.ts'
import type { Store } from './documents.ts'

/** Minimum interval between checks for a new publication. */
const LOOK_EVERY_MS = 200

export interface PublishedStore extends Store {
  /** Returns an id of the current publication, `''` for none. It checks the disk at most every {@link LOOK_EVERY_MS}. */
  edition(): Promise<string>
}

/**
 * Reads the published tree from a disk, whose pages the system keeps in memory. A new publication replaces the index, and
 * its head after that.
 */
export function diskStore(root: string, now: () => number): PublishedStore {
  let edition = ''
  let looked = Number.NEGATIVE_INFINITY
  return {
    async edition() {
      if (now() - looked < LOOK_EVERY_MS) return edition
      looked = now()
      const stamps = [LAYOUT.index, LAYOUT.head].map((file) => stat(join(root, file)).catch(() => null))
      const found = await Promise.all(stamps)
      edition = found
        .map((file) => (file ? `${file.mtimeMs} ${file.size} ${file.ino}` : ''))
        .join(' ')
        .trim()
      return edition
    },
    async read(file) {
      const path = await pathBelow(root, file)
      return path === null ? null : readFile(path, 'utf8')
    },
  }
}

/** Returns the path of a regular file below a folder. Null for missing and hidden files, and for links out of the folder. */
export async function pathBelow(root: string, file: string): Promise<string | null> {
  if (file.includes('\0') || file.split('/').some((part) => part.startsWith('.') || part === '')) return null
  try {
    const [base, real] = await Promise.all([realpath(root), realpath(join(root, file))])
    return real.startsWith(base + sep) && (await stat(real)).isFile() ? real : null
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENAMETOOLONG') return null
    throw error
  }
}
