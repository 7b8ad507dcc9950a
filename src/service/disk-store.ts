import { readFile, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { LAYOUT } from '../core/tree/layout.ts'
import type { Store } from './documents.ts'
import { lru } from '../core/contract/lru.ts'

const KEPT_BYTES = 8 * 2 ** 20
/** Maximum size of the cache of missing files. It is separate, because clients can request any number of them. */
const MISSED_BYTES = 2 ** 20
/** Minimum interval between checks for a new publication. */
const LOOK_EVERY_MS = 200

export interface PublishedStore extends Store {
  /** Returns an id of the current publication, `''` for none. It checks the disk at most every {@link LOOK_EVERY_MS}. */
  edition(): Promise<string>
}

/**
 * Reads the published tree from a disk. Files are cached in memory, and the cache is cleared when a new publication
 * replaces the index, and its head after that, so that no answer mixes two publications.
 */
export function diskStore(root: string, now: () => number): PublishedStore {
  const stamps = [LAYOUT.index, LAYOUT.head].map((file) => join(root, file))
  let texts = lru<string>(KEPT_BYTES)
  let missed = lru<true>(MISSED_BYTES)
  let edition = ''
  let looked = Number.NEGATIVE_INFINITY

  async function look(): Promise<void> {
    looked = now()
    const found = await Promise.all(stamps.map((file) => stat(file).catch(() => null)))
    const seen = found
      .map((file) => (file ? `${file.mtimeMs} ${file.size} ${file.ino}` : ''))
      .join(' ')
      .trim()
    if (seen === edition) return
    edition = seen
    texts = lru(KEPT_BYTES)
    missed = lru(MISSED_BYTES)
  }
  async function current(): Promise<string> {
    if (now() - looked >= LOOK_EVERY_MS) await look()
    return edition
  }
  async function read(file: string): Promise<string | null> {
    await current()
    const known = texts.get(file)
    if (known !== undefined) return known
    if (missed.get(file)) return null
    const before = edition
    const text = await textBelow(root, file)
    await look()
    // A new publication appeared while reading, so the text may be of the previous one.
    if (edition !== before) return read(file)
    if (text === null) missed.put(file, true, 2 * file.length + 100)
    else texts.put(file, text, 2 * text.length)
    return text
  }
  return {
    edition: current,
    read,
  }
}

const textBelow = async (root: string, file: string): Promise<string | null> => {
  const path = await pathBelow(root, file)
  return path === null ? null : readFile(path, 'utf8')
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
