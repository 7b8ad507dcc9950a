import type { CandlesAnswer, HistoryAnswer, TotalsAnswer } from '../client/answers.ts'
import { csv } from '../contract/csv.ts'
import { DAY_MS } from '../contract/time.ts'
import { type ShownCurrency, change, count, moment, money, percent, price, span } from './format.ts'
import { type Grid, STEP_SECONDS } from './line.ts'
import { MEASURES, type Measure } from './measures.ts'

/** A gap of more than this many buckets is described in words. */
const LONG_GAP = 3

/** A chart has a line from two values on. */
export const LEAST_POINTS = 2

/** The values of a time. Those of a candle differ; any other value is all four. */
export interface SeriesRow {
  readonly timestamp: string
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  /** Of candles in coins, otherwise in the currency of the values; null: unknown. */
  readonly volume: number | null
  /** Number of venues of a candle. */
  readonly venues?: number
}

/** A measure over time. */
export interface Series extends Grid<SeriesRow>, Pick<HistoryAnswer, 'from' | 'missing' | 'sourceLabel'> {
  readonly name: string
  readonly measure: Measure
  readonly days: number
}

/** Returns rows as a series, in which those without a value are missing. */
function seriesOf<Row>(
  head: Omit<Series, 'rows'>,
  rows: readonly Row[],
  valueOf: (row: Row) => SeriesRow | null,
): Series {
  const known = rows.flatMap((row) => valueOf(row) ?? [])
  return { ...head, rows: known, missing: head.missing + rows.length - known.length }
}

const valueAt = (timestamp: string, value: number | null, volume: number | null = null): SeriesRow | null =>
  value === null ? null : { timestamp, open: value, high: value, low: value, close: value, volume }

/** Returns the prices of a history, or its volumes. */
export const historySeries = ({ rows, ...answer }: HistoryAnswer, measure: 'price' | 'volume' = 'price'): Series =>
  seriesOf({ ...answer, measure, name: answer.slug }, rows, ({ timestamp, price_usd, volume_24h_usd: volume }) =>
    measure === 'price' ? valueAt(timestamp, price_usd, volume) : valueAt(timestamp, volume),
  )

/** Returns candles as a series. `newest` is the time of the newest price, which may be later. */
export function candleSeries(
  { rows, sources, ...answer }: CandlesAnswer,
  newest: string | null,
  names: ReadonlyMap<string, string>,
): Series {
  const { to, interval } = answer
  const isLate =
    to !== null && newest !== null && Date.parse(newest) - Date.parse(to) > LONG_GAP * STEP_SECONDS[interval] * 1000
  const lag = isLate ? `The newest candle is that of ${moment(to)}; later ones follow. ` : ''
  const sourceLabel = `${lag}Bars of ${sources.map((id) => names.get(id) ?? id).join(', ')}`
  return seriesOf(
    { ...answer, measure: 'candles', name: answer.slug, sourceLabel },
    rows,
    ({ timestamp, venues, ...row }) => {
      const { open_usd: open, high_usd: high, low_usd: low, close_usd: close, volume_base: volume } = row
      return { timestamp, open, high, low, close, volume, venues }
    },
  )
}

