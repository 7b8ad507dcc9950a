import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { CheckedFiles } from '../src/check/verify.ts'
import { type Publisher, publisherIn } from '../src/core/endpoints/ecosystem.ts'
import { type EndpointTable, endpointsOf } from '../src/core/endpoints/table.ts'
import { isUnfinished } from '../src/core/tree/journal.ts'
import { LAYOUT } from '../src/core/tree/layout.ts'
import { MOST_FILE_BYTES, type TreeReader, filesBelow, textAt } from '../src/core/tree/reader.ts'
import { bytesOf, isSite, placeAt, readerAt } from '../src/core/tree/remote.ts'
import { UsageError } from './usage.ts'

export function publisherOf(index: string | null): Publisher & EndpointTable {
  const publisher = publisherIn(index)
  return { ...publisher, ...endpointsOf(publisher.ecosystem) }
}

export const publisherAt = (root: string) => publisherOf(textAt(join(root, LAYOUT.index)))

/** Returns a reader of the tree in a folder or on a site. @throws UsageError if a folder holds none */
export function treeReader(place: string): TreeReader {
  refuseOther(place)
  return readerAt(place)
}

/** Returns the files of a tree, also of one whose publication was cut off. */
export function checkedFiles(place: string): CheckedFiles {
  if (!isUnfinished(resolve(place))) refuseOther(place)
  const { ask } = placeAt(place)
  return {
    list: isSite(place) ? null : filesBelow(place, '').filter((file) => !/(^|\/)\./.test(file)),
    async bytes(file) {
      const answer = await ask(file, (body) => bytesOf(body, MOST_FILE_BYTES))
      if ('value' in answer) return answer.value
      if (answer.reason === 'absent') return null
      throw new UsageError(`${place} ${answer.why}.`)
    },
  }
}

function refuseOther(place: string): void {
  if (!isSite(place) && !existsSync(join(place, LAYOUT.api)))
    throw new UsageError(`${place} is not a folder with a tree, or the URL of a site.`)
}
