import * as z from 'zod'
import { IndexMembers } from '../contract/api-index.ts'
import {
  type BlockFolder,
  type BlockLayout,
  BLOCK_FOLDERS,
  blockOf,
  documentIn,
  filesIn,
  folderOfBlock,
} from '../contract/blocks.ts'
import { readJson } from '../contract/read-json.ts'
import { LAYOUT, profileSlug } from './layout.ts'
import type { TreeReader } from './reader.ts'

const Index = z.object({ layout: IndexMembers.layout.default(null) })
/**
 * Returns a reader that finds documents without files of their own in their blocks, as the index declares them. The
 * index and the blocks of one reader are read again whenever the index changes.
 *
 * @param kept number of blocks that are kept in memory
 */
export function readThroughBlocks(read: TreeReader, kept: number): TreeReader {
  let declared: { readonly index: string | null; readonly layout: BlockLayout | null } = { index: null, layout: null }
  let blocks = new Map<string, Promise<string | null>>()

  async function layout(): Promise<BlockLayout | null> {
    const index = await read(LAYOUT.index)
    if (index === declared.index) return declared.layout
    declared = { index, layout: readJson(index, Index)?.layout ?? null }
    blocks = new Map()
    return declared.layout
  }
  function block(file: string): Promise<string | null> {
    const held = blocks.get(file) ?? read(file)
    blocks.delete(file)
    blocks.set(file, held)
    const [oldest] = blocks.keys()
    if (blocks.size > kept && oldest !== undefined) blocks.delete(oldest)
    return held
  }
  return async (file, most) => {
    const own = await read(file, most)
    if (own !== null || !mayBeInBlock(file)) return own
    const place = blockOf(await layout(), file)
    const text = place === null ? null : await block(place)
    return text === null ? null : documentIn(text, file)
  }
}

const ANY: BlockLayout = {
  pages: true,
  blocks: BLOCK_FOLDERS.map((folder) => ({ folder, shards: 1 })),
}

/** Whether some layout puts a file in a block, so that the index is only read for those. */
const mayBeInBlock = (file: string): boolean => blockOf(ANY, file) !== null

/** Returns files with the documents of a folder's blocks in place of the blocks. */
export async function unpacked(folder: BlockFolder, files: readonly string[], read: TreeReader): Promise<string[]> {
  const documents: string[] = []
  for (const file of files)
    // eslint-disable-next-line no-await-in-loop -- blocks are large, and one at a time is all that is held
    documents.push(...(folderOfBlock(file) === folder ? filesIn((await read(file)) ?? '') : [file]))
  return documents
}

/** Returns the slugs that have a profile in a tree with these files. */
export const profileSlugs = async (files: readonly string[], read: TreeReader): Promise<string[]> =>
  (await unpacked('assets', files, read)).flatMap((file) => profileSlug(file) ?? [])
