import type { BlockLayout } from '../contract/blocks.ts'
import { DAYS } from '../contract/history.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { FOLLOWING } from '../history/candle-plan.ts'
import { type DocumentCounts, layoutWithin } from './block-plan.ts'
import { HOST_BUDGETS, excess } from './budgets.ts'
import { ACTIONS, HOST_LIMITS, LIMITS_READ_ON, type HostLimit } from './host-limits.ts'

/**
 * Documents and bytes of a tree as it grows, measured on the sample with 1,252 listings and a full year of history:
 * 11,520 files without candles and closes, of which 7 files and 71 KiB are of one listing, and its row stands in the large lists.
 */
const MEASURED = {
  documentsPerListing: 7,
  symbolsPerListing: 0.94,
  historyBytes: 71_300,
  /** The largest listings have five documents of candles each, and so many bytes in them. */
  listingsWithCandles: FOLLOWING.listings,
  candleBytes: 143_000,
  profileBytes: 4_700,
  /** Bytes per listing of the largest list, `markets`. */
  listBytes: 1_125,
  /** Bytes per file in the manifest. */
  manifestBytes: 172,
  /** Bytes per listing in all lists and exports together. */
  listsBytes: 12_500,
  /** Lists, exports, descriptions, 500 token pages and 100 badges. */
  otherDocuments: 1370,
  /** Logos, and the closes of a year. */
  lastingDocuments: 384 + 365,
} as const

/** What a number of listings takes on a host. */
export interface Growth {
  readonly host: string
  readonly files: number
  /** Files that one run may change. */
  readonly changing: number
  readonly bytes: number
  readonly largest: number
  /** Which documents are in blocks; null: each has a file of its own. */
  readonly layout: BlockLayout | null
  /** Exceeded limits; empty if the tree fits. */
  readonly excess: readonly string[]
  readonly limits: readonly HostLimit[]
}

const countsFor = (listings: number): DocumentCounts => ({
  listings,
  ofListings: listings * MEASURED.documentsPerListing,
  ofCandles: DAYS.length * Math.min(listings, MEASURED.listingsWithCandles),
  ofSymbols: Math.round(listings * MEASURED.symbolsPerListing),
  others: MEASURED.otherDocuments,
  lasting: MEASURED.lastingDocuments,
})

/** Returns what a tree of so many listings takes on each host, in the layout that a run with `--budget` chooses there. */
export const growthPlan = (listings: number): readonly Growth[] =>
  Object.entries(HOST_LIMITS).map(([host, limits]) => {
    const budget = Object.entries(HOST_BUDGETS).find(([name]) => name === host)?.[1]
    const counts = countsFor(listings)
    const layout = budget ? layoutWithin(counts, budget) : null
    const files = filesOf(counts, layout)
    const bytes = Math.round(
      listings * (MEASURED.historyBytes + MEASURED.profileBytes + MEASURED.listsBytes) +
        Math.min(listings, MEASURED.listingsWithCandles) * MEASURED.candleBytes,
    )
    const tail = layout ? Math.max(0, listings - layout.ownFiles) : 0
    const perBlock = layout ? (tail / (layout.blocks[0]?.shards ?? 1)) * MEASURED.historyBytes : 0
    const largest = Math.round(Math.max(listings * MEASURED.listBytes, files * MEASURED.manifestBytes, perBlock))
    const fullest = { folder: `${API_FOLDER}/assets`, files: layout ? layout.ownFiles : listings }
    const size = { files, bytes, largest: { path: 'the largest file', bytes: largest }, fullest, endpoints: [] }
    return {
      host,
      files,
      changing: files - counts.lasting,
      bytes,
      largest,
      layout,
      excess: budget ? excess(size, budget) : [],
      limits,
    }
  })

function filesOf(
  { listings, ofListings, ofCandles, ofSymbols, others, lasting }: DocumentCounts,
  layout: BlockLayout | null,
): number {
  if (layout === null) return ofListings + ofCandles + ofSymbols + others + lasting
  const own = Math.round((ofListings / listings) * Math.min(layout.ownFiles, listings))
  const candles = Math.min(ofCandles, DAYS.length * layout.ownFiles)
  return own + candles + others + lasting + layout.blocks.reduce((sum, { shards }) => sum + shards, 0)
}

