import { DAY_MS, INTERVAL_MS, isoOf, dayOf } from '../contract/time.ts'
import type { ClosesOfDayAnswer, HistoryAnswer } from './answers.ts'
import { NotFoundError } from './errors.ts'
import type { Methods } from './methods.ts'

/** A past price, and what it is from. */
export interface PastPrice {
  readonly price_usd: number
  /** Start of the bucket that holds the time: the price is the last one seen in it. */
  readonly timestamp: string
  /** Width of the bucket. */
  readonly interval: HistoryAnswer['interval']
  /** The endpoint that it is from. */
  readonly source: 'history' | 'closes'
  /** What a day of closes is made of; null for history. */
  readonly basis: ClosesOfDayAnswer['basis'] | null
}

/** Options of {@link PriceAt}. */
export interface PriceAtOptions {
  readonly signal?: AbortSignal | undefined
}

/**
 * Returns the price of an asset at a time from the finest data there is: history of 1, 7, 30, 90 and 365 days, then the
 * daily closes. Null if the time is before the first or after the newest price, or in a gap of all of them.
 */
export type PriceAt = (
  slug: string,
  time: Date | string | number,
  options?: PriceAtOptions,
) => Promise<PastPrice | null>

const RANGES = [1, 7, 30, 90, 365] as const

/** Returns the function that reads past prices. `now` is the time of day in ms since 1970. */
export const priceAtOf =
  ({ history, closesOfDay }: Pick<Methods, 'history' | 'closesOfDay'>, now: () => number): PriceAt =>
  async (slug, time, { signal } = {}) => {
    const ms = new Date(time).getTime()
    if (Number.isNaN(ms)) throw new TypeError(`${String(time)} is not a time`)
    const ageDays = (now() - ms) / DAY_MS
    let current = slug
    for (const days of RANGES) {
      if (ageDays > days + 1) continue
      // eslint-disable-next-line no-await-in-loop -- a coarser range is read only where the finer one has a gap
      const { data } = await history(current, { days, signal })
      current = data.slug
      // A host may state another interval, or something else in its place.
      const [, length] = Object.entries(INTERVAL_MS).find(([interval]) => interval === data.interval) ?? []
      if (length === undefined) continue
      const timestamp = isoOf(Math.floor(ms / length) * length)
      const row = data.rows.find((one) => one.timestamp === timestamp)
      if (row) return { price_usd: row.price_usd, timestamp, interval: data.interval, source: 'history', basis: null }
    }
    const day = dayOf(ms)
    const closes = await closesOfDay(day, { signal }).catch((error: unknown) => {
      if (error instanceof NotFoundError) return null
      throw error
    })
    const row = closes?.data.rows.find((one) => one.slug === current)
    if (!closes || !row) return null
    const { basis } = closes.data
    return { price_usd: row.close_usd, timestamp: `${day}T00:00:00Z`, interval: '1d', source: 'closes', basis }
  }
