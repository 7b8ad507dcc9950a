import * as z from 'zod'
import { readJson } from '../contract/read-json.ts'
import { type OfferedBundle, bundlesIn, notLoaded, readBundles } from '../sources/bundle-files.ts'
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
  const answer = await askSite(url, (chunks) => bytesOf(chunks, MOST_INDEX_BYTES), options)
  const names = 'value' in answer ? readJson(answer.value?.toString('utf8') ?? null, Index)?.bundles : undefined
  if (names) return names.map((name) => named(place, name, options))
  const why = 'value' in answer ? 'is not a list of recordings' : answer.why
  // The path may be a secret of the collector.
  return [notLoaded(`${url.host}/${BUNDLE_INDEX}`, new BundleError('unreadable', `it ${why}`))]
}

/** Returns a bundle that an index names. A name that leads elsewhere is not followed. */
const named = (place: string, name: string, options: RemoteOptions): OfferedBundle =>
  BELOW.test(name)
    ? onSite(fileOnSite(place, name), options)
    : notLoaded(name, new BundleError('unreadable', `${BUNDLE_INDEX} names it, which is not the path of a recording`))

const onSite = (url: URL, options: RemoteOptions): OfferedBundle => ({
  name: url.pathname.split('/').at(-1) ?? '',
  async load() {
    const { bytes: most } = BUNDLE_LIMITS
    const answer = await askSite(url, (chunks) => bytesOf(chunks, most), options)
    if (!('value' in answer)) throw new BundleError('unreadable', answer.why)
    if (answer.value === null) throw new BundleError('too_large', `it has more than ${most} bytes`)
    return answer.value
  },
})
