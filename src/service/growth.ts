import type { BlockFolder, BlockLayout } from '../contract/blocks.ts'
import { DAYS } from '../contract/history.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { FOLLOWING } from '../history/candle-plan.ts'
import { type DocumentCounts, layoutWithin } from './block-plan.ts'
import { HOST_BUDGETS, excess } from './budgets.ts'
import { BADGES, TOKEN_PAGES } from '../contract/site-files.ts'
import {
  ACTIONS,
  BUCKET_PRICES,
  HOST_LIMITS,
  HOST_TERMS,
  LIMITS_READ_ON,
  type Host,
  type HostLimit,
} from './host-limits.ts'

/**
 * Documents and bytes of a tree as it grows, measured on the sample with 1,252 listings and a full year of history:
 * 11,520 files without candles and closes, of which 7 files and 71 KiB are of one listing, and its row is in the large lists.
 */
const MEASURED = {
  documentsPerListing: 7,
  symbolsPerListing: 0.94,
  historyBytes: 71_300,
  /** Bytes of the five documents of candles of one of the largest listings, and of one without bars. */
  listingsWithCandles: FOLLOWING.listings,
  candleBytes: 143_000,
  noticeBytes: 2_600,
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
  /** Requests of a half hour to a bucket for each listing: profile, markets and 7 days of history have two keys, the day one. */
  requestsPerListing: 7,
  /** Requests for lists, chains, venues, categories, exports and descriptions. */
  otherRequests: 200,
} as const

/** What a number of listings takes on a host. */
interface Growth {
  readonly host: string
  readonly files: number
  /** Files that one run may change. */
  readonly changing: number
  readonly bytes: number
  readonly largest: number
  /** Which documents are in blocks; null: each has a file of its own. */
  readonly layout: BlockLayout | null
  /** Requests of a usual run to a bucket; candles come on top. */
  readonly requests: number
  /** What a month costs where requests and storage do, in US dollars; null elsewhere. */
  readonly dollarsPerMonth: number | null
  /** Exceeded limits, that of deployments and writes among them; empty if tree and cadence fit. */
  readonly excess: readonly string[]
  readonly limits: readonly HostLimit[]
}

const [MINUTES_A_DAY, DAYS_A_MONTH] = [1440, 30]

const countsFor = (listings: number): DocumentCounts => ({
  listings,
  ofListings: listings * MEASURED.documentsPerListing,
  ofCandles: DAYS.length * listings,
  ofNames: Math.round(listings * MEASURED.symbolsPerListing),
  others: MEASURED.otherDocuments,
  lasting: MEASURED.lastingDocuments,
})

const isHost = (name: string): name is Host => Object.hasOwn(HOST_LIMITS, name)

/** Returns what a tree of so many listings takes on each host, in the layout that a run with `--budget` chooses there. */
export const growthPlan = (listings: number, runsPerDay: number): readonly Growth[] =>
  Object.keys(HOST_LIMITS)
    .filter(isHost)
    .map((host) => {
      const limits: readonly HostLimit[] = HOST_LIMITS[host]
      const budget = HOST_BUDGETS[host]
      const counts = countsFor(listings)
      const layout = layoutWithin(counts, budget)
      const files = filesOf(counts, layout)
      const bytes = Math.round(
        listings * (MEASURED.historyBytes + MEASURED.profileBytes + MEASURED.listsBytes + MEASURED.noticeBytes) +
          Math.min(listings, MEASURED.listingsWithCandles) * MEASURED.candleBytes,
      )
      const tail = layout ? Math.max(0, listings - layout.ownFiles) : 0
      const perBlock = layout ? (tail / (layout.blocks[0]?.shards ?? 1)) * MEASURED.historyBytes : 0
      const largest = Math.round(Math.max(listings * MEASURED.listBytes, files * MEASURED.manifestBytes, perBlock))
      const fullest = { folder: `${API_FOLDER}/assets`, files: layout ? layout.ownFiles : listings }
      const size = { files, bytes, largest: { path: 'the largest file', bytes: largest }, fullest, endpoints: [] }
      const changing = files - counts.lasting
      const requests = requestsOf(listings, layout)
      return {
        host,
        files,
        changing,
        bytes,
        largest,
        layout,
        requests,
        dollarsPerMonth: dollarsOf(host, { requests, bytes, runsPerDay }),
        excess: [...excess(size, budget), ...cadenceExcess(limits, runsPerDay, changing)],
        limits,
      }
    })

/** Returns the requests of a usual run to a bucket. */
function requestsOf(listings: number, layout: BlockLayout | null): number {
  const isWhole = layout?.blocks.some(({ folder }) => folder === 'history') !== true
  const own = isWhole ? listings : Math.min(layout.ownFiles, listings)
  const blocks = layout ? layout.blocks.reduce((sum, { shards }) => sum + shards, 0) : 0
  // A page has two keys, as a document has.
  const pages = Math.ceil((2 * Math.min(TOKEN_PAGES.most, listings)) / (2 * TOKEN_PAGES.hours))
  return MEASURED.requestsPerListing * own + blocks + pages + Math.min(BADGES.files, listings) + MEASURED.otherRequests
}

