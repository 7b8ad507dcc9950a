import { sum } from 'd3-array'
import type { BlockFolder, BlockLayout } from '../contract/blocks.ts'
import { limitParameter } from '../contract/endpoint-spec.ts'
import { LOGOS, TOKEN_PAGES } from '../contract/site-files.ts'
import { limitVariants } from '../contract/limit-variants.ts'
import { closesOfDay } from '../endpoints/series.ts'
import { folderOf } from '../endpoints/compose-blocks.ts'
import type { Endpoint, World } from '../endpoints/endpoint.ts'
import type { Budget } from './budgets.ts'

/** Number of documents of a tree. */
type DocumentCounts = ReturnType<typeof countDocuments>

/** Files beside the API: descriptions, exports, the checkpoint and the pages of the site. An estimate from above. */
const BESIDE = 100

/** Counts the documents of a world, without composing them, and of its pages if it has any. */
export function countDocuments(endpoints: readonly Endpoint[], world: World, hasPages: boolean) {
  const upTo = (most: number): number => (hasPages ? Math.min(most, world.listed.length) : 0)
  const renamed = world.listings.filter(({ asset }) => asset.replaced_by !== null || asset.aliases.length > 0).length
  const ofPages = upTo(TOKEN_PAGES.most) + (hasPages ? world.venues.size + world.categories.size : 0)
  const byFolder = new Map<BlockFolder, number>()
  // Files that are seldom written are logos and the closes of past days.
  const counts = { others: BESIDE + ofPages + renamed, lasting: upTo(LOGOS.files) }
  const variants = limitVariants(world.listings.length).length
  for (const endpoint of endpoints) {
    const keys = [...endpoint.keys(world)].length
    const folder = folderOf(endpoint)
    if (folder !== null) byFolder.set(folder, (byFolder.get(folder) ?? 0) + keys)
    else if (endpoint.name === closesOfDay.name) counts.lasting += keys
    else counts.others += keys * (limitParameter(endpoint) === undefined ? 1 : 1 + variants)
  }
  return { listings: world.listings.length, byFolder, ...counts }
}

/** Folders in the order in which their documents go into blocks: those that readers rarely ask for by their file first. */
const ORDER = [
  'candles',
  'daily',
  'symbols',
  'contracts',
  'ids',
  'totals',
  'categories',
  'exchanges',
  'prices',
  'history',
  'markets',
  'assets',
] as const satisfies readonly BlockFolder[]

/** Share of a limit that a layout uses: what is left is for the listings of the next months. */
const SHARE = 0.8
/**
 * Share of the documents that are files where each write is charged, also if there is room for more: a block is one or two
 * requests in place of those of several listings.
 */
const CHARGED_SHARE = 1 / 10
/** Share of the room that the blocks of one folder may take: a block is faster to read the smaller it is. */
const BLOCKS_SHARE = { large: 1 / 8, small: 1 / 32 } as const
/** Folders of large documents. */
const LARGE: readonly BlockFolder[] = ['candles', 'daily', 'history', 'markets', 'assets']
/** Listings in a block of a feed that names its listings. */
const PER_BLOCK = { series: 4, others: 64 } as const

const blocksOf = (folders: readonly BlockFolder[], mostOf: (folder: BlockFolder) => number): BlockLayout['blocks'] =>
  folders.map((folder) => ({ folder, shards: 2 ** Math.floor(Math.log2(Math.max(1, mostOf(folder)))) }))

/**
 * Returns the layout with the fewest folders in blocks within the limits of files and of writes; null if every document can
 * have a file of its own, or if no layout helps.
 */
export function layoutWithin(
  { listings, byFolder, others, lasting }: DocumentCounts,
  { files, writes }: Pick<Budget, 'files' | 'writes'>,
): BlockLayout | null {
  const room = Math.min(
    SHARE * (files ?? Infinity) - lasting - others,
    SHARE * (writes ?? Infinity) - others,
    writes === null ? Infinity : CHARGED_SHARE * sum(byFolder.values()),
  )
  const mostOf = (folder: BlockFolder) =>
    Math.min(listings, room * (LARGE.includes(folder) ? BLOCKS_SHARE.large : BLOCKS_SHARE.small))
  for (let count = 0; count <= ORDER.length; count++) {
    const blocks = blocksOf(ORDER.slice(0, count), mostOf)
    const own = sum(ORDER.slice(count).map((folder) => byFolder.get(folder) ?? 0))
    if (own + sum(blocks.map(({ shards }) => shards)) <= room) return count === 0 ? null : { pages: true, blocks }
  }
  return null
}

/**
 * Returns the layout of a feed that names its listings: lists and profiles have files of their own, and the other documents
 * of one name share files. The page that shows any listing shows each.
 */
export function layoutOfOwn(listings: number, hasBars: boolean): BlockLayout {
  const series: readonly BlockFolder[] = hasBars ? ['candles', 'daily', 'history'] : ['history']
  const mostOf = (folder: BlockFolder) => listings / (series.includes(folder) ? PER_BLOCK.series : PER_BLOCK.others)
  return { pages: false, blocks: blocksOf(ORDER.slice(0, -1), mostOf) }
}
