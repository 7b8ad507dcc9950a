import { readFile, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { LAYOUT } from '../tree/layout.ts'
import type { Store } from './documents.ts'
import { lru } from './lru.ts'

/** Most bytes of documents that are kept in memory. */
const KEPT_BYTES = 8 * 2 ** 20
/** Names of files that are not there are remembered too, in a room of their own: anybody can ask for any number. */
const MISSED_BYTES = 2 ** 20
/** The tree is looked at for a new publication this often at the most. */
const LOOK_EVERY_MS = 200

/** A store that knows of publications. */
export interface PublishedStore extends Store {
  /** The publication that stands in the tree, another text after each, `''` for none. Looks now and then at the most. */
  edition(): Promise<string>
  /** The same without a look at the disk; null when one is due. */
  knownEdition(): string | null
}

/**
 * The published tree on a disk. Files are kept in memory, and all forgotten together when a publication ends, which is
 * when the index is replaced: from then on nothing of the one before is answered.
 *
 * @param now a clock in ms that only runs forward
 */
export function diskStore(root: string, now: () => number): PublishedStore {
  const index = join(root, LAYOUT.index)
  let texts = lru<string>(KEPT_BYTES)
  let missed = lru<true>(MISSED_BYTES)
  let edition = ''
  let looked = Number.NEGATIVE_INFINITY

  async function look(): Promise<void> {
    looked = now()
    const found = await stat(index).catch(() => null)
    const seen = found ? `${found.mtimeMs} ${found.size} ${found.ino}` : ''
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
    // A publication ended meanwhile, so what was read may be of the one before.
    if (edition !== before) return read(file)
    if (text === null) missed.put(file, true, 2 * file.length + 100)
    else texts.put(file, text, 2 * text.length)
    return text
  }
  return { edition: current, knownEdition: () => (now() - looked < LOOK_EVERY_MS ? edition : null), read }
}

const textBelow = async (root: string, file: string): Promise<string | null> => {
  const path = await pathBelow(root, file)
  return path === null ? null : readFile(path, 'utf8')
}

/** Where a file of a folder is; null for what is none, for hidden files, and for what a link leads to elsewhere. */
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
