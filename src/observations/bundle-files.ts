import { readFileSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  type Bundle,
  BUNDLE_ENDING,
  BUNDLE_LIMITS,
  BundleError,
  type NamedFile,
  decodeBundle,
  encodeBundle,
} from './bundle.ts'
import type { BundleRead } from './merge.ts'
import { writeWhole } from './whole-file.ts'

/** Writes a bundle into a folder. Returns its path, and its size in bytes. */
export function writeBundle(folder: string, bundle: Bundle): { readonly path: string; readonly bytes: number } {
  const file = encodeBundle(bundle)
  return { path: writeWhole(folder, file), bytes: file.bytes.length }
}

/** Returns the paths of the bundles in a folder and the folders below it, or the file itself. Drafts are no bundles. */
export function bundlePaths(place: string): string[] {
  if (statSync(place).isFile()) return [place]
  return readdirSync(place, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(BUNDLE_ENDING) && !basename(file).startsWith('.'))
    .toSorted()
    .map((file) => join(place, file))
}

/** Returns a bundle from a disk. A file that is larger than any bundle is not read. */
export function fileAt(path: string): NamedFile | BundleRead {
  const { size } = statSync(path)
  const name = basename(path)
  if (size <= BUNDLE_LIMITS.bytes) return { name, bytes: readFileSync(path) }
  return {
    name,
    result: new BundleError('too_large', `it has ${size} bytes and at most ${BUNDLE_LIMITS.bytes} are read`),
  }
}

/** Reads bundles. A bad one says why it is. */
export const readBundles = (files: readonly (NamedFile | BundleRead)[]): BundleRead[] =>
  files.map((file) => ('result' in file ? file : { name: file.name, result: orError(() => decodeBundle(file)) }))

function orError<Value>(read: () => Value): Value | BundleError {
  try {
    return read()
  } catch (error) {
    if (error instanceof BundleError) return error
    throw error
  }
}
