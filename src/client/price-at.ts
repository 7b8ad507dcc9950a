import { COINS, ratesOn, yearsOf } from '../core/contract/rate-of-day.ts'
import { finestAt, seenPrices } from '../core/contract/past-price.ts'
import { convertPrice } from '../core/contract/conversion.ts'
import { DAY_MS, isoOf, dayIn, dayOf } from '../core/contract/time.ts'
import type { ClosesOfDayAnswer, HistoryAnswer } from './answers.ts'
import { orNull } from './errors.ts'
import type { Methods } from './methods.ts'

export interface PastPrice {
  readonly price_usd: number
  /** When the price was seen: the last one at or before the time that was asked for. */
  readonly timestamp: string
  readonly interval: HistoryAnswer['interval']
  readonly source: 'history' | 'closes' | 'daily'
  /** What the day is made of; null for history. */
  readonly basis: ClosesOfDayAnswer['basis'] | null
}

interface PastRate {
  readonly symbol: string
  readonly price_usd: number
  /** A central bank by its id, `rates` for what the feed measured, or the endpoint of a coin's price. */
  readonly source: string
  /** Day of the rate, which may precede the day that was asked for. */
  readonly day: string
}

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

/** Returns the function that reads past prices in US dollars, at times in ms since 1970. */
function dollarsOf({ history, closesOfDay, daily }: PastMethods, now: () => number) {
  async function fromHistory(slug: string, ms: number, { signal }: PriceAtOptions) {
    let current = slug
    const found = await finestAt(
      async (days) => {
        const { data } = await history(current, { days, signal })
        current = data.slug
        return data
      },
      ms,
      now(),
    )
    const price: PastPrice | null = found && {
      price_usd: found.price_usd,
      timestamp: isoOf(found.time),
      interval: found.interval,
      source: 'history',
      basis: null,
    }
    return { current, price }
  }

  /** Returns the close, or the open, of the day that begins at a time. */
  async function fromDay(slug: string, start: number, { method, signal }: PriceAtOptions): Promise<PastPrice | null> {
    const day = dayOf(start)
    const [name, at] = method === 'open' ? (['open_usd', start] as const) : (['close_usd', start + DAY_MS] as const)
    const found = { timestamp: isoOf(at), interval: '1d' } as const
    const closes = await orNull(closesOfDay(day, { signal }))
    const row = closes?.data.rows.find((one) => one.slug === slug)
    if (closes && row) return { ...found, price_usd: row[name], source: 'closes', basis: closes.data.basis }
    const bars = await orNull(daily(slug, { signal }))
    const place = (start - Date.parse(bars?.data.from ?? '')) / DAY_MS
    const price_usd = bars?.data.columns[name][place] ?? null
    if (price_usd !== null) return { ...found, price_usd, source: 'daily', basis: 'candles' }
    if (method === 'open') return null
    const year = await orNull(history(slug, { days: 365, signal }))
    const close = year && seenPrices(year.data).find(({ time }) => time === at)
    return close ? { ...found, price_usd: close.price_usd, source: 'history', basis: null } : null
  }

  return async (slug: string, ms: number, options: PriceAtOptions): Promise<PastPrice | null> => {
    const { method = 'at' } = options
    const start = ms - (((ms % DAY_MS) + DAY_MS) % DAY_MS)
    if (ms > now()) return null
    if (method !== 'at') return start + DAY_MS > now() ? null : fromDay(slug, start, options)
    // At midnight the day before has ended: its close is the price, which other answers of that moment have, too.
    const close = ms === start ? await fromDay(slug, start - DAY_MS, options) : null
    if (close !== null) return close
    const { current, price } = await fromHistory(slug, ms, options)
    return price ?? fromDay(current, start - DAY_MS, options)
  }
}

function msOf(time: Date | string | number): number {
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
    // At midnight it is the money of the day that ended.
    const day = dayOf(options.method === undefined || options.method === 'at' ? ms - 1 : ms)
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
