import { INTERVAL_MS } from '../contract/time.ts'
import { type CandleRow, candleFile } from '../contract/candles.ts'
import { DAYS, type Days } from '../contract/history.ts'
import { type CandleSeries, parseCandles, recomputedRow } from '../history/candle-series.ts'
import { bucketOf, timeOf, timestampOf, windowOf } from '../history/grid.ts'
import { isWidthOf, usualWidthOf } from '../history/series.ts'
import type { TreeReader } from '../tree/reader.ts'
import type { Comparison } from './deviation.ts'

/**
 * Compares the head of each range of an asset's candles with its rows, the rows with the grid and with themselves, the 90
 * days with the same days of the 365, bars of several venues with those of the venues, and bars of four hours with their
 * hours, where both are of one venue. Nothing is compared for an asset without candles.
 */
export async function compareCandles(slug: string, read: TreeReader, comparison: Comparison): Promise<void> {
  const texts = await Promise.all(DAYS.map(async (days) => [days, await read(candleFile(slug, days))] as const))
  if (texts.every(([, text]) => text === null)) return
  const ranges = new Map<Days, CandleSeries>()
  for (const [days, text] of texts) {
    const range = parseCandles(text, days)
    if (range) ranges.set(days, range)
    comparison.same(
      { document: candleFile(slug, days), member: '' },
      {
        published: range ? 'candles' : 'no candles that can be read',
        recomputed: 'candles',
        rule: 'who has one range has five',
      },
    )
  }
  for (const range of ranges.values()) {
    compareHead(slug, range, comparison)
    compareRows(slug, range, comparison)
  }
  const [hours, fourHours, short, year] = ([7, 30, 90, 365] as const).map((days) => ranges.get(days))
  if (short && year) compareTail(slug, { short, year }, comparison)
  if (hours && fourHours) compareHours(slug, { hours, fourHours }, comparison)
}

function compareHead(slug: string, range: CandleSeries, comparison: Comparison): void {
  const { days, rows, interval } = range
  const document = candleFile(slug, days)
  const same = (member: keyof CandleSeries, recomputed: unknown, rule: string) =>
    comparison.same({ document, member }, { published: range[member], recomputed, rule })
  const newest = rows.at(-1)
  const width = isWidthOf(days, interval) ? interval : usualWidthOf(days)
  const to = newest ? timeOf(newest.timestamp) : null
  const window = windowOf(days, width, to ?? 0)
  same('slug', slug, 'the candles of the listing')
  same('interval', width, 'the grid of the range')
  same('count', rows.length, 'rows of the document')
  same('missing', window.buckets - rows.length, 'buckets of the range less rows')
  same('from', to === null ? null : timestampOf(window.from), 'start of the first of the buckets that end with `to`')
  same('to', newest?.timestamp ?? null, 'start of the newest bar')
  same('asOf', to === null ? null : timestampOf(to + INTERVAL_MS[width]), 'end of the newest bar')
}

function compareRows(slug: string, { days, interval, rows, from }: CandleSeries, comparison: Comparison): void {
  const document = candleFile(slug, days)
  let earliest = from === null ? 0 : timeOf(from)
  for (const [index, { timestamp, open_usd, high_usd, low_usd, close_usd }] of rows.entries()) {
    const start = timeOf(timestamp)
    const isInOrder = start >= earliest && bucketOf(start, interval) === start
    const row = `rows[${index}]`
    comparison.same(
      { document, member: `${row}.timestamp` },
      {
        published: timestamp,
        recomputed: isInOrder ? timestamp : timestampOf(earliest),
        rule: 'rows in order on the grid',
      },
    )
    comparison.same(
      { document, member: `${row}.high_usd` },
      { published: high_usd, recomputed: Math.max(high_usd, open_usd, close_usd), rule: 'no price is above the high' },
    )
    comparison.same(
      { document, member: `${row}.low_usd` },
      { published: low_usd, recomputed: Math.min(low_usd, open_usd, close_usd), rule: 'no price is below the low' },
    )
    compareInputs(document, row, rows[index], comparison)
    earliest = start + INTERVAL_MS[interval]
  }
}

/** Compares a bar of several venues with that of theirs. Its high and low may cover shorter bars, too. */
function compareInputs(document: string, place: string, row: CandleRow | undefined, comparison: Comparison): void {
  if (!row || row.inputs.length === 0) return
  const recomputed = recomputedRow(row)
  const high_usd = Math.max(row.high_usd, recomputed?.high_usd ?? Infinity)
  const low_usd = Math.min(row.low_usd, recomputed?.low_usd ?? 0)
  const rule = 'the rule of bars over those of the venues'
  comparison.deep(
    document,
    { published: row, recomputed: recomputed && { ...recomputed, high_usd, low_usd }, rule },
    place,
  )
}

function compareTail(
  slug: string,
  { short, year }: { readonly short: CandleSeries; readonly year: CandleSeries },
  comparison: Comparison,
): void {
  const { from } = short
  const tail = from === null ? [] : year.rows.filter(({ timestamp }) => timestamp >= from)
  const rule = 'the 90 days are the last of the 365'
  comparison.deep(candleFile(slug, 90), { published: short.rows, recomputed: tail, rule }, 'rows')
}

/** Compares bars of four hours with their hours where both are of the same single venue. */
function compareHours(
  slug: string,
  { hours, fourHours }: { readonly hours: CandleSeries; readonly fourHours: CandleSeries },
  comparison: Comparison,
): void {
  const [only, other] = [...hours.sources, ...fourHours.sources.filter((id) => !hours.sources.includes(id))]
  if (only === undefined || other !== undefined) return
  const byTime = new Map(hours.rows.map((row) => [row.timestamp, row]))
  for (const [index, row] of fourHours.rows.entries()) {
    const parts = [0, 1, 2, 3].map((hour) => byTime.get(timestampOf(timeOf(row.timestamp) + hour * INTERVAL_MS['1h'])))
    const joined = parts.includes(undefined) ? null : joinedRow(parts.filter((part) => part !== undefined))
    if (joined === null) continue
    const { open_usd, high_usd, low_usd, close_usd } = row
    comparison.deep(
      candleFile(slug, 30),
      {
        published: { open_usd, high_usd, low_usd, close_usd },
        recomputed: joined,
        rule: 'the four hours of the venue',
      },
      `rows[${index}]`,
    )
  }
}

function joinedRow(parts: readonly CandleRow[]) {
  const [first, last] = [parts[0], parts.at(-1)]
  if (!first || !last) return null
  return {
    open_usd: first.open_usd,
    high_usd: Math.max(...parts.map(({ high_usd }) => high_usd)),
    low_usd: Math.min(...parts.map(({ low_usd }) => low_usd)),
    close_usd: last.close_usd,
  }
}
