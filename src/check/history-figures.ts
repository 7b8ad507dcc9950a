import { group } from 'd3-array'
import type { Asset } from '../contract/asset.ts'
import { CLOSES_FILE, ClosesList, ClosesOfDay, closesDay, closesFile } from '../contract/closes.ts'
import { type Days, type Point, seriesFile } from '../contract/history.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { readJson } from '../contract/read-json.ts'
import { dayIn, INTERVAL_MS } from '../contract/time.ts'
import type { Listing } from '../feed/listing.ts'
import { bucketOf, timeOf, timestampOf } from '../history/grid.ts'
import { type PublishedSeries, parseSeries } from '../history/last-series.ts'
import { coversHalf } from '../history/series.ts'
import { sparklineOf } from '../history/sparkline.ts'
import type { TreeReader } from '../tree/reader.ts'
import type { Comparison } from './deviation.ts'
import { comparedRanges } from './series-figures.ts'

/** Each series with the next coarser one. The 90 days are those of the 365. */
const RANGES = [
  [1, 7],
  [7, 30],
  [30, 365],
] as const satisfies readonly (readonly [Days, Days])[]

/**
 * Compares the series of an asset with their grids, with each other, with the published price, and with the past prices that
 * its changes are computed from.
 */
export async function compareHistory(asset: Asset, now: number, read: TreeReader, comparison: Comparison) {
  const { slug } = asset
  const fileOf = (days: Days) => seriesFile(slug, days)
  const series = await comparedRanges({ fileOf, parse: parseSeries, read }, false, comparison)
  for (const days of [1, 7] as const) compareLast(asset, now, series.get(days), comparison)
  for (const [finer, coarser] of RANGES) compareCoarser(series.get(finer), series.get(coarser), comparison)
  const [day, week, year] = ([1, 7, 365] as const).map((days) => series.get(days))
  const ownDays = new Map(ownRows(year).map((row) => [dayIn(row.timestamp), row]))
  comparePast(asset, series, [...ownDays.keys()][0], comparison)
  return {
    /** The last price and volume of the days that our own runs observed, by day. */
    ownDays,
    /** The prices of our own runs in the finest series, by day. */
    ownPrices: group(ownRows(day), ({ timestamp }) => dayIn(timestamp)),
    /** Whether at least half of the days of the year have a value. */
    coversHalf: year !== undefined && coversHalf(365 - year.rows.length, 365),
    sparkline: sparklineOf(week ?? null),
  }
}

/** What other documents say of the history of an asset. */
export type HistoryFigures = Awaited<ReturnType<typeof compareHistory>>

/** The rows that a run observed. A row without a volume comes from a source of past prices. */
const ownRows = (series: PublishedSeries | undefined): readonly Point[] =>
  series?.rows.filter(({ volume_24h_usd }) => volume_24h_usd !== null) ?? []

/** Compares the last bucket with the price of the run that published it. That of a long range waits until it is closed. */
function compareLast(
  { slug, price_usd, price_basis: { method } }: Asset,
  now: number,
  series: PublishedSeries | undefined,
  comparison: Comparison,
): void {
  const last = series?.rows.at(-1)
  if (!series || !last || price_usd === null || method === 'carried') return
  if (timeOf(last.timestamp) !== bucketOf(now, series.interval)) return
  const compare = comparison.membersOf(seriesFile(slug, series.days), last, `rows[${series.rows.length - 1}]`)
  compare({ price_usd }, 'the published price is the last of its bucket')
}

/**
 * Compares what our own runs observed in the closed buckets of a series with the finer series: the value of a bucket is one
 * of those that the finer series has in it. Past prices of sources may differ between ranges, which ask other sources.
 */
