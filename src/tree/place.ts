import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { type TreeReader, statsAt } from './reader.ts'
import { type Answer, type RemoteOptions, type TakeBody, askSite, fileOnSite, isSite, readerAt } from './remote.ts'

/** A source of the last publication: a folder or a site with a checkpoint, a tree, or both. */
export interface Place {
  /** As given by the user. */
  readonly name: string
  /** Passes the body of a file to `take`, or returns why there is none. Retries an interrupted body. */
  ask<Value>(file: string, take: TakeBody<Value>): Promise<Answer<Value>>
  /** Reads the files of its tree. */
  readonly read: TreeReader
  readonly pause: RemoteOptions['pause']
}

/** Returns the place with this name, a URL or a folder. */
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
