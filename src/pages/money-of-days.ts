import type { CandlesAnswer, HistoryAnswer } from '../client/answers.ts'
import { COINS, type RatesOfSource, ratesOn, yearsOf } from '../contract/rate-of-day.ts'
import { dayIn } from '../contract/time.ts'
import { DOLLARS, type ShownCurrency } from './format.ts'
import type { Values } from './series.ts'

/** The answers that have the rates of the past. */
interface PastRates {
  history(
    slug: string,
    options: { readonly days: HistoryAnswer['days']; readonly signal: AbortSignal },
  ): Promise<{ readonly data: Pick<HistoryAnswer, 'rows'> }>
  ratesOfYear(
    year: string,
    options: { readonly signal: AbortSignal },
  ): Promise<{ readonly data: { readonly rows: readonly RatesOfSource[] } }>
}

/** US dollars for one unit of a currency at a published time; null: unknown. */
export type RateAt = (timestamp: string) => number | null

/** Returns the rates of a currency during a series: of a coin its price at the time, of other money the rate of the day. */
export async function ratesDuring(
  { days, rows }: Pick<Values, 'days' | 'rows'>,
  { symbol, price_usd, day: today = '' }: ShownCurrency,
  past: PastRates,
  signal: AbortSignal,
): Promise<RateAt> {
  if (symbol === DOLLARS.symbol) return () => 1
  const coin = COINS[symbol]
  if (coin !== undefined) {
    const range = ([1, 7, 30, 90] as const).find((one) => one >= days) ?? 365
    const { data } = await past.history(coin, { days: range, signal })
    return (timestamp) => data.rows.findLast((row) => row.timestamp <= timestamp)?.price_usd ?? null
  }
  const years = [...new Set(rows.flatMap(({ timestamp }) => yearsOf(dayIn(timestamp))))]
  const read = await Promise.all(years.map((year) => past.ratesOfYear(year, { signal }).catch(() => null)))
  const known = read.flatMap((year) => year?.data.rows ?? [])
  const ofDays = new Map<string, number | null>()
  return (timestamp) => {
    const day = dayIn(timestamp)
    if (!ofDays.has(day))
      ofDays.set(day, day >= today ? price_usd : (ratesOn(known, day).get(symbol)?.price_usd ?? null))
    return ofDays.get(day) ?? null
  }
}

/** Returns rows in dollars that are, at the rate of today, their amounts at the rates of their times. Those without go. */
function rowsAt<Row extends { readonly timestamp: string }>(
  rows: readonly Row[],
  { price_usd }: ShownCurrency,
  rateAt: RateAt,
  times: (row: Row, factor: number) => Row,
): Row[] {
  return rows.flatMap((row) => {
    const rate = rateAt(row.timestamp)
    return rate === null ? [] : [times(row, price_usd / rate)]
  })
}

/** Returns a series that shows, converted at the rate of today, the amounts at the rates of their times. */
export const seriesAt = <Answer extends Values>(answer: Answer, currency: ShownCurrency, rateAt: RateAt): Answer => ({
  ...answer,
  rows: rowsAt(answer.rows, currency, rateAt, ({ price_usd, volume_24h_usd, ...row }, factor) => ({
    ...row,
    price_usd: price_usd * factor,
    volume_24h_usd: volume_24h_usd === null ? null : volume_24h_usd * factor,
  })),
})

/** Returns candles that show, converted at the rate of today, the prices at the rates of the times at which they open. */
export const candlesAt = (answer: CandlesAnswer, currency: ShownCurrency, rateAt: RateAt): CandlesAnswer => ({
  ...answer,
  rows: rowsAt(answer.rows, currency, rateAt, (row, factor) => ({
    ...row,
    open_usd: row.open_usd * factor,
    high_usd: row.high_usd * factor,
    low_usd: row.low_usd * factor,
    close_usd: row.close_usd * factor,
  })),
})
