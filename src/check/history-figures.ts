import { group } from 'd3-array'
import * as z from 'zod'
import { dayIn, INTERVAL_MS } from '../contract/time.ts'
import type { Asset } from '../contract/asset.ts'
import { entriesOfText, headOfEntries } from '../contract/text.ts'
import { readJson } from '../contract/read-json.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { DAYS, Days, GridInterval, type Point, SeriesMembers, seriesFile } from '../contract/history.ts'
import { bucketOf, timestampOf, windowOf } from '../history/grid.ts'
import { coversHalf, isWidthOf, usualWidthOf } from '../history/series.ts'
import { sparklineOf } from '../history/sparkline.ts'
import type { Comparison } from './deviation.ts'
import type { TreeReader } from '../tree/reader.ts'

/** A series document: its members except the rows, and each row as its line of text. */
interface SeriesText {
  readonly head: Readonly<Record<string, unknown>>
  readonly rows: readonly string[]
}

/** The price that a run observed, and the clock of the run in ms since 1970. */
interface Observed {
  readonly price_usd: number
  readonly at: number
}

/**
 * Compares the head of each series of an asset with its rows, the rows with the grid, the last row with the published
 * price, the 90-day series with the same days of the 365-day series, and what our own runs observed with the finer series.
 */
export async function compareHistory(
  { slug, price_usd, price_basis, change_basis, week_basis, first_listed, replaced_by }: Asset,
  now: number,
  read: TreeReader,
  comparison: Comparison,
): Promise<HistoryFigures> {
  const observed = price_usd === null || price_basis.method === 'carried' ? null : { price_usd, at: now }
  const texts = new Map<Days, SeriesText>()
  for (const days of DAYS) {
    const document = seriesFile(slug, days)
    const series = seriesIn(await read(document))
    if (series === null) {
      comparison.same(
        { document, member: '' },
        { published: 'no series that can be read', recomputed: 'a series', rule: 'every listing has five series' },
      )
      continue
    }
    texts.set(days, series)
    compareHead(slug, days, series, comparison)
    compareLast(days, { slug, series, observed }, comparison)
  }
  compareTail(slug, texts, comparison)
  for (const [finer, coarser] of RANGES)
    compareCoarser(slug, { finer: texts.get(finer), coarser: texts.get(coarser) }, comparison)
  if (replaced_by === null) compareFirst(slug, first_listed, texts.get(365), comparison)
  const all = [...texts.values()]
  comparePast({ slug, member: 'change_basis', basis: change_basis }, all, comparison)
  comparePast({ slug, member: 'week_basis', basis: week_basis }, all, comparison)
  const [year, week] = [texts.get(365), texts.get(7)]
  return {
    ownDays: new Map(year?.rows.flatMap((row) => ownDayIn(row))),
    ownExtremes: extremesOf(texts.get(1)),
    coversHalf: year !== undefined && coversHalf(365 - year.rows.length, 365),
    sparkline: sparklineOf(
      week
        ? { rows: week.rows.flatMap((row) => pointIn(row) ?? []), to: To.safeParse(week.head).data?.to ?? null }
        : null,
    ),
  }
}

const To = z.object({ to: SeriesMembers.to })

/** The time and the price of a row; null for a row of another form. */
function pointIn(row: string): Pick<Point, 'timestamp' | 'price_usd'> | null {
  const [, timestamp, price] = ROW.exec(row) ?? []
  return timestamp === undefined ? null : { timestamp, price_usd: Number(price) }
}

/** What other documents say of the history of an asset. */
export interface HistoryFigures {
  /** Whether at least half of the days of the year have a value. */
  readonly coversHalf: boolean
  readonly sparkline: readonly (number | null)[]
  /** The last price and volume of the days that our own runs observed, by day. */
  readonly ownDays: ReadonlyMap<string, OwnValue>
  /** The highest and the lowest price of our own runs in the finest series, by day. */
  readonly ownExtremes: ReadonlyMap<string, { readonly high: number; readonly low: number }>
}

/** A row that a run observed. A row without a volume comes from a source of past prices. */
interface OwnValue {
  readonly price_usd: number
  readonly volume_24h_usd: number
}

const OWN_ROW = /^\{"timestamp":"([^"]{20})","price_usd":([\d.]+),"volume_24h_usd":([\d.]+)\}$/

