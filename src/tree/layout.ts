import { fileOf } from '../contract/endpoint-spec.ts'
import { API_FOLDER } from '../contract/words.ts'
import { collector } from '../endpoints/collector.ts'
import { manifest } from '../endpoints/manifest.ts'

/** Files of a published tree that are read by name, relative to its root. */
export const LAYOUT = {
  api: API_FOLDER,
  index: `${API_FOLDER}.json`,
  manifest: fileOf(manifest, {}),
  collector: fileOf(collector, {}),
} as const

/**
 * Work in progress, inside the tree so that a rename never crosses a file system. No host shows names that begin with a
 * dot. `incoming` outlives an interrupted restore, so that the next attempt resumes it.
 */
export const WORK = {
  lock: '.lock',
  journal: '.journal',
  staging: '.staging',
  incoming: '.incoming',
  /** Parts of a state archive on their way in. */
  parts: '.parts',
} as const

/** The state archive beside the documents: what the next run goes on from, in one or a few files. */
export const ARCHIVE = { folder: 'state', pointer: 'state/latest.json' } as const

const PROFILE = new RegExp(`^${API_FOLDER}/assets/([a-z0-9-]+)\\.json$`)

/** Slug of the asset that a file is the profile of; null for any other file. */
export const profileSlug = (file: string): string | null => PROFILE.exec(file)?.[1] ?? null

/** The list that a `limit` variant is cut from: `assets/limit=10.json` is the first 10 rows of `assets.json`. */
export function limitVariantOf(file: string): { readonly of: string; readonly rows: number } | null {
  const [, stem, rows] = /^(.+)\/[a-z]+=(\d+)\.json$/.exec(file) ?? []
  return stem === undefined ? null : { of: `${stem}.json`, rows: Number(rows) }
}

/** Whether a file is a document of the API: the index, or below the API's folder. */
export const isDocument = (file: string): boolean =>
  file.endsWith('.json') && (file === LAYOUT.index || file.startsWith(`${LAYOUT.api}/`))

const depth = (file: string): number => file.split('/').length

/** Order of publication: deep documents before the lists that name them, then the manifest, and the index last. */
export function inOrderOfPublication(a: string, b: string): number {
  const wave = (file: string) => (file === LAYOUT.index ? 3 : file === LAYOUT.manifest ? 2 : file.includes('=') ? 0 : 1)
  return wave(a) - wave(b) || depth(b) - depth(a)
}
