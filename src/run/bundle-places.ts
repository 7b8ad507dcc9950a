import * as z from 'zod'
import { readJson } from '../contract/read-json.ts'
import { type OfferedBundle, bundlesIn, readBundles } from '../sources/bundle-files.ts'
import { BUNDLE_ENDING, BUNDLE_LIMITS, BundleError } from '../sources/bundle.ts'
import type { BundleRead } from '../sources/merge-recordings.ts'
import { type RemoteOptions, askSite, bytesOf, fileOnSite, isSite } from '../tree/remote.ts'

/** The list of bundles at an address that is no bundle itself. */
const BUNDLE_INDEX = 'bundles.json'
const Index = z.object({ bundles: z.array(z.string().max(300)).max(10_000) })
const MOST_INDEX_BYTES = 4 * 2 ** 20

/** A bundle below the address of its index, in plain characters. */
const BELOW = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/

/**
 * Reads the bundles in folders, files and addresses. An address is that of a bundle, or of a folder whose `bundles.json`
 * names its bundles. Nothing is thrown for a bad or missing bundle: it says what is wrong.
 */
export async function bundlesAt(places: readonly string[], options: RemoteOptions): Promise<BundleRead[]> {
  const read: BundleRead[] = []
  for (const place of places)
    read.push(...(await readBundles(isSite(place) ? await bundlesOnSite(place, options) : bundlesIn(place))))
  return read
}

async function bundlesOnSite(place: string, options: RemoteOptions): Promise<OfferedBundle[]> {
  if (place.endsWith(BUNDLE_ENDING)) return [onSite(new URL(place), options)]
  const url = fileOnSite(place, BUNDLE_INDEX)
  const index = await body(url, MOST_INDEX_BYTES, options)
  const names = Buffer.isBuffer(index) ? readJson(index.toString('utf8'), Index)?.bundles : undefined
  if (names) return names.map((name) => named(place, name, options))
  const why = Buffer.isBuffer(index) ? 'is not a list of recordings' : index.message
  // The path may be a secret of the collector.
  return [{ name: `${url.host}/${BUNDLE_INDEX}`, load: () => new BundleError('unreadable', `it ${why}`) }]
}

/** Returns a bundle that an index names. A name that leads elsewhere is not followed. */
const named = (place: string, name: string, options: RemoteOptions): OfferedBundle =>
  BELOW.test(name)
    ? onSite(fileOnSite(place, name), options)
    : {
        name,
        load: () => new BundleError('unreadable', `${BUNDLE_INDEX} names it, which is not the path of a recording`),
      }

const onSite = (url: URL, options: RemoteOptions): OfferedBundle => ({
  name: url.pathname.split('/').at(-1) ?? '',
  load: () => body(url, BUNDLE_LIMITS.bytes, options),
})

async function body(url: URL, most: number, options: RemoteOptions): Promise<Buffer | BundleError> {
  const answer = await askSite(url, (chunks) => bytesOf(chunks, most), options)
  if (!('value' in answer)) return new BundleError('unreadable', answer.why)
  return answer.value ?? new BundleError('too_large', `it has more than ${most} bytes`)
}
