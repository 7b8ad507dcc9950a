import type { AnswerOf } from '../client/answers.ts'
import { COINS, ratesOn, yearsOf } from '../core/contract/rate-of-day.ts'
import type { RatesOfSource } from '../core/contract/rates.ts'
import { DAY_MS, dayIn, isoOf } from '../core/contract/time.ts'
import { DOLLARS, type ShownCurrency, change, count, moment, price } from './format.ts'
import type { ChartGrid } from './line.ts'

/** The values of a time. Those of a candle differ; any other value is all four. */
export interface SeriesRow extends Readonly<Record<'open' | 'high' | 'low' | 'close', number>> {
  readonly timestamp: string
  /** Of candles in coins, otherwise in the currency of the values; null: unknown. */
  readonly volume: number | null
}

export interface Series extends ChartGrid<SeriesRow> {
  readonly isCandles: boolean
  readonly missing: number
  /** Number of days of its range; null: since the listing. */
  readonly days: number | null
  readonly sourceLabel: string
}

export const historySeries = ({ rows, ...head }: AnswerOf<'history'>): Series => ({
  ...head,
  isCandles: false,
  rows: rows.map(({ timestamp, price_usd: usd, volume_24h_usd: volume }) => {
    return { timestamp, open: usd, high: usd, low: usd, close: usd, volume }
  }),
})

export const candleSeries = ({ rows, sources, ...head }: AnswerOf<'candles'>): Series => ({
  ...head,
  isCandles: true,
  sourceLabel: `Bars of ${sources.join(', ')}`,
  rows: rows.map(({ timestamp, open_usd, high_usd, low_usd, close_usd, volume_base }) => {
    return { timestamp, open: open_usd, high: high_usd, low: low_usd, close: close_usd, volume: volume_base }
  }),
})

export function dailySeries({ from, to, missing, sources, columns }: AnswerOf<'daily'>, isCandles: boolean): Series {
  const volumes = isCandles ? columns.venue_volume_base : columns.venue_volume_usd
  const rows = columns.close_usd.flatMap((close, at): SeriesRow[] => {
    if (close === null) return []
    const timestamp = isoOf(Date.parse(from) + at * DAY_MS)
    const { open_usd, high_usd, low_usd } = columns
    const [open, high, low] = [open_usd[at] ?? close, high_usd[at] ?? close, low_usd[at] ?? close]
    return [{ timestamp, open, high, low, close, volume: volumes[at] ?? null }]
  })
  return {
    rows,
    interval: '1d',
    to: `${to}T00:00:00Z`,
    missing,
    days: null,
    sourceLabel: `Daily bars of ${[...new Set(sources.map(({ source_id }) => source_id))].join(', ')}`,
    isCandles,
  }
}

/** Returns a series in dollars at the rates of its times: dollars for one unit. A value without a rate is missing. */
function seriesAt(series: Series, rateAt: (timestamp: string) => number | null): Series {
  const rows = series.rows.flatMap((row) => {
    const rate = rateAt(row.timestamp)
    if (rate === null) return []
    const [open, high, low, close] = [row.open / rate, row.high / rate, row.low / rate, row.close / rate]
    const volume = row.volume === null || series.isCandles ? row.volume : row.volume / rate
    return [{ ...row, open, high, low, close, volume }]
  })
  return { ...series, rows, missing: series.missing + series.rows.length - rows.length }
}

interface PastRates {
  readonly history: (slug: string, days: number) => Promise<Pick<AnswerOf<'history'>, 'rows'>>
  readonly ratesOfYear: (year: string) => Promise<{ readonly rows: readonly RatesOfSource[] }>
}

/** Returns a series in a currency: in a coin at its price of the time, in other money at the rate of the day. */
export async function seriesIn(currency: ShownCurrency, series: Series, past: PastRates): Promise<Series> {
  const { symbol, price_usd, day: today = '' } = currency
  if (symbol === DOLLARS.symbol) return series
  const coin = COINS[symbol]
  if (coin !== undefined) {
    const range = [1, 7, 30, 90].find((one) => one >= (series.days ?? Infinity)) ?? 365
    const { rows } = await past.history(coin, range)
    return seriesAt(series, (time) => rows.findLast(({ timestamp }) => timestamp <= time)?.price_usd ?? null)
  }
  const days = [...new Set(series.rows.map(({ timestamp }) => dayIn(timestamp)))]
  const years = [...new Set(days.flatMap((day) => yearsOf(day)))]
  const answers = await Promise.all(years.map((year) => past.ratesOfYear(year).catch(() => null)))
  const known = answers.flatMap((year) => year?.rows ?? [])
  const rateOf = (day: string) => (day >= today ? price_usd : ratesOn(known, day).get(symbol)?.price_usd)
  const rates = new Map(days.map((day) => [day, rateOf(day)]))
  return seriesAt(series, (timestamp) => rates.get(dayIn(timestamp)) ?? null)
}

/**
 * Returns a series, given in a currency, in words: they are the text alternative of its chart.
 *
 * @param published change of its range, as it is published; null: that of its ends counts
 */
export function summaryOf(series: Series, currency: ShownCurrency, published: number | null): string {
  const { rows, days, missing, sourceLabel } = series
  const write = (value: number) => price(value, { ...currency, price_usd: 1 })
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return 'No price of this range is known yet. Each run adds one.'
  if (first === last) return `One price of this range is known: ${write(first.close)} at ${moment(first.timestamp)}.`
  const all = `${dayIn(first.timestamp)} to ${dayIn(last.timestamp)}`
  const range = days === null ? all : days === 1 ? `Since ${moment(first.timestamp)}` : `${days} days`
  const [low, high] = [Math.min(...rows.map((row) => row.low)), Math.max(...rows.map((row) => row.high))]
  // Bars begin at another moment than the published change.
  const moved = series.isCandles ? '' : `${change(published ?? (last.close / first.open - 1) * 100)}, `
  // Of a history only points are known, and not what lies between them.
  const [least, most] = series.isCandles ? ['low', 'high'] : ['lowest point', 'highest point']
  const ends = `from ${write(first.open)} to ${write(last.close)}; ${least} ${write(low)}, ${most} ${write(high)}`
  const gaps = missing === 0 ? '' : ` ${count(missing)} of ${count(rows.length + missing)} points are missing.`
  return `${range}: ${moved}${ends}.${gaps} ${sourceLabel}.`
}
