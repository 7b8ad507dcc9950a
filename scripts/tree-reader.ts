import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { CheckedFiles } from '../src/check/verify.ts'
import { type Publisher, publisherIn } from '../src/core/endpoints/ecosystem.ts'
import { type EndpointTable, endpointsOf } from '../src/core/endpoints/table.ts'
import { isUnfinished } from '../src/core/tree/journal.ts'
import { LAYOUT } from '../src/core/tree/layout.ts'
import { MOST_FILE_BYTES, type TreeReader, filesBelow, textAt } from '../src/core/tree/reader.ts'
import { isSite, placeAt, readerAt } from '../src/core/tree/remote.ts'
import { UsageError } from './command.ts'

export function publisherOf(index: string | null): Publisher & EndpointTable {
  const publisher = publisherIn(index)
  return { ...publisher, ...endpointsOf(publisher.ecosystem) }
}

export const publisherAt = (root: string) => publisherOf(textAt(join(root, LAYOUT.index)))

/** Returns a place that has a tree, even one whose publication was cut off. @throws UsageError if it has none */
function withTree(place: string): string {
  if (isSite(place) || existsSync(join(place, LAYOUT.api)) || isUnfinished(resolve(place))) return place
  throw new UsageError(`${place} is not a folder with a tree, or the URL of a site.`)
}

export const treeReader = (place: string): TreeReader => readerAt(withTree(place))

export function checkedFiles(place: string): CheckedFiles {
  const { ask } = placeAt(withTree(place))
  return {
    list: isSite(place) ? null : filesBelow(place, '').filter((file) => !/(^|\/)\./.test(file)),
    async bytes(file) {
      const answer = await ask(file, MOST_FILE_BYTES)
      if ('content' in answer) return answer.content
      if (answer.reason === 'absent') return null
      throw new UsageError(`${place} ${answer.why}.`)
    },
  }
}
