import { isObject } from './read-json.ts'

/** Folders whose documents may be in blocks: `assets` is `api/mkt/assets/<slug>…`, and `markets` those of markets below it. */
export const BLOCK_FOLDERS = [
  'assets',
  'candles',
  'categories',
  'contracts',
  'daily',
  'exchanges',
  'history',
  'ids',
  'markets',
  'prices',
  'symbols',
  'totals',
] as const
export type BlockFolder = (typeof BLOCK_FOLDERS)[number]

/** Which documents of a tree are in blocks. The index declares it. */
export interface BlockLayout {
  /** Whether tokens, exchanges and categories have pages, and tokens texts. */
  readonly pages: boolean
  readonly blocks: readonly { readonly folder: BlockFolder; readonly shards: number }[]
}

/** Whether what an index declares is a layout, or null: none is declared. */
export const isBlockLayout = (layout: BlockLayout | null): boolean =>
  layout === null ||
  (Array.isArray(layout.blocks) &&
    layout.blocks.every(
      (block: unknown) =>
        isObject(block) &&
        /^\w+$/.test(String(block['folder'])) &&
        Number.isSafeInteger(block['shards']) &&
        block['shards'] !== 0,
    ))

/** Folder of the blocks, relative to the tree's root. */
export const BLOCKS = 'blocks'

// `api/mkt/history/bitcoin/days=7.json` is of the name `bitcoin`; `api/mkt/assets/limit=10.json` is of none.
const NAMED = /\/(\w+)\/([^/=.]+)(?:\/(?:(markets)|\w+=\w+))?\.json$/
const BLOCK = /^blocks\/(\w+)\/\d+\.json$/

/** 32-bit FNV-1a of a name of ASCII characters. */
function fnv1a(name: string): number {
  let hash = 0x811c9dc5
  for (let place = 0; place < name.length; place++) hash = Math.imul(hash ^ name.charCodeAt(place), 0x01000193)
  return hash >>> 0
}

/** Returns the shard that holds the documents of a name. */
export const shardOf = (name: string, shards: number): number => fnv1a(name) % shards

/** Returns the file of a block, relative to the tree's root. */
export const blockFile = (folder: BlockFolder, shard: number): string => `${BLOCKS}/${folder}/${shard}.json`

/** Returns the block that holds a document if it has no file of its own; null if it is never in one. */
export function blockOf(layout: BlockLayout | null, file: string): string | null {
  if (layout === null) return null
  const [, folder, name, last] = NAMED.exec(file) ?? []
  const blockIn = (wanted?: string) => layout.blocks.find((one) => one.folder === wanted)
  const block = blockIn(last) ?? blockIn(folder)
  return block && name !== undefined ? blockFile(block.folder, shardOf(name, block.shards)) : null
}

/** Returns the folder of a block's documents; null for any other file. */
export function folderOfBlock(file: string): BlockFolder | null {
  const folder = BLOCK.exec(file)?.[1]
  return BLOCK_FOLDERS.find((one) => one === folder) ?? null
}

/**
 * Returns the text of a block: one JSON object with each document's text as it is, after a line with its file name. A
 * printed document has no line that ends with a name and a colon, so {@link documentIn} finds it without parsing.
 */
export const printBlock = (documents: readonly (readonly [file: string, text: string])[]): string =>
  `{\n${documents.map(([file, text]) => `"${file}":\n${text}`).join(',\n')}}\n`

/** Returns the text of a document in a block, byte for byte as its own file would be; null if it is not there. */
export function documentIn(block: string, file: string): string | null {
  const mark = `\n"${file}":\n`
  const start = block.indexOf(mark)
  if (start < 0) return null
  const from = start + mark.length
  const next = block.indexOf('\n,\n"', from)
  return block.slice(from, next < 0 ? -2 : next + 1)
}

/** Where a document is in its block: its first character, and the one after its last. */
export interface Place {
  readonly from: number
  readonly to: number
}

/** Yields the places of the documents in a block: in bytes, if each byte of the block is read as a character. */
export function* placesIn(block: string): Generator<readonly [file: string, place: Place]> {
  let to = 0
  for (const mark of block.matchAll(MARKS)) {
    // Documents do not overlap, so a block is searched once, however many marks a damaged one has.
    if (mark.index < to) continue
    const [text, file = ''] = mark
    const from = mark.index + text.length
    const next = block.indexOf('\n,\n"', from)
    to = next < 0 ? block.length - 2 : next + 1
    yield [file, { from, to }]
  }
}

const MARKS = /\n"([^"\n]+)":\n/g

/** Maximum number of documents in a block. A block of 20,000 listings has some thousand. */
const MOST_IN_BLOCK = 100_000

/** Returns the files of the documents in a block; none if they are more than a block may have. */
export function filesIn(block: string): string[] {
  const files: string[] = []
  for (const [, file = ''] of block.matchAll(MARKS)) if (files.push(file) > MOST_IN_BLOCK) return []
  return files
}
