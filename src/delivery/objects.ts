import { extname } from 'node:path'
import { CONTENT_TYPES } from '../core/contract/content-types.ts'
import { isPart } from '../core/contract/manifest.ts'
import { encode } from '../service/coding.ts'
import { DOCUMENT_CACHE } from '../service/headers.ts'
import { RANGED } from '../service/ranges.ts'
import { isDocument } from '../core/tree/layout.ts'

export interface Stored {
  readonly key: string
  readonly body: Uint8Array
  readonly contentType: string
  readonly cacheControl: string
  readonly contentEncoding: 'gzip' | null
}

/** An object store. Every call rejects with a DeliveryError on failure. */
export interface ObjectStore {
  /** For messages: `s3://bucket/prefix`. */
  readonly name: string
  /** The ETag of every object by key: the MD5 of the body, unless the store encrypts with keys of its customer. */
  list(): Promise<ReadonlyMap<string, string>>
  /** Returns the text of an object, or null if there is none. */
  read(key: string): Promise<string | null>
  put(object: Stored): Promise<void>
  remove(key: string): Promise<void>
}

const TYPES: Readonly<Record<string, string>> = {
  ...CONTENT_TYPES,
  '.atom': 'application/atom+xml; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
}

const typeOf = (file: string): string => TYPES[extname(file)] ?? 'application/octet-stream'

/** Smaller answers fit one packet: 1,500 bytes of Ethernet minus the headers. */
const ONE_PACKET = 1400

/**
 * Returns the keys of a file: its name, and its request path. `api/mkt/assets.json` is also `api/mkt/assets`. A page is also
 * its path.
 */
export function keysOf(file: string): string[] {
  if (file.endsWith('.html')) {
    const path = file.replace(/(^|\/)index\.html$/, '').replace(/\.html$/, '')
    return path === '' ? [file] : [file, path]
  }
  // A request for each part and its path would double the writes of a small tree: readers take its name from the manifest.
  const isAsked = isDocument(file) && !isPart(file) && !/\/[^/]*=[^/]*$/.test(file)
  return isAsked ? [file, file.slice(0, -'.json'.length)] : [file]
}

/** Returns what is stored of a file under each of its keys. */
export async function objectOf(file: string, body: Uint8Array): Promise<Omit<Stored, 'key'>> {
  const head = { contentType: typeOf(file), cacheControl: DOCUMENT_CACHE }
  // A compressed object has no ranges.
  const isEncoded = body.byteLength > ONE_PACKET && !RANGED.test(file)
  const small = isEncoded ? await encode(body, 'gzip') : body
  // Savings below a tenth are not worth the decompression.
  return small.byteLength < body.byteLength * 0.9
    ? { ...head, body: small, contentEncoding: 'gzip' }
    : { ...head, body, contentEncoding: null }
}
