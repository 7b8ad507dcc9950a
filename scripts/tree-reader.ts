import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { CheckedFiles } from '../src/check/verify.ts'
import { publisherIn } from '../src/core/endpoints/ecosystem.ts'
import { endpointsOf } from '../src/core/endpoints/table.ts'
import { isUnfinished } from '../src/core/tree/journal.ts'
import { LAYOUT } from '../src/core/tree/layout.ts'
import { MOST_FILE_BYTES, type TreeReader, filesBelow, textAt } from '../src/core/tree/reader.ts'
import { contentAt, isSite, placeAt, readerAt } from '../src/core/tree/remote.ts'
import { UsageError } from './command.ts'

export function publisherOf(index: string | null) {
  const publisher = publisherIn(index)
  return { ...publisher, ...endpointsOf(publisher.ecosystem) }
}

export const publisherAt = (root: string) => publisherOf(textAt(join(root, LAYOUT.index)))

/** Returns a reader of the tree in a folder, on a site, or at the root of a git revision. @throws UsageError if it is none */
export const treeReader = (place: string): TreeReader =>
  isSite(place) || existsSync(join(place, LAYOUT.api)) ? readerAt(place) : revisionReader(place)

function revisionReader(revision: string): TreeReader {
  const git = (...args: readonly string[]) => {
    const { status, stdout } = spawnSync('git', args, { maxBuffer: MOST_FILE_BYTES, encoding: 'utf8' })
    return status === 0 ? stdout : null
  }
  const commit = git('rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`)
  if (commit === null)
    throw new UsageError(`${revision} is not a folder with a tree, the URL of a site, or a git revision.`)
  return async (file) => git('cat-file', 'blob', `${commit.trim()}:${file}`)
}

/** Returns the files of a tree, also of one whose publication was cut off. @throws UsageError if there is none */
export function checkedFiles(place: string): CheckedFiles {
  if (!isSite(place) && !existsSync(join(place, LAYOUT.api)) && !isUnfinished(resolve(place)))
    throw new UsageError(`${place} is not a folder with a tree, or the URL of a site.`)
  return {
    list: isSite(place) ? null : filesBelow(place, '').filter((file) => !/(^|\/)\./.test(file)),
    bytes: (file) => contentAt(placeAt(place), file),
  }
}
