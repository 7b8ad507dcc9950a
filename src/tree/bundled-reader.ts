import * as z from 'zod'
import { IndexMembers } from '../contract/api-index.ts'
import {
  type BundleLayout,
  BUNDLED_FOLDERS,
  bundleOf,
  documentIn,
  filesIn,
  folderOfBundle,
} from '../contract/bundles.ts'
import { readJson } from '../contract/read-json.ts'
import { LAYOUT, profileSlug } from './layout.ts'
import type { TreeReader } from './reader.ts'

const Index = z.object({ layout: IndexMembers.layout.default(null) })
/**
 * Returns a reader that finds documents without files of their own in their bundles, as the index declares them. The
 * index and the bundles of one reader are read again whenever the index changes.
 *
 * @param kept number of bundles that are kept in memory
 */
export function readThroughBundles(read: TreeReader, kept: number): TreeReader {
  let declared: { readonly index: string | null; readonly layout: BundleLayout | null } = { index: null, layout: null }
  let bundles = new Map<string, Promise<string | null>>()

  async function layout(): Promise<BundleLayout | null> {
    const index = await read(LAYOUT.index)
    if (index === declared.index) return declared.layout
    declared = { index, layout: readJson(index, Index)?.layout ?? null }
    bundles = new Map()
    return declared.layout
  }
  function bundle(file: string): Promise<string | null> {
    const held = bundles.get(file) ?? read(file)
    bundles.delete(file)
    bundles.set(file, held)
    const [oldest] = bundles.keys()
    if (bundles.size > kept && oldest !== undefined) bundles.delete(oldest)
    return held
  }
  return async (file, most) => {
    const own = await read(file, most)
    if (own !== null || !mayBeBundled(file)) return own
    const place = bundleOf(await layout(), file)
    const text = place === null ? null : await bundle(place)
    return text === null ? null : documentIn(text, file)
  }
}

const ANY: BundleLayout = {
  ownFiles: 0,
  bundles: BUNDLED_FOLDERS.map((folder) => ({ folder, shards: 1 })),
}

/** Whether some layout bundles a file, so that the index is only read for those. */
const mayBeBundled = (file: string): boolean => bundleOf(ANY, file) !== null

/** Returns the slugs that have a profile in a tree with these files. */
export async function profileSlugs(files: readonly string[], read: TreeReader): Promise<string[]> {
  const slugs: string[] = []
  for (const file of files) {
    const isBundle = folderOfBundle(file) === 'assets'
    // eslint-disable-next-line no-await-in-loop -- bundles are large, and one at a time is all that is held
    const documents = isBundle ? filesIn((await read(file)) ?? '') : [file]
    slugs.push(...documents.flatMap((document) => profileSlug(document) ?? []))
  }
  return slugs
}
