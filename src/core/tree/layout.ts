import { join } from 'node:path'
import { sha256Of } from '../contract/digest.ts'
import { fileOf } from '../contract/endpoint-spec.ts'
import { TABLE_LIST } from '../contract/paths.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { collector, manifest } from '../endpoints/operations.ts'
import { head } from '../endpoints/api-index.ts'
import { isPart } from '../contract/manifest.ts'

/** Files of a published tree that the program reads by name, relative to its root. */
export const LAYOUT = {
  api: API_FOLDER,
  index: `${API_FOLDER}.json`,
  manifest: fileOf(manifest, {}),
  collector: fileOf(collector, {}),
  head: fileOf(head, {}),
} as const

/** Files that change with every run: the index has their digests, or is one of them. */
export const UNLISTED: readonly string[] = [LAYOUT.collector, LAYOUT.index, LAYOUT.head, TABLE_LIST]

/**
 * Temporary files, inside the tree so that a rename never crosses file systems. Hosts do not serve names that begin with a
 * dot.
 */
export const WORK = { lock: '.lock', journal: '.journal', staging: '.staging' } as const

/** Returns where a file of a publication is staged: all in one folder, which is made and removed at once. */
export const stagedFile = (file: string): string => join(WORK.staging, sha256Of(file).slice(0, 32))

export const isDocument = (file: string): boolean =>
  file.endsWith('.json') && (file === LAYOUT.index || file.startsWith(`${LAYOUT.api}/`))

/** Suffixes of precompressed files, which hosts send unchanged to clients that accept the encoding. */
export const ENCODINGS = ['.gz', '.br'] as const

/** Returns the file that a precompressed file is the twin of, or the file itself. A part of the tables is no twin. */
export const originalOf = (file: string): string => {
  if (file.endsWith('.jsonl.gz')) return file
  const suffix = ENCODINGS.find((end) => file.endsWith(end))
  return suffix === undefined ? file : file.slice(0, -suffix.length)
}

/** Files that name all others, in order of publication. */
const LAST: readonly string[] = [LAYOUT.collector, LAYOUT.manifest, TABLE_LIST, LAYOUT.index, LAYOUT.head]

/** More than the folders of any file. */
const MOST_DEPTH = 16

/**
 * Returns the place of a file in the order of publication: files beside the API, such as tables, then documents before the
 * lists that link to them, then the parts of the manifest, the manifest, the list of tables, the index and its head. A `limit`
 * variant is a list too.
 */
export function waveOf(file: string): number {
  const last = LAST.indexOf(file)
  if (last >= 0) return MOST_DEPTH + 2 + last
  if (isPart(file)) return MOST_DEPTH
  if (!file.startsWith(`${API_FOLDER}/`)) return 0
  return MOST_DEPTH - file.replace(/\/limit=\d+(?=\.json$)/, '').split('/').length
}

/** Compares files by {@link waveOf}. The precompressed files of a document come just before it, so that they are never older. */
export function inOrderOfPublication(a: string, b: string): number {
  const [one, other] = [originalOf(a), originalOf(b)]
  return waveOf(one) - waveOf(other) || (one < other ? -1 : one > other ? 1 : b.length - a.length)
}
