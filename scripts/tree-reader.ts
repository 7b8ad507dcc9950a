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
import { type RemoteOptions, bytesOf, isSite, placeAt, readerAt } from '../src/core/tree/remote.ts'
import { UsageError } from './usage.ts'

export const REMOTE: RemoteOptions = { timeoutMs: 30_000, attempts: 3, pause: sleep }

export function publisherOf(index: string | null): Publisher & EndpointTable {
  const publisher = publisherIn(index)
  return { ...publisher, ...endpointsOf(publisher.ecosystem) }
}

export const publisherAt = (root: string) => publisherOf(textAt(join(root, LAYOUT.index)))

/** A place is a folder, the URL of a site, or a git revision such as `snapshots~1`. */
export async function treeReader(place: string): Promise<TreeReader> {
  if (isSite(place) || existsSync(join(place, LAYOUT.api))) return readerAt(place, REMOTE)
  const blob = await blobsAt(place)
  return async (file) => (await blob(file))?.toString('utf8') ?? null
}

export async function checkedFiles(place: string): Promise<CheckedFiles> {
  const root = isSite(place) ? null : resolve(place)
  if (root !== null && !existsSync(join(root, LAYOUT.api)) && !isUnfinished(root))
    return { list: null, bytes: await blobsAt(place) }
  const { ask } = placeAt(root ?? place, REMOTE)
  return {
    list: root === null ? null : filesBelow(root, '').filter((file) => !/(^|\/)\./.test(file)),
    async bytes(file) {
      const answer = await ask(file, (body) => bytesOf(body, MOST_FILE_BYTES))
      if ('value' in answer) return answer.value
      if (answer.reason === 'absent') return null
      throw new UsageError(`${place} ${answer.why}.`)
    },
  }
}

async function blobsAt(revision: string): Promise<(file: string) => Promise<Buffer | null>> {
  const git = (args: readonly string[]) =>
    promisify(execFile)('git', args, { maxBuffer: MOST_FILE_BYTES, encoding: 'buffer' }).then(
      ({ stdout }) => stdout,
      () => null,
    )
  const commit = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`])
  if (commit === null)
    throw new UsageError(`${revision} is not a folder with a tree, a URL, or a git revision of this repository.`)
  // The commit exists, so git can only fail because the file does not.
  return (file) => git(['cat-file', 'blob', `${commit.toString().trim()}:${file}`])
}
