import { type BlockLayout, BLOCK_FOLDERS } from '../contract/blocks.ts'
import { limitParameter } from '../contract/endpoint-spec.ts'
import { DAYS } from '../contract/history.ts'
import { BADGES, LOGOS, TOKEN_PAGES } from '../contract/site-files.ts'
import { limitVariants } from '../contract/limit-variants.ts'
import { closesOfDay } from '../endpoints/closes.ts'
import { daily } from '../endpoints/series.ts'
import { folderOf } from '../endpoints/compose-blocks.ts'
import type { Endpoint, World } from '../endpoints/endpoint.ts'
import { FOLLOWING } from '../history/candle-plan.ts'
import type { Budget } from './budgets.ts'

/** Number of documents of a tree, by what they grow with. */
export interface DocumentCounts {
  readonly listings: number
  /** Documents of listings: profile, markets and the five ranges of history. */
  readonly ofListings: number
  /** Candles: of most listings they only say why there are none. */
  readonly ofCandles: number
  /** Listings of each symbol, and prices of each chain. */
  readonly ofNames: number
  readonly others: number
  /** Files that are seldom written: logos, the closes of past days and the daily bars. */
  readonly lasting: number
}

/** Files beside the API: descriptions, exports, the checkpoint and the pages of the site. An estimate from above. */
const BESIDE = 100

/** Counts the documents of a world, without composing them, and of its pages if it has any. */
export function countDocuments(endpoints: readonly Endpoint[], world: World, hasPages: boolean): DocumentCounts {
  const upTo = (most: number): number => (hasPages ? Math.min(most, world.listed.length) : 0)
  const counts = {
    listings: world.listings.length,
    ofListings: 0,
    ofCandles: 0,
    ofNames: 0,
    others:
      BESIDE + upTo(TOKEN_PAGES.most) + upTo(BADGES.files) + (hasPages ? world.venues.size + world.categories.size : 0),
    lasting: upTo(LOGOS.files),
  }
  const variants = limitVariants(world.listings.length).length
  for (const endpoint of endpoints) {
    const keys = [...endpoint.keys(world)].length
    const folder = folderOf(endpoint)
    if (folder === 'symbols' || folder === 'prices') counts.ofNames += keys
    else if (folder === 'candles') counts.ofCandles += keys
    else if (folder === 'assets' || folder === 'markets' || folder === 'history') counts.ofListings += keys
    else if ([closesOfDay.name, daily.name].includes(endpoint.name)) counts.lasting += keys
    else counts.others += keys * (limitParameter(endpoint) === undefined ? 1 : 1 + variants)
  }
  const renamed = world.listings.filter(({ asset }) => asset.replaced_by !== null || asset.aliases.length > 0).length
  return { ...counts, others: counts.others + renamed }
}

/** Share of a limit that a layout uses: what is left is for the listings of the next months. */
const SHARE = 0.8
/**
 * Share of the documents of listings that are files where each write is charged, also if there is room for more: a block is
 * one or two requests in place of those of several listings.
 */
const CHARGED_SHARE = 1 / 6
/** Listings without candles in a block of theirs, which is the first to be made. */
const SMALL_PER_BLOCK = 16
/** Listings with files of their own are a multiple of this, so that a few more or fewer documents do not move many. */
const STEP = 10

/**
 * Returns the layout with the most files of their own within the limits of files and of writes; null if every document can
 * have one, or if no layout helps. Half of the room goes to blocks, which are smaller and faster to read the more there are.
 * Where writes are charged, a small feed uses few of those it may make.
 */
export function layoutWithin(
  { listings, ofListings, ofCandles, ofNames, others, lasting }: DocumentCounts,
  { files, writes }: Pick<Budget, 'files' | 'writes'>,
): BlockLayout | null {
  if (listings === 0) return null
  const room = Math.min(
    SHARE * (files ?? Infinity) - lasting - others,
    SHARE * (writes ?? Infinity) - others,
    writes === null ? Infinity : CHARGED_SHARE * ofListings,
  )
  if (ofListings + ofCandles + ofNames <= room || room < LEAST_ROOM) return null
  const ofSmall = { folder: 'candles', shards: powerOfTwo(Math.max(1, listings / SMALL_PER_BLOCK)) } as const
  const ownCandles = Math.min(ofCandles, DAYS.length * FOLLOWING.listings)
  if (ofListings + ofNames + ownCandles + ofSmall.shards <= room)
    return { ownFiles: FOLLOWING.listings, blocks: [ofSmall] }
  const shards = powerOfTwo(Math.min(room / 3, listings))
  const forNames = powerOfTwo(Math.max(1, shards / 16))
  const withCandles = ofCandles === 0 ? 0 : powerOfTwo(Math.max(1, shards / 8))
  const left = room - 2 * shards - 2 * forNames - withCandles
  const perListing = ofListings / listings
  // The largest listings have candles: either all candles have files of their own, or those of all such listings.
  const most = Math.max((left - ofCandles) / perListing, left / (perListing + DAYS.length))
  const ownFiles = Math.max(0, Math.floor((ofCandles === 0 ? left / perListing : most) / STEP) * STEP)
  return {
    ownFiles,
    blocks: [
      { folder: 'assets', shards },
      ...(withCandles === 0 ? [] : [{ folder: 'candles' as const, shards: withCandles }]),
      { folder: 'history', shards },
      { folder: 'prices', shards: forNames },
      { folder: 'symbols', shards: forNames },
    ],
  }
}

/** Listings whose series share a block in a feed that names its listings. */
const SERIES_PER_BLOCK = 4
/** Listings whose other documents share one. */
const NAMES_PER_BLOCK = 64

/**
 * Returns the layout of a feed that names its listings: lists and profiles have files of their own, and the other documents
 * of one name share files. The page that shows any listing shows each.
 */
export const layoutOfOwn = (listings: number): BlockLayout => ({
  ownFiles: 0,
  pages: false,
  blocks: BLOCK_FOLDERS.filter((folder) => folder !== 'assets').map((folder) => {
    const perBlock = folder === 'history' ? SERIES_PER_BLOCK : NAMES_PER_BLOCK
    return { folder, shards: powerOfTwo(Math.max(1, listings / perBlock)) }
  }),
})

/** With less room than this, even blocks would not fit. */
const LEAST_ROOM = 6

const powerOfTwo = (most: number): number => 2 ** Math.floor(Math.log2(most))
