import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { fetch } from 'undici'
import { RestoreError } from './restore-error.ts'
import { isCode } from './tree-error.ts'

/** Reads a file of a tree that stands elsewhere; null where there is none, or one of more than `most` bytes. */
export type Elsewhere = (file: string, most: number) => Promise<string | null>

export interface Asking {
  /** How long one file may take, in ms. */
  readonly timeoutMs: number
  readonly attempts: number
  readonly pause: (ms: number) => Promise<unknown>
}

/**
 * A tree in a folder, or on a site: the address below which `api/mkt.json` stands. A site is asked again when it does not
 * answer or answers 429 or 5xx.
 *
 * @throws RestoreError `unreachable`, from the reader: the site may hold a tree, and nobody can tell
 */
export function elsewhere(place: string, asking: Asking): Elsewhere {
  if (!/^https?:\/\//.test(place)) return (file, most) => fromFolder(join(place, file), most)
  const base = place.endsWith('/') ? place : `${place}/`
  return async (file, most) => {
    const url = new URL(file.split('/').map(encodeURIComponent).join('/'), base)
    for (let attempt = 1; ; attempt++) {
      const answer = await ask(url, most, asking.timeoutMs)
      if (!('why' in answer)) return answer.text
      if (attempt === asking.attempts)
        throw new RestoreError('unreachable', `${url.href} ${answer.why}, asked ${attempt} times`, {
          cause: answer.cause,
        })
      await asking.pause(500 * 2 ** attempt)
    }
  }
}

type Answer = { readonly text: string | null } | { readonly why: string; readonly cause?: unknown }

async function ask(url: URL, most: number, timeoutMs: number): Promise<Answer> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
    if (response.status === 429 || response.status >= 500) {
      await response.body?.cancel()
      return { why: `answers ${response.status}` }
    }
    if (response.status !== 200) {
      await response.body?.cancel()
      return { text: null }
    }
    return { text: await textOf(response.body ?? [], most) }
  } catch (cause) {
    return { why: `cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, cause }
  }
}

async function fromFolder(path: string, most: number): Promise<string | null> {
  try {
    return await textOf(createReadStream(path), most)
  } catch (error) {
    if (isCode(error, 'ENOENT') || isCode(error, 'EISDIR') || isCode(error, 'ENOTDIR')) return null
    throw error
  }
}

/** What a body holds; null as soon as it is longer than `most` bytes. */
async function textOf(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, most: number): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > most) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