/** Returns the start and the values of a row of our own; null of any other. */
function ownIn(row: string): (OwnValue & { readonly timestamp: string }) | null {
  const [, timestamp, price, volume] = OWN_ROW.exec(row) ?? []
  return timestamp === undefined ? null : { timestamp, price_usd: Number(price), volume_24h_usd: Number(volume) }
}

const ownDayIn = (row: string): (readonly [string, OwnValue])[] => {
  const own = ownIn(row)
  return own ? [[dayIn(own.timestamp), own]] : []
}

function extremesOf(finest: SeriesText | undefined): HistoryFigures['ownExtremes'] {
  const days = new Map<string, { readonly high: number; readonly low: number }>()
  for (const row of finest?.rows ?? []) {
    const own = ownIn(row)
    if (!own) continue
    const day = dayIn(own.timestamp)
    const { high, low } = days.get(day) ?? { high: own.price_usd, low: own.price_usd }
    days.set(day, { high: Math.max(high, own.price_usd), low: Math.min(low, own.price_usd) })
  }
  return days
}

/** Each series with the next coarser one. The 90 days are those of the 365. */
const RANGES = [
  [1, 7],
  [7, 30],
  [30, 365],
] as const satisfies readonly (readonly [Days, Days])[]

/** Splits a series document into its head and its rows without parsing each row, because a series has thousands of them. */
function seriesIn(text: string | null): SeriesText | null {
  const parts = entriesOfText(text ?? '')
  const head = parts && readJson(headOfEntries(parts), Head)
  return head && { head, rows: parts.entries }
}

const Head = z.record(z.string(), z.unknown())

const ROW = /^\{"timestamp":"([^"]{20})","price_usd":([\d.]+)/

const startOf = (row: string | undefined): number => Date.parse(ROW.exec(row ?? '')?.[1] ?? '')

/** Returns the bucket width of a range. The width of the finest range depends on the cadence, so the document states it. */
function intervalIn(head: SeriesText['head'], days: Days): GridInterval {
  const said = GridInterval.safeParse(head['interval'])
  return said.success && isWidthOf(days, said.data) ? said.data : usualWidthOf(days)
}

function compareHead(slug: string, days: Days, { head, rows }: SeriesText, comparison: Comparison): void {
  const document = seriesFile(slug, days)
  const interval = intervalIn(head, days)
  const same = (member: string, recomputed: unknown, rule: string) =>
    comparison.same({ document, member }, { published: head[member], recomputed, rule })
  const to = typeof head['to'] === 'string' ? Date.parse(head['to']) : Number.NaN
  const window = windowOf(days, interval, Number.isNaN(to) ? 0 : to)
  same('slug', slug, 'the series of the listing')
  same('days', days, 'the range of the document')
  same('interval', interval, 'the grid of the range')
  same('count', rows.length, 'rows of the document')
  same('missing', window.buckets - rows.length, 'buckets of the range less rows')
  if (Number.isNaN(to)) {
    same('from', null, 'no observation, no window')
    return
  }
  same('from', timestampOf(window.from), 'start of the first of the buckets that end with `to`')
  same('to', timestampOf(window.to), 'start of a bucket')
  let earliest = window.from
  for (const [row, line] of rows.entries()) {
    const start = startOf(line)
    if (start >= earliest && start <= window.to && bucketOf(start, interval) === start)
      earliest = start + INTERVAL_MS[interval]
    else {
      comparison.same(
        { document, member: `rows[${row}].timestamp` },
        {
          published: ROW.exec(line)?.[1] ?? line,
          recomputed: `from ${timestampOf(earliest)} on`,
          rule: 'rows in order on the grid',
        },
      )
      return
    }
  }
}

/** Compares the last bucket with the price of the run that published it. That of a long range waits until it is closed. */
function compareLast(
  days: Days,
  { slug, series, observed }: { slug: string; series: SeriesText; observed: Observed | null },
  comparison: Comparison,
): void {
  const last = series.rows.at(-1)
  if (days >= 30 || observed === null || startOf(last) !== bucketOf(observed.at, intervalIn(series.head, days))) return
  comparison.same(
    { document: seriesFile(slug, days), member: `rows[${series.rows.length - 1}].price_usd` },
    {
      published: Number(ROW.exec(last ?? '')?.[2]),
      recomputed: observed.price_usd,
      rule: 'the published price is the last of its bucket',
    },
  )
}

