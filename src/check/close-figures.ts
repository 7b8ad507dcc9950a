import * as z from 'zod'
import { INTERVAL_MS } from '../contract/time.ts'
import { CLOSES_FILE, ClosesMembers, ClosesOfDayMembers, closesFile } from '../contract/closes.ts'
import { readJson } from '../contract/read-json.ts'
import type { Listing } from '../feed/listing.ts'
import type { ClosesOfDay } from '../history/closes.ts'
import type { TreeReader } from '../tree/reader.ts'
import type { Comparison } from './deviation.ts'
import type { HistoryFigures } from './history-figures.ts'

const List = z.object(ClosesMembers)
const OfDay = z.object(ClosesOfDayMembers)

/** What closes are compared with. */
interface Recorded {
  readonly listings: readonly Listing[]
  /** Time of the run in ms since 1970. */
  readonly now: number
  readonly histories: ReadonlyMap<string, HistoryFigures>
}

/** Reads the list of days with closes; null if the tree has none. */
export const closesList = async (read: TreeReader): Promise<z.infer<typeof List> | null> =>
  readJson(await read(CLOSES_FILE), List)

/**
 * Compares the list of days with the closes of each, the prices of each day with one another and with the history, and the
 * newest day with the published prices, if the last run was in it. A tree without closes has nothing to compare.
 */
export async function compareCloses(recorded: Recorded, read: TreeReader, comparison: Comparison): Promise<void> {
  const list = await closesList(read)
  if (list === null) return
  const missing = list.rows.filter(({ basis }) => basis === null).length
  const compare = comparison.membersOf(CLOSES_FILE, list)
  compare({ missing, today: list.rows[0]?.day ?? null }, 'the days without a basis, and the newest day')
  for (const [index, row] of list.rows.entries()) {
    if (row.basis === null) continue
    // eslint-disable-next-line no-await-in-loop -- a day may be a megabyte, and one at a time is all that is held
    const closes = readJson(await read(closesFile(row.day)), OfDay)
    const recomputed = closes && {
      day: closes.day,
      basis: closes.basis,
      listings: closes.rows.length,
      runs: closes.runs,
    }
    const rule = 'what the document of the day has'
    comparison.deep(CLOSES_FILE, `rows[${index}]`, { published: row, recomputed, rule })
    if (closes === null) continue
    compareDay(closes, comparison)
    if (closes.basis === 'runs') compareObserved(closes, index > 0, recorded, comparison)
  }
}

/** Compares the prices of a day with one another, and the order of its listings. */
function compareDay({ day, runs, rows }: ClosesOfDay, comparison: Comparison): void {
  let before = ''
  for (const [index, row] of rows.entries()) {
    const { open_usd, high_usd, low_usd, close_usd } = row
    const compare = comparison.membersOf(closesFile(day), row, `rows[${index}]`)
    if (row.slug <= before) compare({ slug: `after ${before}` }, 'each slug once, in order')
    compare({ high_usd: Math.max(high_usd, open_usd, close_usd) }, 'no price is above the high')
    compare({ low_usd: Math.min(low_usd, high_usd, open_usd, close_usd) }, 'no price is below the low')
    compare({ runs: Math.min(row.runs, runs) }, 'no listing was seen by more runs than there were')
    before = row.slug
  }
}

/**
 * Compares a day that runs saw: its newest prices with the published ones, if the last run was in it; the close of a past day
 * with the year of history; and its high and low with the finest history.
 */
function compareObserved(
  { day, asOf, rows }: ClosesOfDay,
  isPast: boolean,
  { listings, now, histories }: Recorded,
  comparison: Comparison,
): void {
  const assets = new Map(listings.map(({ asset }) => [asset.slug, asset]))
  // The newest half hour of the day, or whatever the grid has, is that of the last run.
  const age = now - Date.parse(asOf)
  const isNewest = age >= 0 && age < INTERVAL_MS['1h']
  for (const [index, row] of rows.entries()) {
    const compare = comparison.membersOf(closesFile(day), row, `rows[${index}]`)
    const asset = assets.get(row.slug)
    if (isNewest && asset && asset.price_usd !== null && asset.price_basis.method !== 'carried') {
      const { price_usd: close_usd, volume_24h_usd, market_cap_usd } = asset
      compare({ close_usd, volume_24h_usd, market_cap_usd }, 'the published price is the last of its day')
    }
    const history = histories.get(row.slug)
    const last = isPast ? history?.ownDays.get(day) : undefined
    if (last) {
      const { price_usd: close_usd, volume_24h_usd } = last
      compare({ close_usd, volume_24h_usd }, 'the last price of the day in the year of history')
    }
    const seen = history?.ownPrices.get(day)?.map(({ price_usd }) => price_usd) ?? []
    const rule = 'no price of the finest history is outside of the day'
    compare({ high_usd: Math.max(row.high_usd, ...seen), low_usd: Math.min(row.low_usd, ...seen) }, rule)
  }
}
