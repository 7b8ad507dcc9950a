import { COINS, ratesOn, yearsOf } from '../contract/rate-of-day.ts'
import { convertPrice } from '../contract/conversion.ts'
import { DAY_MS, INTERVAL_MS, isoOf, dayIn, dayOf } from '../contract/time.ts'
import type { ClosesOfDayAnswer, HistoryAnswer } from './answers.ts'
import { orNull } from './errors.ts'
import type { Methods } from './methods.ts'

/** A past price, and what it is from. */
export interface PastPrice {
  readonly price_usd: number
  /** Start of the bucket that holds the time: the price is the last one seen in it. */
  readonly timestamp: string
  /** Width of the bucket. */
  readonly interval: HistoryAnswer['interval']
  /** The endpoint that it is from. */
  readonly source: 'history' | 'closes' | 'daily'
  /** What the day is made of; null for history. */
  readonly basis: ClosesOfDayAnswer['basis'] | null
}

/** The rate of a currency on a day. */
export interface PastRate {
  /** In upper case. */
  readonly symbol: string
  /** US dollars for one unit. */
  readonly price_usd: number
  /** A central bank by its id, `rates` for what the feed measured, or the endpoint of a coin's price. */
  readonly source: string
  /** Day of the rate, which may precede the day that was asked for. */
  readonly day: string
}

/** A past price in another currency. */
export interface PastPriceIn extends PastPrice {
  /** Symbol of the currency in lower case. */
  readonly vs: string
  /** In that currency; null: it had no rate then. */
  readonly price: number | null
  /** The rate of the conversion and its day, on weekends the last one before; null: the currency had none. */
  readonly rate: PastRate | null
}

/** Options of {@link PriceAt}. */
export interface PriceAtOptions {
  /** The price nearest to the time, by default, or the first or last of its day in UTC, which has to be over. */
  readonly method?: 'nearest' | 'open' | 'close' | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Returns the price of an asset at a time from the finest data there is: history of 1, 7, 30, 90 and 365 days, then the
 * daily closes, then the daily bars since the listing. Null if the time is before the first or after the newest price, or in a gap of all of them. With `vs`, also
 * in another currency, by its rate of that day; a coin, such as `btc`, by its own price at that time.
 */
export type PriceAt = ReturnType<typeof priceAtOf>

const RANGES = [1, 7, 30, 90, 365] as const

/** The methods that past prices are read with. */
export type PastMethods = Pick<Methods, 'history' | 'closesOfDay' | 'daily' | 'ratesOfYear'>

/** Returns the function that reads past prices in US dollars, at times in ms since 1970. */
function dollarsOf({ history, closesOfDay, daily }: PastMethods, now: () => number) {
  async function fromHistory(
    slug: string,
    ms: number,
    { ranges, signal }: Pick<PriceAtOptions, 'signal'> & { readonly ranges: readonly (typeof RANGES)[number][] },
  ): Promise<{ readonly current: string; readonly price: PastPrice | null }> {
    const ageDays = (now() - ms) / DAY_MS
    let current = slug
    for (const days of ranges) {
      if (ageDays > days + 1) continue
      // eslint-disable-next-line no-await-in-loop -- a coarser range is read only where the finer one has a gap
      const { data } = await history(current, { days, signal })
      current = data.slug
      // A host may state another interval, or something else in its place.
      const [, length] = Object.entries(INTERVAL_MS).find(([interval]) => interval === data.interval) ?? []
      if (length === undefined) continue
      const timestamp = isoOf(Math.floor(ms / length) * length)
      const row = data.rows.find((one) => one.timestamp === timestamp)
      if (!row) continue
      const { interval } = data
      return { current, price: { price_usd: row.price_usd, timestamp, interval, source: 'history', basis: null } }
    }
    return { current, price: null }
  }

  async function fromDays(slug: string, ms: number, { method, signal }: PriceAtOptions): Promise<PastPrice | null> {
    const day = dayOf(ms)
    const name = method === 'open' ? 'open_usd' : 'close_usd'
    const found = { timestamp: `${day}T00:00:00Z`, interval: '1d' } as const
    const closes = await orNull(closesOfDay(day, { signal }))
    const row = closes?.data.rows.find((one) => one.slug === slug)
    if (closes && row) return { ...found, price_usd: row[name], source: 'closes', basis: closes.data.basis }
    const bars = await orNull(daily(slug, { signal }))
    const at = (ms - Date.parse(bars?.data.from ?? '')) / DAY_MS
    const price_usd = bars?.data.columns[name][Math.floor(at)] ?? null
    return price_usd === null ? null : { ...found, price_usd, source: 'daily', basis: 'candles' }
  }

  return async (slug: string, ms: number, options: PriceAtOptions): Promise<PastPrice | null> => {
    const { method = 'nearest', signal } = options
    if (method === 'nearest') {
      const { current, price } = await fromHistory(slug, ms, { ranges: RANGES, signal })
      return price ?? fromDays(current, ms, options)
    }
    if (dayOf(ms) >= dayOf(now())) return null
    const price = await fromDays(slug, ms, options)
    if (price !== null || method === 'open') return price
    return (await orNull(fromHistory(slug, ms, { ranges: [365], signal })))?.price ?? null
  }
}

/** Returns a time in ms since 1970. @throws TypeError if it is none */
export function msOf(time: Date | string | number): number {
  const ms = new Date(time).getTime()
  if (Number.isNaN(ms)) throw new TypeError(`${String(time)} is not a time`)
  return ms
}

/** Returns the function that reads past prices. `now` is the time of day in ms since 1970. */
export function priceAtOf(methods: PastMethods, now: () => number) {
  const inDollars = dollarsOf(methods, now)
  async function rateAt(symbol: string, ms: number, options: PriceAtOptions): Promise<PastRate | null> {
    const coin = COINS[symbol]
    if (coin !== undefined) {
      const own = await orNull(inDollars(coin, ms, options))
      return own && { symbol, price_usd: own.price_usd, source: own.source, day: dayIn(own.timestamp) }
    }
    const day = dayOf(ms)
    const { signal } = options
    const years = await Promise.all(yearsOf(day).map((year) => orNull(methods.ratesOfYear(year, { signal }))))
    return (
      ratesOn(
        years.flatMap((year) => year?.data.rows ?? []),
        day,
      ).get(symbol) ?? null
    )
  }

  function priceAt(
    slug: string,
    time: Date | string | number,
    options: PriceAtOptions & { readonly vs: string },
  ): Promise<PastPriceIn | null>
  function priceAt(slug: string, time: Date | string | number, options?: PriceAtOptions): Promise<PastPrice | null>
  async function priceAt(
    slug: string,
    time: Date | string | number,
    { vs, ...options }: PriceAtOptions & { readonly vs?: string } = {},
  ): Promise<PastPrice | PastPriceIn | null> {
    const ms = msOf(time)
    const price = await inDollars(slug, ms, options)
    if (price === null || vs === undefined) return price
    const rate = await rateAt(vs.toUpperCase(), ms, options)
    return { ...price, vs: vs.toLowerCase(), price: rate && convertPrice(price.price_usd, rate), rate }
  }
  return priceAt
}
