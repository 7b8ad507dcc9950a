import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { type TreeReader, statsAt } from './reader.ts'
import { type Answer, type RemoteOptions, type TakeBody, askSite, fileOnSite, isSite, readerAt } from './remote.ts'

/** Where a publication may be gone on from: a folder or a site with a state archive, a tree, or both. */
export interface Place {
  /** As it was named. */
  readonly name: string
  /** Hands over the body of a file, or tells why there is none. A body that breaks off is asked for again. */
  ask<Value>(file: string, take: TakeBody<Value>): Promise<Answer<Value>>
  /** Reads the tree that is there file by file. */
  readonly read: TreeReader
  readonly pause: RemoteOptions['pause']
}

/** The place of this name: an address, or a folder. */
export function placeAt(name: string, options: RemoteOptions): Place {
  const { pause } = options
  const read = readerAt(name, options)
  if (isSite(name)) return { name, read, pause, ask: (file, take) => askSite(fileOnSite(name, file), take, options) }
  return {
    name,
    read,
    pause,
    async ask(file, take) {
      const path = join(name, file)
      if (statsAt(path) === null) return { reason: 'absent', why: 'is not there' }
      return { value: await take(createReadStream(path)) }
    },
  }
}
