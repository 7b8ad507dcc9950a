import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { MOST_FILE_BYTES, filesBelow } from '../tree/reader.ts'
import { type RemoteOptions, askSite, bytesOf, fileOnSite } from '../tree/remote.ts'
import { RestoreError } from '../tree/restore-error.ts'
import { isCode } from '../tree/tree-error.ts'

/** The files of a tree that is checked: in a folder, on a site, at a git revision, or in memory. */
export interface CheckedFiles {
  /** Returns the bytes of a file as they are; null if it is missing, or the reason why it cannot be read. */
  bytes(file: string): Promise<Uint8Array | Unreadable | null>
  /** Every file of the tree; null: the place cannot list its files. */
  readonly list: readonly string[] | null
  /** Folder of this machine that has the tree, with its lock and journal; null: it is elsewhere. */
  readonly root: string | null
}

/** Why a file that exists cannot be read. */
export interface Unreadable {
  readonly reason: 'folder' | 'not_permitted'
}

/** Returns the files of a tree in a folder. */
export const filesInFolder = (root: string): CheckedFiles => ({
  bytes: async (file) => bytesIn(join(root, file)),
  // Names that begin with a dot are of the program, and hosts do not serve them.
  list: filesBelow(root, '').filter((file) => !file.split('/').some((name) => name.startsWith('.'))),
  root,
})

/**
 * Returns the files of a tree on a site.
 *
 * The reader throws RestoreError `unreachable` if the site does not answer, because it may have the file.
 */
export const filesOnSite = (site: string, options: RemoteOptions): CheckedFiles => ({
  async bytes(file) {
    const url = fileOnSite(site, file)
    const answer = await askSite(url, (body) => bytesOf(body, MOST_FILE_BYTES), options)
    if ('value' in answer) return answer.value
    if (answer.reason === 'absent') return null
    throw new RestoreError('unreachable', `${url.href} ${answer.why}`, { cause: answer.cause })
  },
  list: null,
  root: null,
})

function bytesIn(path: string): Uint8Array | Unreadable | null {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats?.isDirectory()) return { reason: 'folder' }
    return stats?.isFile() && stats.size <= MOST_FILE_BYTES ? readFileSync(path) : null
  } catch (error) {
    if (isCode(error, 'EACCES') || isCode(error, 'EPERM')) return { reason: 'not_permitted' }
    if (isCode(error, 'ENOTDIR') || isCode(error, 'ELOOP') || isCode(error, 'ENAMETOOLONG')) return null
    throw error
  }
}
