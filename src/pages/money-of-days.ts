import type { HistoryAnswer } from '../client/answers.ts'
import { COINS, type RatesOfSource, ratesOn, yearsOf } from '../contract/rate-of-day.ts'
import { dayIn } from '../contract/time.ts'
import { DOLLARS, type ShownCurrency } from './format.ts'
import { MEASURES } from './measures.ts'
import { type Series, seriesAt } from './series.ts'

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

/** Returns a series in a currency: in a coin at its price of the time, in other money at the rate of the day. */
export async function seriesIn(
  { symbol, price_usd, day: today = '' }: ShownCurrency,
  series: Series,
  past: PastRates,
  signal: AbortSignal,
): Promise<Series> {
  const { days, rows, measure } = series
  if (symbol === DOLLARS.symbol || MEASURES[measure].unit === 'percent') return series
  const coin = COINS[symbol]
  if (coin !== undefined) {
    const range = ([1, 7, 30, 90] as const).find((one) => one >= days) ?? 365
    const { data } = await past.history(coin, { days: range, signal })
    return seriesAt(series, (time) => data.rows.findLast(({ timestamp }) => timestamp <= time)?.price_usd ?? null)
  }
  const years = [...new Set(rows.flatMap(({ timestamp }) => yearsOf(dayIn(timestamp))))]
  const read = await Promise.all(years.map((year) => past.ratesOfYear(year, { signal }).catch(() => null)))
  const known = read.flatMap((year) => year?.data.rows ?? [])
  const ofDays = new Map<string, number | null>()
  return seriesAt(series, (timestamp) => {
    const day = dayIn(timestamp)
    if (!ofDays.has(day))
      ofDays.set(day, day >= today ? price_usd : (ratesOn(known, day).get(symbol)?.price_usd ?? null))
    return ofDays.get(day) ?? null
  })
}
