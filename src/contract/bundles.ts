/** Folders whose documents may be bundled: `assets` is `api/mkt/assets/<slug>…`. */
export const BUNDLED_FOLDERS = ['assets', 'history', 'symbols'] as const
export type BundledFolder = (typeof BUNDLED_FOLDERS)[number]

/** Which documents of a tree are in bundles. The index declares it. */
export interface BundleLayout {
  readonly ownFiles: number
  readonly bundles: readonly { readonly folder: BundledFolder; readonly shards: number }[]
}

/** Folder of the bundles, relative to the tree's root. */
export const BUNDLES = 'bundles'

// `api/mkt/history/bitcoin/days=7.json` is of the name `bitcoin`; `api/mkt/assets/limit=10.json` is of none.
const NAMED = /\/(assets|history|symbols)\/([^/=.]+)[/.]/
const BUNDLE = /^bundles\/(assets|history|symbols)\/\d+\.json$/

/** 32-bit FNV-1a of a name of ASCII characters. */
function fnv1a(name: string): number {
  let hash = 0x811c9dc5
  for (let place = 0; place < name.length; place++) hash = Math.imul(hash ^ name.charCodeAt(place), 0x01000193)
  return hash >>> 0
}

/** Returns the shard that holds the documents of a name. */
export const shardOf = (name: string, shards: number): number => fnv1a(name) % shards

/** Returns the file of a bundle, relative to the tree's root. */
export const bundleFile = (folder: BundledFolder, shard: number): string => `${BUNDLES}/${folder}/${shard}.json`

/** Returns the bundle that holds a document if it has no file of its own; null if it is never bundled. */
export function bundleOf(layout: BundleLayout | null, file: string): string | null {
  if (layout === null) return null
  const [, folder, name] = NAMED.exec(file) ?? []
  const bundle = layout.bundles.find((one) => one.folder === folder)
  return bundle && name !== undefined ? bundleFile(bundle.folder, shardOf(name, bundle.shards)) : null
}

/** Returns the folder of a bundle's documents; null for any other file. */
export function folderOfBundle(file: string): BundledFolder | null {
  const folder = BUNDLE.exec(file)?.[1]
  return BUNDLED_FOLDERS.find((one) => one === folder) ?? null
}

/**
 * Returns the text of a bundle: one JSON object with each document's text as it is, after a line with its file name. A
 * printed document has no line that ends with a name and a colon, so {@link documentIn} finds it without parsing.
 */
export const printBundle = (documents: readonly (readonly [file: string, text: string])[]): string =>
  `{\n${documents.map(([file, text]) => `"${file}":\n${text}`).join(',\n')}}\n`

/** Returns the text of a document in a bundle, byte for byte as its own file would be; null if it is not there. */
export function documentIn(bundle: string, file: string): string | null {
  const mark = `\n"${file}":\n`
  const start = bundle.indexOf(mark)
  if (start < 0) return null
  const from = start + mark.length
  const next = bundle.indexOf('\n,\n"', from)
  return bundle.slice(from, next < 0 ? -2 : next + 1)
}

/** Returns the files of the documents in a bundle. */
export const filesIn = (bundle: string): string[] =>
  [...bundle.matchAll(/\n"([^"\n]+)":\n/g)].flatMap(([, file]) => file ?? [])
