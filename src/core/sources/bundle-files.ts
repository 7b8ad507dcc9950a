import { readFileSync, readdirSync, statSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  type Bundle,
  BUNDLE_ENDING,
  BUNDLE_LIMITS,
  BundleError,
  type BundleLimits,
  type NamedFile,
  decodeBundle,
  encodeBundle,
} from './bundle.ts'
import type { BundleRead } from './merge-recordings.ts'

export function writeBundle(folder: string, bundle: Bundle): { readonly path: string; readonly bytes: number } {
  const file = encodeBundle(bundle)
  return { path: writeWhole(folder, file), bytes: file.bytes.length }
}

interface OfferedBundle {
  readonly name: string
  readonly load: () => Buffer | Promise<Buffer>
}

/** Returns the bundles in a folder and the folders below it, or the file itself. Drafts are no bundles. */
export function bundlesIn(place: string): OfferedBundle[] {
  try {
    const paths = statSync(place).isDirectory()
      ? readdirSync(place, { recursive: true, encoding: 'utf8' })
          .filter((file) => file.endsWith(BUNDLE_ENDING) && !basename(file).startsWith('.'))
          .toSorted()
          .map((file) => join(place, file))
      : [place]
    return paths.map((path) => ({ name: basename(path), load: () => bytesOf(path) }))
  } catch (cause) {
    return [notLoaded(place, unreadable(cause))]
  }
}

const notLoaded = (name: string, error: BundleError): OfferedBundle => ({
  name,
  load: () => Promise.reject(error),
})

/** Returns the bytes of a regular file. A pipe would be read for ever, and a file larger than any bundle is not read. */
function bytesOf(path: string): Buffer {
  try {
    const stats = statSync(path)
    if (!stats.isFile()) throw new BundleError('unreadable', 'it is not a regular file')
    if (stats.size <= BUNDLE_LIMITS.bytes) return readFileSync(path)
    throw new BundleError('too_large', `it has ${stats.size} bytes and at most ${BUNDLE_LIMITS.bytes} are read`)
  } catch (cause) {
    throw cause instanceof BundleError ? cause : unreadable(cause)
  }
}

const unreadable = (cause: unknown): BundleError =>
  new BundleError('unreadable', `it cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`)

/** Reads the bundles of one place. A bad one costs no other anything; the limits of the text hold for all together. */
export async function readBundles(offered: readonly OfferedBundle[], limits: BundleLimits = BUNDLE_LIMITS) {
  const read: BundleRead[] = []
  let textBytes = limits.textBytes
  for (const { name, load } of offered) {
    if (read.length === limits.files) {
      const message = `it is one of ${offered.length} recordings, and at most ${limits.files} of one place are read`
      return [...read, { name, result: new BundleError('too_many', message) }]
    }
    try {
      const result = decodeBundle({ name, bytes: await load() }, { ...limits, textBytes })
      textBytes -= result.textBytes
      read.push({ name, result })
    } catch (error) {
      if (!(error instanceof BundleError)) throw error
      read.push({ name, result: error })
    }
  }
  return read
}

export async function bundlesAt(places: readonly string[]): Promise<BundleRead[]> {
  const read: BundleRead[] = []
  for (const place of places) read.push(...(await readBundles(bundlesIn(place))))
  return read
}

/** Writes a file by a rename: a reader never sees a part of it, and the same bytes have the same name. */
export function writeWhole(folder: string, { name, bytes }: NamedFile): string {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, name)
  const draft = join(folder, `.${name}.${process.pid}`)
  try {
    writeFileSync(draft, bytes)
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  return path
}