/** Returns values of days, in which there may be gaps, as a series. */
export function daysSeries(
  given: Pick<Series, 'name' | 'measure' | 'sourceLabel'>,
  days: readonly (readonly [day: string, value: number | null])[],
): Series {
  const [from = null, to = null] = [days[0], days.at(-1)].map((one) => (one ? `${one[0]}T00:00:00Z` : null))
  const all = from === null || to === null ? 0 : (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  const head = { ...given, days: all, interval: '1d', from, to, missing: all - days.length } as const
  return seriesOf(head, days, ([day, value]) => valueAt(`${day}T00:00:00Z`, value))
}

const TOTALS = { cap: 'market_cap_usd', volume: 'volume_24h_usd', largest: 'largest_percent' } as const

/** Returns one measure of the totals of a group. */
export const totalsSeries = ({ group, rows }: TotalsAnswer, measure: keyof typeof TOTALS): Series =>
  daysSeries(
    { name: group, measure, sourceLabel: 'Ranked, unflagged listings, as the first run of each day found them' },
    rows.map((row) => [row.day, row[TOTALS[measure]]]),
  )

/** Returns a series in dollars at the rates of its times: dollars for one unit. A value without a rate is missing. */
export const seriesAt = ({ rows, ...series }: Series, rateAt: (timestamp: string) => number | null): Series =>
  seriesOf(series, rows, (row) => {
    const rate = rateAt(row.timestamp)
    if (rate === null) return null
    const [open, high, low, close] = [row.open / rate, row.high / rate, row.low / rate, row.close / rate]
    const volume = row.volume === null || series.measure === 'candles' ? row.volume : row.volume / rate
    return { ...row, open, high, low, close, volume }
  })

/** Returns how the values of a measure, given in a currency, are written. */
export function writtenIn(currency: ShownCurrency, measure: Measure): (value: number | null) => string {
  const { unit } = MEASURES[measure]
  const own = { ...currency, price_usd: 1 }
  return (value) => (unit === 'percent' ? percent(value) : unit === 'money' ? money(value, own) : price(value, own))
}

/** Returns what a reader should know about the points of a range that are missing; `''`: nothing. */
function gapsOf({ rows, interval, from, missing, measure }: Series): string {
  const [first] = rows
  if (missing === 0 || first === undefined || from === null) return ''
  const step = STEP_SECONDS[interval] * 1000
  const times = rows.map(({ timestamp }) => Date.parse(timestamp))
  const longest = Math.max(0, ...times.slice(1).map((at, index) => at - (times[index] ?? at)))
  const isLate = (times[0] ?? 0) - Date.parse(from) > LONG_GAP * step
  return [
    isLate ? ` The first ${MEASURES[measure].noun} is that of ${moment(first.timestamp)}.` : '',
    ` ${count(missing)} of ${count(rows.length + missing)} points are missing.`,
    longest > LONG_GAP * step ? ` The longest gap is ${span(longest)}.` : '',
  ].join('')
}

/** Returns a series, given in a currency, in words: they are the text alternative of its chart. */
export function summaryOf(series: Series, currency: ShownCurrency): string {
  const { measure, rows, days, interval, from, sourceLabel } = series
  const { noun } = MEASURES[measure]
  const write = writtenIn(currency, measure)
  const range = days === 1 ? '24 hours' : `${days} days`
  const [first, last] = [rows[0], rows.at(-1)]
  const next = `Each ${interval === '1d' ? 'day' : 'run'} adds one.`
  if (!first || !last) return `No ${noun} for the last ${range} is known yet. ${next}`
  if (first === last)
    return `One ${noun} for the last ${range} is known: ${write(first.close)} at ${moment(first.timestamp)}. ${next}`
  // The changes of a day and of a week are figures of the asset, and a range that begins late has none; nor has a share.
  const isWhole = days > 7 && from !== null && first.timestamp <= from && MEASURES[measure].unit !== 'percent'
  const moved = isWhole ? `${change((last.close / first.open - 1) * 100)}, ` : ''
  const [low, high] = [Math.min(...rows.map((row) => row.low)), Math.max(...rows.map((row) => row.high))]
  return (
    `${range}: ${moved}from ${write(first.open)} to ${write(last.close)}; ` +
    `low ${write(low)}, high ${write(high)}.${gapsOf(series)} ${sourceLabel}.`
  )
}

/** Returns a history as CSV (RFC 4180): time, price and volume in US dollars, with an empty cell for an unknown volume. */
export const historyCsv = ({ rows }: Pick<HistoryAnswer, 'rows'>): string =>
  csv(['timestamp', 'price_usd', 'volume_24h_usd'], rows)
