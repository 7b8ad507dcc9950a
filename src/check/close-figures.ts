import * as z from 'zod'
import { INTERVAL_MS } from '../contract/time.ts'
import { CLOSES_FILE, type CloseRow, ClosesMembers, ClosesOfDayMembers, closesFile } from '../contract/closes.ts'
import { readJson } from '../contract/read-json.ts'
import type { Listing } from '../feed/listing.ts'
import type { TreeReader } from '../tree/reader.ts'
import type { Comparison } from './deviation.ts'
import type { HistoryFigures } from './history-figures.ts'

const List = z.object(ClosesMembers)

/** What closes are compared with beside the listings. */
interface Recorded {
  /** Time of the run in ms since 1970. */
  readonly now: number
  readonly read: TreeReader
  readonly histories: ReadonlyMap<string, HistoryFigures>
}
const OfDay = z.object(ClosesOfDayMembers)

/** Reads the list of days with closes; null if the tree has none. */
export const closesList = async (read: TreeReader): Promise<z.infer<typeof List> | null> =>
  readJson(await read(CLOSES_FILE), List)

/**
 * Compares the list of days with the closes of each, the prices of each day with one another, and the newest day with the
 * published prices, if the last run was in it. A tree without closes has nothing to compare.
 */
export async function compareCloses(
  listings: readonly Listing[],
  { now, read, histories }: Recorded,
  comparison: Comparison,
): Promise<void> {
  const list = await closesList(read)
  if (list === null) return
  const place = (member: string) => ({ document: CLOSES_FILE, member })
  const missing = list.rows.filter(({ basis }) => basis === null).length
  comparison.same(place('count'), { published: list.count, recomputed: list.rows.length, rule: 'rows of the document' })
  comparison.same(place('missing'), { published: list.missing, recomputed: missing, rule: 'days without a basis' })
  comparison.same(place('today'), {
    published: list.today,
    recomputed: list.rows[0]?.day ?? null,
    rule: 'the newest day',
  })
  const prices = new Map(listings.map(({ asset }) => [asset.slug, asset]))
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
    comparison.deep(
      CLOSES_FILE,
      { published: row, recomputed, rule: 'what the document of the day has' },
      `rows[${index}]`,
    )
    if (closes === null) continue
    compareDay(closes, comparison)
    if (closes.basis === 'runs' && isOfRun(closes.asOf, now)) compareNewest(closes, prices, comparison)
    for (const [at, one] of closes.basis === 'runs' ? closes.rows.entries() : [])
      compareWithHistory(one, { day: row.day, at, isPast: index > 0 }, histories.get(one.slug), comparison)
  }
}

/** Compares the closes of the last run with the listings that it published. */
function compareNewest(
  { day, rows }: z.infer<typeof OfDay>,
  assets: ReadonlyMap<string, Listing['asset']>,
  comparison: Comparison,
): void {
  for (const [at, { slug, close_usd, volume_24h_usd, market_cap_usd }] of rows.entries()) {
    const asset = assets.get(slug)
    if (!asset || asset.price_usd === null || asset.price_basis.method === 'carried') continue
    comparison.deep(
      closesFile(day),
      {
        published: { close_usd, volume_24h_usd, market_cap_usd },
        recomputed: {
          close_usd: asset.price_usd,
          volume_24h_usd: asset.volume_24h_usd,
          market_cap_usd: asset.market_cap_usd,
        },
        rule: 'the published price is the last of its day',
      },
      `rows[${at}]`,
    )
  }
}

/**
 * Compares the day of a listing with its history: a past day ends with the value that the year has of it, and no price of the
 * finest series lies outside of the day.
 */
function compareWithHistory(
  { close_usd, high_usd, low_usd, volume_24h_usd }: CloseRow,
  { day, at, isPast }: { readonly day: string; readonly at: number; readonly isPast: boolean },
  history: HistoryFigures | undefined,
  comparison: Comparison,
): void {
  const document = closesFile(day)
  const own = isPast ? history?.ownDays.get(day) : undefined
  if (own)
    comparison.deep(
      document,
      {
        published: { close_usd, volume_24h_usd },
        recomputed: { close_usd: own.price_usd, volume_24h_usd: own.volume_24h_usd },
        rule: 'the last price of the day in the year of history',
      },
      `rows[${at}]`,
    )
  const seen = history?.ownExtremes.get(day)
  if (!seen) return
  const rule = 'no price of the finest history is outside of the day'
  const member = (name: keyof CloseRow) => ({ document, member: `rows[${at}].${name}` })
  comparison.same(member('high_usd'), { published: high_usd, recomputed: Math.max(high_usd, seen.high), rule })
  comparison.same(member('low_usd'), { published: low_usd, recomputed: Math.min(low_usd, seen.low), rule })
}

/** Whether the newest half hour of a day, or whatever the grid has, is that of the last run. */
function isOfRun(asOf: string, now: number): boolean {
  const age = now - Date.parse(asOf)
  return age >= 0 && age < INTERVAL_MS['1h']
}

function compareDay({ day, runs, rows }: z.infer<typeof OfDay>, comparison: Comparison): void {
  const document = closesFile(day)
  let before = ''
  for (const [index, row] of rows.entries()) {
    const { slug } = row
    const isInOrder = slug > before
    const member = (name: keyof CloseRow) => ({ document, member: `rows[${index}].${name}` })
    comparison.same(member('slug'), {
      published: isInOrder,
      recomputed: true,
      rule: 'each slug once, in order',
    })
    const all = [row.open_usd, row.high_usd, row.low_usd, row.close_usd]
    comparison.same(member('high_usd'), {
      published: row.high_usd,
      recomputed: Math.max(...all),
      rule: 'no price is above the high',
    })
    comparison.same(member('low_usd'), {
      published: row.low_usd,
      recomputed: Math.min(...all),
      rule: 'no price is below the low',
    })
    comparison.same(member('runs'), {
      published: row.runs,
      recomputed: Math.min(row.runs, runs),
      rule: 'no listing was seen by more runs than there were',
    })
    before = slug
  }
}