/** Compares the 90-day series with the end of the 365-day series. */
function compareTail(slug: string, texts: ReadonlyMap<Days, SeriesText>, comparison: Comparison): void {
  const [short, long] = [texts.get(90), texts.get(365)]
  const from = short?.head['from']
  if (!short || !long || typeof from !== 'string') return
  const tail = long.rows.filter((row) => (ROW.exec(row)?.[1] ?? '') >= from)
  const at = tail.findIndex((row, place) => row !== short.rows[place])
  comparison.same(
    { document: seriesFile(slug, 90), member: at < 0 ? 'rows' : `rows[${at}]` },
    {
      published: at < 0 ? short.rows.length : short.rows[at],
      recomputed: at < 0 ? tail.length : tail[at],
      rule: 'the 90 days are the last of the 365',
    },
  )
}

/**
 * Compares what our own runs observed in the closed buckets of a series with the finer series: the value of a bucket is one
 * of those that the finer series has in it. Past prices of sources may differ between ranges, which ask other sources.
 */
function compareCoarser(
  slug: string,
  { finer, coarser }: Readonly<Record<'finer' | 'coarser', SeriesText | undefined>>,
  comparison: Comparison,
): void {
  if (!finer || !coarser) return
  const days = Days.safeParse(coarser.head['days']).data
  const [from, to] = [finer.head['from'], coarser.head['to']]
  if (days === undefined || typeof from !== 'string' || typeof to !== 'string') return
  const interval = intervalIn(coarser.head, days)
  const observed = finer.rows.flatMap((row) => ownIn(row) ?? [])
  const inBucket = group(observed, ({ timestamp }) => timestampOf(bucketOf(Date.parse(timestamp), interval)))
  for (const [index, row] of coarser.rows.entries()) {
    const own = ownIn(row)
    const values = own && own.timestamp >= from && own.timestamp < to ? inBucket.get(own.timestamp) : undefined
    if (!own || !values) continue
    const match = values.find((one) => one.price_usd === own.price_usd && one.volume_24h_usd === own.volume_24h_usd)
    const { price_usd, volume_24h_usd } = own
    comparison.deep(
      seriesFile(slug, days),
      {
        published: { price_usd, volume_24h_usd },
        recomputed: pricesOf(match ?? values.at(-1)),
        rule: `what the ${String(finer.head['days'])} days have in this bucket`,
      },
      `rows[${index}]`,
    )
  }
}

const pricesOf = (value: OwnValue | undefined) =>
  value && { price_usd: value.price_usd, volume_24h_usd: value.volume_24h_usd }

/** Compares when the asset was first listed with the first day that our own runs observed. */
function compareFirst(
  slug: string,
  first_listed: string | null,
  year: SeriesText | undefined,
  comparison: Comparison,
): void {
  if (first_listed === null || year === undefined) return
  const first = year.rows.flatMap((row) => ownDayIn(row).map(([day]) => day))[0]
  if (first === undefined) return
  comparison.same(
    { document: `${API_FOLDER}/assets/${slug}.json`, member: 'asset.first_listed' },
    {
      published: first_listed,
      recomputed: dayIn(first_listed) > first ? first : first_listed,
      rule: 'not after the first day of its own history',
    },
  )
}

/** The past price that a change is computed from. */
interface PastBasis {
  readonly slug: string
  readonly member: 'change_basis' | 'week_basis'
  readonly basis: Pick<Asset['change_basis'] | Asset['week_basis'], 'method' | 'since' | 'price_usd'>
}

/** Compares the past price that a change is computed from with its bucket in the history. */
function comparePast(
  { slug, member, basis: { method, since, price_usd } }: PastBasis,
  series: readonly SeriesText[],
  comparison: Comparison,
): void {
  if (method !== 'history' || since === null || price_usd === null) return
  const prices = series.flatMap(({ rows }) =>
    rows.flatMap((row) => {
      const [, timestamp, price] = ROW.exec(row) ?? []
      return timestamp === since ? [Number(price)] : []
    }),
  )
  const recomputed = prices.includes(price_usd) ? price_usd : (prices[0] ?? null)
  comparison.same(
    { document: `${API_FOLDER}/assets/${slug}.json`, member: `asset.${member}.price_usd` },
    { published: price_usd, recomputed, rule: 'the bucket of the history that `since` names' },
  )
}
