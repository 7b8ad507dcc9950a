import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { CheckedFiles } from '../src/check/verify.ts'
import { type Publisher, publisherIn } from '../src/core/endpoints/ecosystem.ts'
import { type EndpointTable, endpointsOf } from '../src/core/endpoints/table.ts'
import { isUnfinished } from '../src/core/tree/journal.ts'
import { LAYOUT } from '../src/core/tree/layout.ts'
import { MOST_FILE_BYTES, type TreeReader, filesBelow, textAt } from '../src/core/tree/reader.ts'
import { type Answer, type RemoteOptions, bytesOf, isSite, placeAt, readerAt } from '../src/core/tree/remote.ts'
import { UsageError } from './usage.ts'

const git = promisify(execFile)
/** Timeout and retries for reading a published site, which serves small files from a CDN. */
export const REMOTE: RemoteOptions = { timeoutMs: 30_000, attempts: 3, pause: sleep }

/** Returns who publishes the tree of an index, and the endpoints that it has. */
function publisherOfIndex(index: string | null): Publisher & EndpointTable {
  const publisher = publisherIn(index)
  return { ...publisher, ...endpointsOf(publisher.ecosystem) }
}

/** Returns who publishes the tree in a folder. */
export const publisherAt = (root: string) => publisherOfIndex(textAt(join(root, LAYOUT.index)))

/** Returns who publishes a tree that is read from elsewhere. */
export const publisherOf = async (read: TreeReader) => publisherOfIndex(await read(LAYOUT.index))

/**
 * Returns a reader of the tree at a folder, at the URL of a site, or at a git revision of the current repository, such as
 * `snapshots~1`.
 *
 * @throws UsageError if it is none of them
 */
export async function treeReader(place: string): Promise<TreeReader> {
  if (isSite(place) || existsSync(join(place, LAYOUT.api))) return readerAt(place, REMOTE)
  const blob = await blobsAt(place)
  return async (file) => (await blob(file))?.toString('utf8') ?? null
}

/** Returns the content of an answer; null if there is none. @throws UsageError if the place cannot be read */
function contentOf(answer: Answer<Buffer | null>): Buffer | null {
  if ('value' in answer) return answer.value
  if (answer.reason === 'absent') return null
  throw new UsageError(`The place cannot be read: ${answer.why}.`)
}

/**
 * Returns the files of the tree at a folder, a site or a git revision, to be checked.
 *
 * @throws UsageError if it is none of them
 */
export async function checkedFiles(place: string): Promise<CheckedFiles> {
  const root = resolve(place)
  if (isSite(place) || existsSync(join(root, LAYOUT.api)) || isUnfinished(root)) {
    const { ask } = placeAt(isSite(place) ? place : root, REMOTE)
    const list = isSite(place) ? null : filesBelow(root, '').filter((file) => !/(^|\/)\./.test(file))
    return { list, bytes: async (file) => contentOf(await ask(file, (body) => bytesOf(body, MOST_FILE_BYTES))) }
  }
  return { list: null, bytes: await blobsAt(place) }
}

/** Returns a reader of the files of a git revision. @throws UsageError if it is none */
async function blobsAt(revision: string): Promise<(file: string) => Promise<Buffer | null>> {
  const asked = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]
  const commit = await git('git', asked).then(
    ({ stdout }) => stdout.trim(),
    () => null,
  )
  if (commit === null)
    throw new UsageError(`${revision} is not a folder with a tree, a URL, or a git revision of this repository.`)
  const options = { maxBuffer: MOST_FILE_BYTES, encoding: 'buffer' } as const
  return (file) =>
    git('git', ['cat-file', 'blob', `${commit}:${file}`], options).then(
      ({ stdout }) => stdout,
      // The commit exists, so git can only fail because the file does not.
      () => null,
    )
}
