import { COINS, ratesOn, yearsOf } from '../core/contract/rate-of-day.ts'
import { finestAt, seenPrices } from '../core/contract/past-price.ts'
import { convertPrice } from '../core/contract/conversion.ts'
import { DAY_MS, HOUR_MS, isoOf, dayIn, dayOf, msOf } from '../core/contract/time.ts'
import type { ClosesOfDayAnswer, DailyAnswer, HistoryAnswer } from './answers.ts'
import { orNull } from './errors.ts'
import type { Methods } from './method-types.ts'

export interface PastPrice {
  readonly price_usd: number
  /** When the price was seen: the last one at or before the time that was asked for. */
  readonly timestamp: string
  readonly interval: HistoryAnswer['interval']
  readonly source: 'history' | 'closes' | 'daily'
  /** What the day is made of; null for history. */
  readonly basis: ClosesOfDayAnswer['basis'] | null
}

/** `source` is a central bank by its id, `rates` for what the feed measured, or the endpoint of a coin's price. */
type PastRate = NonNullable<ClosesOfDayAnswer['rate']>

/** A past price in another currency. */
export interface PastPriceIn extends PastPrice {
  readonly vs: string
  /** In that currency; null: it had no rate then. */
  readonly price: number | null
  /** The rate of the conversion and its day, on weekends the last one before; null: the currency had none. */
  readonly rate: PastRate | null
}

export interface PriceAtOptions {
  /** The last price at or before the time, by default, or the first or last of its day in UTC, which has to be over. */
  readonly method?: 'at' | 'open' | 'close' | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Returns the last price of an asset at or before a time, from the finest data there is: history of 1, 7, 30, 90 and 365
 * days, then the daily closes, then the daily bars since the listing. Null where that is older than a day. With `vs`, also in
 * another currency, by its rate of that day; a coin, such as `btc`, by its own price at that time.
 */
export type PriceAt = ReturnType<typeof priceAtOf>

export type PastMethods = Pick<Methods, 'history' | 'closesOfDay' | 'daily' | 'ratesOfYear'>

export type TimeInput = Date | string | number

/** Returns a time in ms since 1970. A text without a zone is in UTC; NaN: it is no time. */
export const timeOf = (time: TimeInput): number => (typeof time === 'string' ? msOf(time) : new Date(time).getTime())

/** Reads what past prices are made of; null where it is not published. */
export interface PastDocuments {
  readonly history: (
    slug: string,
    days: HistoryAnswer['days'],
  ) => Promise<Pick<HistoryAnswer, 'slug' | 'timestamp' | 'interval' | 'to' | 'rows'> | null>
  readonly closesOfDay: (day: string) => Promise<Pick<ClosesOfDayAnswer, 'basis' | 'asOf' | 'rows'> | null>
  readonly daily: (slug: string) => Promise<Pick<DailyAnswer, 'from' | 'columns'> | null>
}

/** Returns the price in US dollars at a time in ms since 1970, by the rule of {@link PriceAt}. Servers and clients share it. */
export async function pastDollars(
  read: PastDocuments,
  slug: string,
  ms: number,
  { now, method = 'at' }: Pick<PriceAtOptions, 'method'> & { readonly now: number },
): Promise<PastPrice | null> {
  const start = ms - (((ms % DAY_MS) + DAY_MS) % DAY_MS)
  if (ms > now) return null
  if (method !== 'at') return start + DAY_MS > now ? null : dollarsOfDay(read, slug, start, method)
  // At midnight the day before has ended: its close is the price, unless runs stopped before, and another source saw it later.
  const close = ms === start ? await dollarsOfDay(read, slug, start - DAY_MS, 'end') : null
  if (close !== null) return close
  let current = slug
  const seriesOf = async (days: HistoryAnswer['days']) => {
    const series = await read.history(current, days)
    current = series?.slug ?? current
    return series
  }
  const found = await finestAt(seriesOf, ms, now)
  if (found === null) return dollarsOfDay(read, current, start - DAY_MS)
  const { price_usd, time, interval } = found
  return { price_usd, timestamp: isoOf(time), interval, source: 'history', basis: null }
}

/** Returns the close, or the open, of the day that begins at a time. The `end` is its close, unless runs stopped before it. */
async function dollarsOfDay(
  { history, closesOfDay, daily }: PastDocuments,
  slug: string,
  start: number,
  method: 'open' | 'close' | 'end' = 'close',
): Promise<PastPrice | null> {
  const [name, at] = method === 'open' ? (['open_usd', start] as const) : (['close_usd', start + DAY_MS] as const)
  const found = { timestamp: isoOf(at), interval: '1d' } as const
  const closes = await closesOfDay(dayOf(start))
  if (method === 'end' && closes && Date.parse(closes.asOf) < start + DAY_MS - HOUR_MS) return null
  const row = closes?.rows.find((one) => one.slug === slug)
  if (closes && row) return { ...found, price_usd: row[name], source: 'closes', basis: closes.basis }
  const bars = await daily(slug)
  const price_usd = bars?.columns[name][(start - Date.parse(bars.from)) / DAY_MS] ?? null
  if (price_usd !== null) return { ...found, price_usd, source: 'daily', basis: 'candles' }
  const year = method === 'open' ? null : await orNull(history(slug, 365))
  const close = year && seenPrices(year).find(({ time }) => time === at)
  return close ? { ...found, price_usd: close.price_usd, source: 'history', basis: null } : null
}

/** Returns the function that reads past prices. `now` is the time of day in ms since 1970. */
export function priceAtOf(methods: PastMethods, now: () => number) {
  function inDollars(slug: string, ms: number, { method, signal }: PriceAtOptions): Promise<PastPrice | null> {
    const read: PastDocuments = {
      history: async (of, days) => (await methods.history(of, { days, signal })).data,
      closesOfDay: async (day) => (await orNull(methods.closesOfDay(day, { signal })))?.data ?? null,
      daily: async (of) => (await orNull(methods.daily(of, { signal })))?.data ?? null,
    }
    return pastDollars(read, slug, ms, { now: now(), method })
  }
  async function rateAt(symbol: string, ms: number, options: PriceAtOptions): Promise<PastRate | null> {
    const coin = COINS[symbol]
    if (coin !== undefined) {
      const own = await orNull(inDollars(coin, ms, options))
      return own && { symbol, price_usd: own.price_usd, source: own.source, day: dayIn(own.timestamp) }
    }
    // At midnight it is the money of the day that ended.
    const day = dayOf(options.method === undefined || options.method === 'at' ? ms - 1 : ms)
    const { signal } = options
    const years = await Promise.all(yearsOf(day).map((year) => orNull(methods.ratesOfYear(year, { signal }))))
    const rows = years.flatMap((year) => year?.data.rows ?? [])
    return ratesOn(rows, day).get(symbol) ?? null
  }

  type InCurrency = PriceAtOptions & { readonly vs: string }
  function priceAt(slug: string, time: TimeInput, options: InCurrency): Promise<PastPriceIn | null>
  function priceAt(slug: string, time: TimeInput, options?: PriceAtOptions): Promise<PastPrice | null>
  async function priceAt(slug: string, time: TimeInput, { vs, ...options }: Partial<InCurrency> = {}) {
    const ms = timeOf(time)
    if (Number.isNaN(ms)) throw new TypeError(`${String(time)} is not a time`)
    const price = await inDollars(slug, ms, options)
    if (price === null || vs === undefined) return price
    const rate = await rateAt(vs.toUpperCase(), ms, options)
    return { ...price, vs: vs.toLowerCase(), price: rate && convertPrice(price.price_usd, rate), rate }
  }
  return priceAt
}
