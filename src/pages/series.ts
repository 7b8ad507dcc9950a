import type { Asset, CandlesAnswer, HistoryAnswer } from '../client/answers.ts'
import { DOLLARS, type ShownCurrency, change, count, counted, moment, price as priceIn, span } from './format.ts'

const STEP_SECONDS = { '15m': 900, '30m': 1800, '1h': 3600, '4h': 14_400, '1d': 86_400 } as const
/** A gap of more than this many buckets is described in words. */
const LONG_GAP = 3

type Series = readonly [times: number[], prices: (number | null)[], volumes: (number | null)[]]

/**
 * Returns the grid of a range from its first row on. A bucket without data is null, which leaves a gap in the line. What
 * precedes the first row would be an empty frame.
 */
export function gridOf({ rows, interval, to }: Pick<HistoryAnswer, 'rows' | 'interval' | 'to'>): Series {
  const series: Series = [[], [], []]
  const [first] = rows
  if (first === undefined || to === null) return series
  const known = new Map(rows.map((row) => [Date.parse(row.timestamp) / 1000, row]))
  for (let at = Date.parse(first.timestamp) / 1000; at <= Date.parse(to) / 1000; at += STEP_SECONDS[interval]) {
    const row = known.get(at)
    series[0].push(at)
    series[1].push(row?.price_usd ?? null)
    series[2].push(row?.volume_24h_usd ?? null)
  }
  return series
}

/** Returns what a reader should know about the points of a range that are missing; `''`: nothing. */
function gapsOf({ rows, interval, from, missing }: HistoryAnswer): string {
  const [first] = rows
  if (missing === 0 || first === undefined || from === null) return ''
  const step = STEP_SECONDS[interval] * 1000
  const times = rows.map(({ timestamp }) => Date.parse(timestamp))
  const longest = Math.max(0, ...times.slice(1).map((at, index) => at - (times[index] ?? at)))
  const late = (times[0] ?? 0) - Date.parse(from) > LONG_GAP * step
  return [
    late ? ` Prices are known since ${moment(first.timestamp)}.` : '',
    ` ${count(missing)} of ${count(rows.length + missing)} points are missing.`,
    longest > LONG_GAP * step ? ` The longest gap is ${span(longest)}.` : '',
  ].join('')
}

/** Venues that a reading names, before it counts the others. */
const MOST_NAMED = 4

/** Returns the names of venues as a text, of which the last are counted. */
export const namesOf = (venues: readonly string[]): string =>
  venues.length <= MOST_NAMED
    ? venues.join(', ')
    : `${venues.slice(0, MOST_NAMED - 1).join(', ')} and ${count(venues.length - MOST_NAMED + 1)} more`

/**
 * Returns the venues of a candle. A bar has only their number; it names them where all venues of the range made it, of
 * which a range has few.
 */
export const venuesOfBar = (venues: number, sources: readonly string[]): string =>
  venues === sources.length ? namesOf(sources) : counted(venues, 'venue')

/**
 * Returns the sources of the newest price of a series, heaviest first: those of the profile, if that price is the point's.
 * None are published of earlier points.
 */
export function sourcesOfNewest(
  { rows }: Pick<HistoryAnswer, 'rows'>,
  { price_usd, price_basis }: Pick<Asset, 'price_usd' | 'price_basis'>,
): readonly string[] {
  if (price_usd === null || rows.at(-1)?.price_usd !== price_usd) return []
  const byWeight = price_basis.sources.toSorted((a, b) => b.weight - a.weight)
  return [...new Set(byWeight.map(({ source_id }) => source_id))]
}

/** Returns a text alternative of the chart for screen readers. */
export function summaryOf(answer: HistoryAnswer, currency: ShownCurrency = DOLLARS): string {
  const price = (value: number) => priceIn(value, currency)
  const { rows, days, sourceLabel } = answer
  const range = days === 1 ? '24 hours' : `${days} days`
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return `No price for the last ${range} is known yet. Each run adds one.`
  if (first === last)
    return `One price for the last ${range} is known: ${price(first.price_usd)} at ${moment(first.timestamp)}. Each run adds one.`
  const prices = rows.map(({ price_usd }) => price_usd)
  // The changes of a day and of a week are figures of the asset, and a range that begins late has none.
  const isWhole = days > 7 && answer.from !== null && first.timestamp <= answer.from
  const moved = isWhole ? `${change((last.price_usd / first.price_usd - 1) * 100)}, ` : ''
  return (
    `${range}: ${moved}from ${price(first.price_usd)} to ${price(last.price_usd)}; ` +
    `low ${price(Math.min(...prices))}, high ${price(Math.max(...prices))}.${gapsOf(answer)} ${sourceLabel}.`
  )
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
export function alignedTo(times: readonly number[], rows: HistoryAnswer['rows']): (number | null)[] {
  const known = new Map(rows.map(({ timestamp, price_usd }) => [Date.parse(timestamp) / 1000, price_usd]))
  return times.map((time) => known.get(time) ?? null)
}

/** Returns the bars of a range on their grid, from the first one on; null: the bucket has none. */
export function barsOf({ rows, interval, to }: Pick<CandlesAnswer, 'rows' | 'interval' | 'to'>): {
  readonly times: number[]
  readonly bars: (CandlesAnswer['rows'][number] | null)[]
} {
  const [first] = rows
  if (first === undefined || to === null) return { times: [], bars: [] }
  const times: number[] = []
  const known = new Map(rows.map((row) => [Date.parse(row.timestamp) / 1000, row]))
  for (let at = Date.parse(first.timestamp) / 1000; at <= Date.parse(to) / 1000; at += STEP_SECONDS[interval])
    times.push(at)
  return { times, bars: times.map((time) => known.get(time) ?? null) }
}

/** Returns how old the newest candle is, where prices are known that are much newer; `''`: it is the newest. */
const lagOf = ({ to, interval }: CandlesAnswer, newest: string | null): string =>
  to === null || newest === null || Date.parse(newest) - Date.parse(to) <= LONG_GAP * STEP_SECONDS[interval] * 1000
    ? ''
    : ` The newest candle is that of ${moment(to)}; later ones follow.`

/** Returns the candles of a range in words. `newest` is the time of the newest price. */
export function candlesSummary(
  answer: CandlesAnswer,
  newest: string | null = null,
  currency: ShownCurrency = DOLLARS,
): string {
  const price = (value: number) => priceIn(value, currency)
  const { rows, days, missing, sources } = answer
  const range = days === 1 ? '24 hours' : `${days} days`
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return answer.notice ?? `No candle for the last ${range} is known yet.`
  const [low, high] = [
    Math.min(...rows.map(({ low_usd }) => low_usd)),
    Math.max(...rows.map(({ high_usd }) => high_usd)),
  ]
  const gaps = missing === 0 ? '' : ` ${count(missing)} of ${count(rows.length + missing)} candles are missing.`
  return `${range}: from ${price(first.open_usd)} to ${price(last.close_usd)}; low ${price(low)}, high ${price(high)}.${gaps}${lagOf(answer, newest)} Bars of ${sources.join(', ')}.`
}
