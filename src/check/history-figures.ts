import { group } from 'd3-array'
import { dayIn } from '../contract/time.ts'
import type { Asset } from '../contract/asset.ts'
import { type Days, type Point, seriesFile } from '../contract/history.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { bucketOf, timeOf, timestampOf } from '../history/grid.ts'
import { type PublishedSeries, parseSeries } from '../history/last-series.ts'
import { coversHalf } from '../history/series.ts'
import { sparklineOf } from '../history/sparkline.ts'
import type { TreeReader } from '../tree/reader.ts'
import type { Comparison } from './deviation.ts'
import { comparedRanges } from './range-figures.ts'

/** What other documents say of the history of an asset. */
export interface HistoryFigures {
  /** Whether at least half of the days of the year have a value. */
  readonly coversHalf: boolean
  readonly sparkline: readonly (number | null)[]
  /** The last price and volume of the days that our own runs observed, by day. */
  readonly ownDays: ReadonlyMap<string, Point>
  /** The prices of our own runs in the finest series, by day. */
  readonly ownPrices: ReadonlyMap<string, readonly Point[]>
}

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
export async function compareHistory(
  asset: Asset,
  now: number,
  read: TreeReader,
  comparison: Comparison,
): Promise<HistoryFigures> {
  const { slug } = asset
  const fileOf = (days: Days) => seriesFile(slug, days)
  const series = await comparedRanges({ fileOf, parse: parseSeries, read }, false, comparison)
  for (const days of [1, 7] as const) compareLast(asset, now, series.get(days), comparison)
  for (const [finer, coarser] of RANGES) compareCoarser(series.get(finer), series.get(coarser), comparison)
  const [day, week, year] = ([1, 7, 365] as const).map((days) => series.get(days))
  const ownDays = new Map(ownRows(year).map((row) => [dayIn(row.timestamp), row]))
  comparePast(asset, series, [...ownDays.keys()][0], comparison)
  return {
    ownDays,
    ownPrices: group(ownRows(day), ({ timestamp }) => dayIn(timestamp)),
    coversHalf: year !== undefined && coversHalf(365 - year.rows.length, 365),
    sparkline: sparklineOf(week ?? null),
  }
}

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
