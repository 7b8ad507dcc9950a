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
  type Place,
  placesIn,
} from '../contract/blocks.ts'
import { lru } from '../contract/lru.ts'
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
  let blocks = lru<Promise<string | null>>(kept)

  async function layout(): Promise<BlockLayout | null> {
    const index = await read(LAYOUT.index)
    if (index === declared.index) return declared.layout
    declared = { index, layout: readJson(index, Index)?.layout ?? null }
    blocks = lru(kept)
    return declared.layout
  }
  function block(file: string): Promise<string | null> {
    const held = blocks.get(file) ?? read(file)
    blocks.put(file, held)
    return held
  }
  return async (file, most) => {
    const own = await read(file, most)
    // The index is only read for files that some layout puts in a block.
    if (own !== null || blockOf(ANY, file) === null) return own
    const place = blockOf(await layout(), file)
    const text = place === null ? null : await block(place)
    return text === null ? null : documentIn(text, file)
  }
}

const ANY: BlockLayout = {
  pages: true,
  blocks: BLOCK_FOLDERS.map((folder) => ({ folder, shards: 1 })),
}

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

interface BlockFiles {
  /** Returns a block; null if it is missing, damaged or edited. */
  whole(file: string): Buffer | null
  /** Returns the text at a place in a block; null if it is gone. */
  part(file: string, place: Place): string | null
}

/** Number of documents whose texts are kept: a run asks for those of one listing again and again. */
const KEPT_TEXTS = 16

/**
 * The documents in the blocks of a tree. Each block is read and searched once. After that only its documents are read:
 * a run takes the listings by rank, and their blocks follow from hashes.
 */
export class OpenBlocks {
  readonly #files: BlockFiles
  readonly #places = new Map<string, ReadonlyMap<string, Place>>()
  #texts = lru<string>(KEPT_TEXTS)

  constructor(files: BlockFiles) {
    this.#files = files
  }

  clear(): void {
    this.#places.clear()
    this.#texts = lru(KEPT_TEXTS)
  }

  /** Returns the files of the documents in a block; none if it is missing or damaged. */
  documents(block: string): readonly string[] {
    return [...this.#placesOf(block).keys()]
  }

  /** Returns the text of a document in a block, or null if it is not there. */
  read(block: string, file: string): string | null {
    const kept = this.#texts.get(file)
    if (kept !== undefined) return kept
    const place = this.#placesOf(block).get(file)
    const text = place ? this.#files.part(block, place) : null
    if (text !== null) this.#texts.put(file, text)
    return text
  }

  #placesOf(block: string): ReadonlyMap<string, Place> {
    const known = this.#places.get(block)
    if (known) return known
    const bytes = this.#files.whole(block)
    const found = bytes === null ? [] : [...placesIn(bytes.toString('latin1'))]
    const places = new Map(found.map(([file, place]) => [apart(file), place]))
    this.#places.set(block, places)
    return places
  }
}

/** Returns a text of its own: V8 would keep the whole block that a name was cut from. */
const apart = (name: string): string => Buffer.from(name, 'latin1').toString('latin1')