function compareCoarser(
  finer: PublishedSeries | undefined,
  coarser: PublishedSeries | undefined,
  comparison: Comparison,
): void {
  if (!finer || !coarser) return
  const { slug, days, interval, to } = coarser
  const seen = group(ownRows(finer), ({ timestamp }) => timestampOf(bucketOf(timeOf(timestamp), interval)))
  for (const [index, row] of coarser.rows.entries()) {
    const { timestamp, price_usd: price, volume_24h_usd: volume } = row
    const isWhole = volume !== null && timestamp >= (finer.from ?? timestamp) && timestamp < (to ?? '')
    const values = isWhole ? seen.get(timestamp) : undefined
    const value = values?.find((one) => one.price_usd === price && one.volume_24h_usd === volume) ?? values?.at(-1)
    if (!value) continue
    const { price_usd, volume_24h_usd } = value
    const compare = comparison.membersOf(seriesFile(slug, days), row, `rows[${index}]`)
    compare({ price_usd, volume_24h_usd }, `what the ${finer.days} days have in this bucket`)
  }
}

/** Compares the past prices that changes are computed from with the history, and the first listing with its first own day. */
function comparePast(
  { slug, change_basis: change, week_basis: week, first_listed, replaced_by }: Asset,
  series: ReadonlyMap<Days, PublishedSeries>,
  firstDay: string | undefined,
  comparison: Comparison,
): void {
  const document = `${API_FOLDER}/assets/${slug}.json`
  if (change.method === 'history') {
    const past = [...series.values()].flatMap(({ rows }) => rows.filter(({ timestamp }) => timestamp === change.since))
    const { price_usd = null } = past.find((row) => row.price_usd === change.price_usd) ?? past[0] ?? {}
    const compare = comparison.membersOf(document, change, 'asset.change_basis')
    compare({ price_usd }, 'the bucket of the history that `since` names')
  }
  if (week.method === 'history') {
    const { timestamp = null, price_usd = null } = series.get(7)?.rows[0] ?? {}
    const compare = comparison.membersOf(document, week, 'asset.week_basis')
    compare({ since: timestamp, price_usd }, 'the first bucket of the 7-day history')
  }
  if (replaced_by === null && first_listed !== null && firstDay !== undefined && dayIn(first_listed) > firstDay)
    comparison.same(document, 'asset.first_listed', {
      published: first_listed,
      recomputed: firstDay,
      rule: 'not after the first day of its own history',
    })
}

interface Recorded {
  readonly listings: readonly Listing[]
  /** Time of the run in ms since 1970. */
  readonly now: number
  readonly histories: ReadonlyMap<string, HistoryFigures>
}

/** Reads the list of days with closes; null if the tree has none. */
export const closesList = async (read: TreeReader): Promise<ClosesList | null> =>
  readJson(await read(CLOSES_FILE), ClosesList)

/**
 * Compares the list of days with the closes of each, the prices of each day with one another and with the history, and the
 * newest day with the published prices, if the last run was in it. A tree without closes has nothing to compare.
 */
export async function compareCloses(
  recorded: Recorded,
  { files, read }: { readonly files: readonly string[]; readonly read: TreeReader },
  comparison: Comparison,
): Promise<void> {
  const list = await closesList(read)
  if (list === null) return
  const oldest = list.rows.at(-1)?.day ?? ''
  const older = files
    .flatMap((file) => closesDay(file) ?? [])
    .filter((day) => day < oldest)
    .toSorted()
  comparison.membersOf(CLOSES_FILE, list)({ olderFrom: older[0] ?? null }, 'the first of the days before the list')
  for (const day of older) {
    // eslint-disable-next-line no-await-in-loop -- a day may be a megabyte, and one at a time is all that is held
    const closes = readJson(await read(closesFile(day)), ClosesOfDay)
    if (closes === null) continue
    comparison.membersOf(closesFile(day), closes)({ day, basis: 'candles', runs: 0 }, 'no run saw it')
    compareDay(closes, comparison)
  }
  const missing = list.rows.filter(({ basis }) => basis === null).length
  const compare = comparison.membersOf(CLOSES_FILE, list)
  compare({ missing, today: list.rows[0]?.day ?? null }, 'the days without a basis, and the newest day')
  for (const [index, row] of list.rows.entries()) {
    if (row.basis === null) continue
    // eslint-disable-next-line no-await-in-loop -- a day may be a megabyte, and one at a time is all that is held
    const closes = readJson(await read(closesFile(row.day)), ClosesOfDay)
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
