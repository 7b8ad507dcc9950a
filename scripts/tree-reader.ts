import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { PREFIX } from '../src/contract/words.ts'
import type { ReadFile } from '../src/changes/tree-facts.ts'
import { elsewhere } from '../src/tree/remote.ts'
import { UsageError } from './usage.ts'

const git = promisify(execFile)
const LARGEST = 256 * 2 ** 20
const ASKING = { timeoutMs: 30_000, attempts: 3, pause: sleep }

/**
 * Reads the files of a tree that is named as people do: a folder, the address of a site, or a revision of the repository
 * around the working folder, `snapshots~1` for example.
 *
 * @throws UsageError when it is none of them
 */
export async function treeReader(place: string): Promise<ReadFile> {
  if (/^https?:\/\//.test(place)) {
    const read = elsewhere(place, ASKING)
    return (file) => read(file, LARGEST)
  }
  if (existsSync(join(place, PREFIX.slice(1))))
    return (file) =>
      readFile(join(place, file), 'utf8').catch((error: unknown) => {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
        throw error
      })
  const commit = await git('git', ['rev-parse', '--verify', '--quiet', '--end-of-options', `${place}^{commit}`]).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  )
  if (commit === null)
    throw new UsageError(`${place} is no folder with a tree, no address and no revision of the repository here`)
  return (file) =>
    git('git', ['cat-file', 'blob', `${commit}:${file}`], { maxBuffer: LARGEST }).then(
      ({ stdout }) => stdout,
      // The only thing that git cannot show of a commit that is there is a file that is not.
      () => null,
    )
}