const GB = 10 ** 9

function dollarsOf(
  host: Host,
  { requests, bytes, runsPerDay }: { readonly requests: number; readonly bytes: number; readonly runsPerDay: number },
): number | null {
  const prices = BUCKET_PRICES[host]
  if (!prices) return null
  const writes = Math.max(0, requests * runsPerDay * DAYS_A_MONTH - prices.freeWritesPerMonth)
  const gigabytes = Math.max(0, bytes / GB - prices.freeGigabytes)
  return (writes / 1_000_000) * prices.writesPerMillion + gigabytes * prices.gigabyteMonth
}

function filesOf(
  { listings, ofListings, ofCandles, ofNames, others, lasting }: DocumentCounts,
  layout: BlockLayout | null,
): number {
  const inBlocks = new Set(layout?.blocks.map(({ folder }) => folder))
  const share = layout === null ? 1 : Math.min(1, layout.ownFiles / listings)
  const filesIn = (folder: BlockFolder, documents: number) =>
    inBlocks.has(folder) ? Math.round(documents * share) : documents
  const blocks = layout?.blocks.reduce((sum, { shards }) => sum + shards, 0) ?? 0
  const names = inBlocks.has('symbols') ? 0 : ofNames
  return filesIn('history', ofListings) + filesIn('candles', ofCandles) + names + others + lasting + blocks
}

const MIB = 2 ** 20
const number = (value: number): string => value.toLocaleString('en-US')

/** Returns the plan as text: each host with what fits, its limits, and the pages that state them. */
export function printGrowth(listings: number, runsPerDay: number): string {
  const lines = growthPlan(listings, runsPerDay).flatMap(
    ({ host, files, changing, bytes, largest, layout, requests, dollarsPerMonth, excess: over, limits }) => [
      `${host}: ${over.length === 0 ? 'fits' : `does not fit: ${over.join('; ')}`}`,
      `  ${number(files)} files, ${number(Math.round(bytes / MIB))} MiB, the largest ${(largest / MIB).toFixed(1)} MiB`,
      `  ${layout === null ? 'every document is a file' : layoutText(layout)}`,
      ...(dollarsPerMonth === null
        ? []
        : [
            `  about US$${dollarsPerMonth.toFixed(2)} a month: about ${number(requests)} requests a run, more with candles`,
          ]),
      ...limits.map((limit) => `  ${limitText(limit, runsPerDay, changing)}`),
      ...(HOST_TERMS[host] === undefined ? [] : [`  ${HOST_TERMS[host]}`]),
      '',
    ],
  )
  return [
    `${number(listings)} listings, ${number(runsPerDay)} runs a day. Limits and prices as read on ${LIMITS_READ_ON}; sizes as measured on the sample.`,
    ...monthText(runsPerDay),
    'Choose a layout with npm run snapshot -- --budget <host>. Requests to sources: npm run snapshot -- --plan.',
    '',
    ...lines,
  ].join('\n')
}

const layoutText = ({ ownFiles, blocks }: BlockLayout): string =>
  `the first ${number(ownFiles)} by market cap have files of their own; blocks of the others: ` +
  blocks.map(({ folder, shards }) => `${folder} ${number(shards)}`).join(', ')

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

function cadenceExcess(limits: readonly HostLimit[], runsPerDay: number, changing: number): string[] {
  const least = fittingCadence(limits, changing)
  if (least === null || MINUTES_A_DAY / runsPerDay >= least) return []
  return [
    `too many deployments or writes; the shortest cadence that fits is ${number(least)} minutes: --cadence ${least}`,
  ]
}

/** Returns what a month of runs takes of GitHub Actions. */
function monthText(runsPerDay: number): string[] {
  const { minutesPerRun, freeMinutesPerMonth, dollarsPerMinute, address } = ACTIONS
  const runs = runsPerDay * DAYS_A_MONTH
  const least = Math.ceil((MINUTES_A_DAY * DAYS_A_MONTH * minutesPerRun) / freeMinutesPerMonth)
  return [
    `A month: ${number(runs)} runs and deployments, about ${number(runs * minutesPerRun)} minutes of GitHub Actions. Public repositories ` +
      `have them free; a private one has ${number(freeMinutesPerMonth)} (${address}), enough for a run every ${least} minutes, ` +
      `and pays US$${dollarsPerMinute} for each further one: US$${(Math.max(0, runs * minutesPerRun - freeMinutesPerMonth) * dollarsPerMinute).toFixed(0)} a month.`,
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
