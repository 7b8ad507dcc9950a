import * as z from 'zod'
import { readJson } from '../contract/read-json.ts'
import { bundlePaths, fileAt, readBundles } from '../observations/bundle-files.ts'
import { BUNDLE_ENDING, BUNDLE_LIMITS, BundleError, type NamedFile } from '../observations/bundle.ts'
import type { BundleRead } from '../observations/merge.ts'
import { type RemoteOptions, askSite, fileOnSite, isSite } from '../tree/remote.ts'

/** The list of bundles at an address that is no bundle itself. */
export const BUNDLE_INDEX = 'bundles.json'
const Index = z.object({ bundles: z.array(z.string().max(300)).max(10_000) })
const MOST_INDEX_BYTES = 4 * 2 ** 20

/**
 * Reads the bundles in folders, files and addresses. An address is that of a bundle, or of a folder whose `bundles.json`
 * names its bundles. Nothing is thrown for a bad or missing bundle: it says what is wrong.
 */
export async function bundlesAt(places: readonly string[], options: RemoteOptions): Promise<BundleRead[]> {
  const files = await Promise.all(
    places.map(async (place) => (isSite(place) ? siteFiles(place, options) : folderFiles(place))),
  )
  return readBundles(files.flat())
}

function folderFiles(place: string): (NamedFile | BundleRead)[] {
  try {
    return bundlePaths(place).map(fileAt)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    return [{ name: place, result: new BundleError('truncated', `it cannot be read: ${why}`) }]
  }
}

async function siteFiles(place: string, options: RemoteOptions): Promise<(NamedFile | BundleRead)[]> {
  if (place.endsWith(BUNDLE_ENDING)) return [await siteFile(new URL(place), options)]
  const url = fileOnSite(place, BUNDLE_INDEX)
  const index = await body(url, MOST_INDEX_BYTES, options)
  const names = Buffer.isBuffer(index) ? readJson(index.toString('utf8'), Index)?.bundles : undefined
  if (names) return Promise.all(names.map((name) => siteFile(fileOnSite(place, name), options)))
  const why = Buffer.isBuffer(index) ? 'is no list of bundles' : index.message
  // The path may be a secret of the collector.
  return [{ name: `${url.host}/${BUNDLE_INDEX}`, result: new BundleError('truncated', `it ${why}`) }]
}

async function siteFile(url: URL, options: RemoteOptions): Promise<NamedFile | BundleRead> {
  const name = decodeURIComponent(url.pathname.split('/').at(-1) ?? '')
  const bytes = await body(url, BUNDLE_LIMITS.bytes, options)
  return Buffer.isBuffer(bytes) ? { name, bytes } : { name, result: bytes }
}

/** Returns the body at an address, or why there is none. */
async function body(url: URL, most: number, options: RemoteOptions): Promise<Buffer | BundleError> {
  const answer = await askSite(url, (chunks) => upTo(chunks, most), options)
  if (!('value' in answer)) return new BundleError('truncated', answer.why)
  return answer.value ?? new BundleError('too_large', `it has more than ${most} bytes`)
}

async function upTo(chunks: AsyncIterable<Uint8Array>, most: number): Promise<Buffer | null> {
  const read: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    if (bytes > most) return null
    read.push(chunk)
  }
  return Buffer.concat(read)
}
