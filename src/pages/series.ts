import type { CandlesAnswer, HistoryAnswer, TotalsAnswer } from '../client/answers.ts'
import { decimal } from '../contract/numbers.ts'
import { DAY_MS } from '../contract/time.ts'
import { type ShownCurrency, change, count, moment, price as priceIn, span } from './format.ts'
import { MEASURES } from './measures.ts'

const STEP_SECONDS = { '15m': 900, '30m': 1800, '1h': 3600, '4h': 14_400, '1d': 86_400 } as const
/** A gap of more than this many buckets is described in words. */
const LONG_GAP = 3

/** A chart has a line from two values on. */
export const LEAST_POINTS = 2

/** A series of values in place of prices, such as volumes. */
export interface Values extends Pick<HistoryAnswer, 'interval' | 'from' | 'to' | 'missing' | 'rows' | 'sourceLabel'> {
  readonly days: number
}

/** Returns the known volumes of a series in place of its prices. */
export function volumesOf<Answer extends Values>(answer: Answer): Answer {
  const rows = answer.rows.flatMap(({ timestamp, volume_24h_usd: volume }) =>
    volume === null ? [] : [{ timestamp, price_usd: volume, volume_24h_usd: null }],
  )
  return { ...answer, rows, missing: answer.missing + answer.rows.length - rows.length }
}

/** Returns values of days as a series. */
export function daysAsValues(
  days: readonly (readonly [day: string, value: number | null])[],
  sourceLabel: string,
): Values {
  const rows = days.flatMap(([day, value]) =>
    value === null ? [] : [{ timestamp: `${day}T00:00:00Z`, price_usd: value, volume_24h_usd: null }],
  )
  const [from = null, to = null] = [days[0], days.at(-1)].map((one) => (one ? `${one[0]}T00:00:00Z` : null))
  const all = from === null || to === null ? 0 : (Date.parse(to) - Date.parse(from)) / DAY_MS + 1
  return { days: all, interval: '1d', from, to, missing: all - rows.length, rows, sourceLabel }
}

const TOTAL = { cap: 'market_cap_usd', volume: 'volume_24h_usd', largest: 'largest_percent' } as const

/** Returns one measure of the totals of a group. */
export const totalsAsValues = ({ rows }: Pick<TotalsAnswer, 'rows'>, measure: keyof typeof TOTAL): Values =>
  daysAsValues(
    rows.map((row) => [row.day, row[TOTAL[measure]]]),
    'Ranked, unflagged listings, as the first run of each day found them',
  )

interface Range<Row> {
  readonly rows: readonly Row[]
  readonly interval: keyof typeof STEP_SECONDS
  readonly to: string | null
}

/**
 * Returns the grid of a range from its first row on, in seconds since 1970, with the row of each bucket; null: it has none,
 * which leaves a gap in the line. What precedes the first row would be an empty frame.
 */
export function gridOf<Row extends { readonly timestamp: string }>({
  rows,
  interval,
  to,
}: Range<Row>): {
  readonly times: number[]
  readonly at: readonly (Row | null)[]
} {
  const [first] = rows
  const times: number[] = []
  if (first === undefined || to === null) return { times, at: [] }
  const known = new Map(rows.map((row) => [Date.parse(row.timestamp) / 1000, row]))
  for (let at = Date.parse(first.timestamp) / 1000; at <= Date.parse(to) / 1000; at += STEP_SECONDS[interval])
    times.push(at)
  return { times, at: times.map((time) => known.get(time) ?? null) }
}

/** Returns what a reader should know about the points of a range that are missing; `''`: nothing. */
function gapsOf({ rows, interval, from, missing }: Values, noun: string): string {
  const [first] = rows
  if (missing === 0 || first === undefined || from === null) return ''
  const step = STEP_SECONDS[interval] * 1000
  const times = rows.map(({ timestamp }) => Date.parse(timestamp))
  const longest = Math.max(0, ...times.slice(1).map((at, index) => at - (times[index] ?? at)))
  const late = (times[0] ?? 0) - Date.parse(from) > LONG_GAP * step
  return [
    late ? ` The first ${noun} is that of ${moment(first.timestamp)}.` : '',
    ` ${count(missing)} of ${count(rows.length + missing)} points are missing.`,
    longest > LONG_GAP * step ? ` The longest gap is ${span(longest)}.` : '',
  ].join('')
}

