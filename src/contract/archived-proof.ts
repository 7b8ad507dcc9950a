import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { ReadFile } from './log-proof.ts'
import { isObject, parseJson } from './read-json.ts'

/** The document of a snapshot file that proves the others: the proof of its run, and the lists of the manifest, by path. */
export const PROOFS = 'proof.json'

const ROW = /("path":"([^"]+)","bytes":\d+,"sha256":")([0-9a-f]*)"/g

/** Returns a list of the manifest without the digests of documents that are archived with it, from which they follow. */
export const withoutDigests = (list: string, isArchived: (path: string) => boolean): string =>
  list.replaceAll(ROW, (row, start: string, path: string) => (isArchived(path) ? `${start}"` : row))

/** Returns a reader of the files that prove a document of a snapshot file. @param read returns a document of it */
export async function provingFiles(read: (path: string) => Promise<string | null>): Promise<ReadFile> {
  const parsed = parseJson((await read(PROOFS)) ?? '')
  const lists = new Map(isObject(parsed) ? Object.entries(parsed) : [])
  return async (file) => {
    const list = lists.get(file)
    if (typeof list !== 'string') {
      const text = await read(file)
      return text === null ? null : utf8ToBytes(text)
    }
    const digests = new Map<string, string>()
    for (const [, , path = '', digest] of list.matchAll(ROW))
      // eslint-disable-next-line no-await-in-loop -- neighbours are in one entry, which the reader keeps
      if (digest === '') digests.set(path, bytesToHex(sha256(utf8ToBytes((await read(path)) ?? ''))))
    const whole = (row: string, start: string, path: string) =>
      digests.has(path) ? `${start}${digests.get(path)}"` : row
    return utf8ToBytes(list.replaceAll(ROW, whole))
  }
}