const MIB = 2 ** 20
const number = (value: number): string => value.toLocaleString('en-US')

/** Returns the plan as text: each host with what fits, its limits, and the pages that state them. */
export function printGrowth(listings: number, runsPerDay: number): string {
  const lines = growthPlan(listings).flatMap(
    ({ host, files, changing, bytes, largest, layout, excess: over, limits }) => [
      `${host}: ${over.length === 0 ? 'fits' : `does not fit: ${over.join('; ')}`}`,
      `  ${number(files)} files, ${number(Math.round(bytes / MIB))} MiB, the largest ${(largest / MIB).toFixed(1)} MiB`,
      `  ${layout === null ? 'every document is a file' : layoutText(layout)}`,
      ...limits.map((limit) => `  ${limitText(limit, runsPerDay, changing)}`),
      ...cadenceText(limits, runsPerDay, changing),
      '',
    ],
  )
  return [
    `${number(listings)} listings, ${number(runsPerDay)} runs a day. Limits as read on ${LIMITS_READ_ON}; sizes as measured on the sample.`,
    ...monthText(runsPerDay),
    'Choose a layout with npm run snapshot -- --budget <host>. Requests to sources: npm run snapshot -- --plan.',
    '',
    ...lines,
  ].join('\n')
}

const layoutText = ({ ownFiles, blocks }: BlockLayout): string =>
  `the first ${number(ownFiles)} by market cap have files of their own; blocks of the others: ` +
  blocks.map(({ folder, shards }) => `${folder} ${number(shards)}`).join(', ')

const [MINUTES_A_DAY, DAYS_A_MONTH] = [1440, 30]

/**
 * Returns the shortest cadence in minutes that keeps the limits of a host's deployments, and of its writes if each run
 * changes so many files; null: it has none.
 */
export function fittingCadence(limits: readonly HostLimit[], changing = 0): number | null {
  const least = limits.flatMap(({ of, most }) => {
    if (of === 'writes_per_month') return Math.ceil((MINUTES_A_DAY * DAYS_A_MONTH * changing) / most)
    if (of === 'deploys_per_day') return Math.ceil(MINUTES_A_DAY / most)
    return of === 'deploys_per_month' ? Math.ceil((MINUTES_A_DAY * DAYS_A_MONTH) / most) : []
  })
  return least.length === 0 ? null : Math.max(...least)
}

function cadenceText(limits: readonly HostLimit[], runsPerDay: number, changing: number): string[] {
  const least = fittingCadence(limits, changing)
  if (least === null || MINUTES_A_DAY / runsPerDay >= least) return []
  return [
    `  too many deployments or writes; the shortest cadence that fits is ${number(least)} minutes: --cadence ${least}`,
  ]
}

/** Returns what a month of runs takes of GitHub Actions. */
function monthText(runsPerDay: number): string[] {
  const { minutesPerRun, freeMinutesPerMonth, address } = ACTIONS
  const runs = runsPerDay * DAYS_A_MONTH
  const least = Math.ceil((MINUTES_A_DAY * DAYS_A_MONTH * minutesPerRun) / freeMinutesPerMonth)
  return [
    `A month: ${number(runs)} runs and deployments, about ${number(runs * minutesPerRun)} minutes of GitHub Actions. Public repositories ` +
      `have them free; a private one has ${number(freeMinutesPerMonth)} (${address}), enough for a run every ${least} minutes.`,
  ]
}

function limitText({ of, most, address }: HostLimit, runsPerDay: number, changing: number): string {
  const text = `${of.replaceAll('_', ' ')}: at most ${number(most)} (${address})`
  if (of === 'deploys_per_day') return `${text}; ${number(runsPerDay)} are made`
  if (of === 'deploys_per_month') return `${text}; ${number(runsPerDay * DAYS_A_MONTH)} are made`
  if (of === 'writes_per_run') return `${text}; ${number(changing)} files may change`
  if (of !== 'writes_per_month') return text
  return `${text}; ${number(Math.floor(most / (runsPerDay * 30)))} a run`
}