const rangeOf = (days: number): string => (days === 1 ? '24 hours' : `${days} days`)

/**
 * Returns a text alternative of the chart for screen readers.
 *
 * @param write prints a value
 */
export function summaryOf(
  answer: Values,
  write: (value: number) => string = (value) => priceIn(value),
  noun: string = MEASURES.price.noun,
): string {
  const { rows, days, sourceLabel } = answer
  const [first, last] = [rows[0], rows.at(-1)]
  const next = `Each ${answer.interval === '1d' ? 'day' : 'run'} adds one.`
  if (!first || !last) return `No ${noun} for the last ${rangeOf(days)} is known yet. ${next}`
  if (first === last)
    return `One ${noun} for the last ${rangeOf(days)} is known: ${write(first.price_usd)} at ${moment(first.timestamp)}. ${next}`
  const values = rows.map(({ price_usd }) => price_usd)
  // The changes of a day and of a week are figures of the asset, and a range that begins late has none.
  const isWhole = days > 7 && answer.from !== null && first.timestamp <= answer.from
  const moved = isWhole ? `${change((last.price_usd / first.price_usd - 1) * 100)}, ` : ''
  return (
    `${rangeOf(days)}: ${moved}from ${write(first.price_usd)} to ${write(last.price_usd)}; ` +
    `low ${write(Math.min(...values))}, high ${write(Math.max(...values))}.${gapsOf(answer, noun)} ${sourceLabel}.`
  )
}

/** Returns the candles of a range in words. `newest` is the time of the newest price. */
export function candlesSummary(answer: CandlesAnswer, newest: string | null, currency: ShownCurrency): string {
  const price = (value: number) => priceIn(value, currency)
  const { rows, days, missing, sources, to, interval } = answer
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return answer.notice ?? `No candle for the last ${rangeOf(days)} is known yet.`
  const low = Math.min(...rows.map(({ low_usd }) => low_usd))
  const high = Math.max(...rows.map(({ high_usd }) => high_usd))
  const gaps = missing === 0 ? '' : ` ${count(missing)} of ${count(rows.length + missing)} candles are missing.`
  const isLate =
    to !== null && newest !== null && Date.parse(newest) - Date.parse(to) > LONG_GAP * STEP_SECONDS[interval] * 1000
  const lag = isLate ? ` The newest candle is that of ${moment(to)}; later ones follow.` : ''
  return `${rangeOf(days)}: from ${price(first.open_usd)} to ${price(last.close_usd)}; low ${price(low)}, high ${price(high)}.${gaps}${lag} Bars of ${sources.join(', ')}.`
}

/** Returns the places of values that have no neighbour, which a line without width cannot show. */
export const isolatedIn = (values: readonly (number | null)[]): number[] =>
  values.flatMap((value, at) =>
    value !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null ? [at] : [],
  )

/** Returns values as changes in percent since the first of them. */
export function changesOf(values: readonly (number | null)[]): (number | null)[] {
  const base = values.find((value) => value !== null)
  return values.map((value) =>
    value === null || base === undefined || base === null ? null : (value / base - 1) * 100,
  )
}

/** Returns the value of another series at each time of a grid; null: it has none there. */
export function alignedTo(times: readonly number[], rows: Values['rows']): (number | null)[] {
  const known = new Map(rows.map(({ timestamp, price_usd }) => [Date.parse(timestamp) / 1000, price_usd]))
  return times.map((time) => known.get(time) ?? null)
}

/** Returns lines as CSV (RFC 4180). */
export const csvOf = (lines: readonly (readonly (string | number | null)[])[]): string =>
  lines.map((cells) => `${cells.map((cell) => cell ?? '').join(',')}\r\n`).join('')

/** Returns a series as CSV: time, price and volume in US dollars, with an empty cell where a volume is unknown. */
export const seriesCsv = ({ rows }: Pick<HistoryAnswer, 'rows'>): string =>
  csvOf([
    ['timestamp', 'price_usd', 'volume_24h_usd'],
    ...rows.map(({ timestamp, price_usd, volume_24h_usd: volume }) => [
      timestamp,
      decimal(price_usd),
      volume === null ? null : decimal(volume),
    ]),
  ])
