import { createHash } from 'node:crypto'
import { extname } from 'node:path'
import { CONTENT_TYPES } from '../contract/content-types.ts'
import { type EndpointSpec, cuttingParameter, fileOf, queryParameters } from '../contract/endpoint-spec.ts'
import { encode } from '../service/coding.ts'
import { DOCUMENT_CACHE } from '../service/headers.ts'
import { isDocument } from '../tree/layout.ts'
import type { Stored } from './object-store.ts'

/** How a tree is laid out in a store. */
export interface Layout {
  /** Store bodies as gzip where that saves much. Off for a CDN that compresses by itself. */
  readonly gzip: boolean
  /**
   * Store each document under its path as well as under its file name, so that a bare bucket answers the paths. Off for
   * stores that keep keys as files and folders, where `api/mkt/assets` cannot stand beside `api/mkt/assets/bitcoin`.
   */
  readonly paths: boolean
}

const TYPES: Readonly<Record<string, string>> = {
  ...CONTENT_TYPES,
  '.atom': 'application/atom+xml; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
}

const typeOf = (file: string): string => TYPES[extname(file)] ?? 'application/octet-stream'

/** Below this an answer fits one packet anyhow: 1,500 bytes of Ethernet less the headers. */
const ONE_PACKET = 1400

/** A digest of all that decides how objects are stored, beside the bytes of their documents. */
export const digestOf = (layout: Layout): string =>
  createHash('sha256')
    .update(JSON.stringify([layout, TYPES, DOCUMENT_CACHE, ONE_PACKET]))
    .digest('hex')
    .slice(0, 16)

/**
 * The keys of a file: its name, and the path that asks for it. `api/mkt/assets.json` is also `api/mkt/assets`; of a range
 * that is the default, `history/bitcoin/days=7.json` is also `history/bitcoin`; a page is also its path.
 */
export function keysOf(file: string, specs: readonly EndpointSpec[], { paths }: Layout): string[] {
  if (!paths) return [file]
  if (file.endsWith('.html')) {
    const path = file.replace(/(^|\/)index\.html$/, '').replace(/\.html$/, '')
    return path === '' ? [file] : [file, path]
  }
  if (!isDocument(file)) return [file]
  const [path, choice] = file.slice(0, -'.json'.length).split(/\/(?=[^/]*=)/)
  if (path === undefined || (choice !== undefined && !defaultsOf(specs).has(choice))) return [file]
  return [file, path]
}

/** `days=7`: what a request means that leaves the parameter out. */
const defaultsOf = (specs: readonly EndpointSpec[]): ReadonlySet<string> =>
  new Set(
    specs
      .flatMap(queryParameters)
      .flatMap(([name, parameter]) => (parameter.default === undefined ? [] : [`${name}=${parameter.default}`])),
  )

/**
 * In which wave a file goes up: what is named before what names it. First the documents of single assets and what stands
 * beside the API, then the lists, then what tells of all: collector, manifest, index.
 */
export function waveOf(file: string, specs: readonly EndpointSpec[], last: readonly string[]): number {
  if (last.includes(file)) return 2 + last.indexOf(file)
  const isList = specs.some((spec) => {
    if (spec.path.includes(':')) return false
    const [whole, cutting] = [fileOf(spec, {}), cuttingParameter(spec)]
    if (file === whole) return true
    return cutting !== undefined && file.startsWith(`${whole.slice(0, -'.json'.length)}/${cutting}=`)
  })
  return isList ? 1 : 0
}

/** The object that a key of a file is stored as. */
export async function objectOf(key: string, file: string, body: Uint8Array, { gzip }: Layout): Promise<Stored> {
  const head = { key, contentType: typeOf(file), cacheControl: DOCUMENT_CACHE }
  const small = gzip && body.byteLength > ONE_PACKET ? await encode(body, 'gzip') : body
  // A tenth is the least that is worth the reader's work.
  return small.byteLength < body.byteLength * 0.9
    ? { ...head, body: small, contentEncoding: 'gzip' }
    : { ...head, body, contentEncoding: null }
}
