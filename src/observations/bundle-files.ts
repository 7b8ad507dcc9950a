import { readFileSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  BUNDLE_ENDING,
  BUNDLE_LIMITS,
  BundleError,
  type NamedFile,
  OPENING_ENDING,
  type Opening,
  decodeBundle,
  decodeOpening,
} from './bundle.ts'
import type { BundleRead } from './merge.ts'
import { writeWhole } from './whole-file.ts'
import { type Withheld, opened } from './withhold.ts'

/** Folder of the openings beside the bundles. They stay with the publisher. */
export const PRIVATE_FOLDER = 'private'

/** Writes a bundle, and its opening into a folder of its own. Returns the path of the bundle. */
export function writeBundle(folder: string, { bundle, opening }: Withheld): string {
  if (opening) writeWhole(join(folder, PRIVATE_FOLDER), opening)
  return writeWhole(folder, bundle)
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

/** Reads bundles, and opens those that withhold rows with the openings among the files. A bad one says why it is. */
export function readBundles(files: readonly (NamedFile | BundleRead)[]): BundleRead[] {
  const openings = new Map<string, Opening>()
  for (const file of files) {
    if ('result' in file || !file.name.endsWith(OPENING_ENDING)) continue
    const opening = orError(() => decodeOpening(file))
    // A bad opening is none: its bundle says that its rows are withheld.
    if (!(opening instanceof BundleError)) openings.set(opening.header.bundle, opening)
  }
  return files
    .filter(({ name }) => !name.endsWith(OPENING_ENDING))
    .map((file): BundleRead => {
      if ('result' in file) return file
      const digest = /([0-9a-f]{64})\.ndjson\.gz$/.exec(file.name)?.[1] ?? ''
      return { name: file.name, result: orError(() => opened(decodeBundle(file), openings.get(digest) ?? null)) }
    })
}

function orError<Value>(read: () => Value): Value | BundleError {
  try {
    return read()
  } catch (error) {
    if (error instanceof BundleError) return error
    throw error
  }
}
