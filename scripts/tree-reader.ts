import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { LAYOUT } from '../src/tree/layout.ts'
import { MOST_FILE_BYTES, type TreeReader } from '../src/tree/reader.ts'
import { type RemoteOptions, readerAt } from '../src/tree/remote.ts'
import { UsageError } from './usage.ts'

const git = promisify(execFile)
/** How a published site is read: its files are small, and it is a CDN. */
export const REMOTE: RemoteOptions = { timeoutMs: 30_000, attempts: 3, pause: sleep }

/**
 * Reads the files of a tree that is named as people do: a folder, the address of a site, or a revision of the repository
 * around the working folder, `snapshots~1` for example.
 *
 * @throws UsageError when it is none of them
 */
export async function treeReader(place: string): Promise<TreeReader> {
  if (/^https?:\/\//.test(place) || existsSync(join(place, LAYOUT.api))) return readerAt(place, REMOTE)
  const commit = await git('git', ['rev-parse', '--verify', '--quiet', '--end-of-options', `${place}^{commit}`]).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  )
  if (commit === null)
    throw new UsageError(`${place} is no folder with a tree, no address and no revision of the repository here`)
  return (file) =>
    git('git', ['cat-file', 'blob', `${commit}:${file}`], { maxBuffer: MOST_FILE_BYTES }).then(
      ({ stdout }) => stdout,
      // The only thing that git cannot show of a commit that is there is a file that is not.
      () => null,
    )
}
