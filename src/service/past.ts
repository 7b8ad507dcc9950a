import type { MarketsRow } from '../core/contract/asset.ts'
import type { Currency } from '../core/contract/conversion.ts'
import { type PastDocuments, pastDollars } from '../client/price-at.ts'
import { ensured } from '../core/contract/order.ts'
import { DAYS } from '../core/contract/history.ts'
import { type SeenPrice, lastAt, seenPrices } from '../core/contract/past-price.ts'
import { DAY_MS, INTERVAL_MS, dayOf } from '../core/contract/time.ts'
import { type OpenPublication, priceIn } from './publication.ts'
import { refuse } from './shape.ts'

const rangeReaching = (days: number): number => DAYS.find((range) => range >= days) ?? 365

/** A bar, in dollars unless something else is said, with its start and its end in ms since 1970. */
interface Bar extends Readonly<Record<'start' | 'end', number>> {
  /** Open, high, low and close. */
  readonly prices: readonly (number | null)[]
  readonly volume: number | null
}

/** Returns the bars of a range, each closing with the price that other answers have for its end, where they have one. */
export async function candlesOf(from: OpenPublication, row: MarketsRow, days: number, now: number): Promise<Bar[]> {
  const range = rangeReaching(days)
  const candles = await from.document('candles', { slug: row.slug, days: range })
  if (candles === null) return []
  const seen = await pricesSince(from, row, now - range * DAY_MS, now)
  const priceAt = new Map(seen.map(({ time, price_usd }) => [time, price_usd]))
  const width = INTERVAL_MS[candles.interval]
  // The history of the range may begin two buckets later.
  const begin = Date.parse(candles.from) + 2 * width
  return candles.rows.flatMap(({ timestamp, open_usd, high_usd, low_usd, close_usd, volume_base }) => {
    const start = Date.parse(timestamp)
    if (start < begin) return []
    const end = start + width
    const close = priceAt.get(end) ?? close_usd
    const prices = [open_usd, Math.max(high_usd, close), Math.min(low_usd, close), close]
    return [{ start, end, prices, volume: volume_base }]
  })
}

/** The days of a listing since a venue has it, without those of the last months. */
async function olderDays(from: OpenPublication, slug: string) {
  const daily = await from.document('daily', { slug })
  if (daily === null) return []
  const { close_usd, open_usd, high_usd, low_usd, venue_volume_base } = daily.columns
  return close_usd.flatMap((close, place) => {
    const start = Date.parse(daily.from) + place * DAY_MS
    const prices = [open_usd, high_usd, low_usd, close_usd].map((column) => column[place] ?? null)
    const volume = venue_volume_base[place] ?? null
    return close === null ? [] : [{ start, end: start + DAY_MS, prices, volume, close }]
  })
}

export async function dailyBars(from: OpenPublication, row: MarketsRow, now: number): Promise<readonly Bar[]> {
  const [year, older] = await Promise.all([candlesOf(from, row, 365, now), olderDays(from, row.slug)])
  const begin = year[0]?.start ?? Infinity
  return [...older.filter(({ start }) => start < begin), ...year]
}

/** Returns bars in the money of a country, each by the rate of its day. @throws HTTPException of a coin */
export async function documentBars(from: OpenPublication, bars: readonly Bar[], symbol: string) {
  if (from.units.get(symbol)?.slug) refuse(422, 'Candles are published in money of countries, such as usd')
  const times = bars.map(({ end }) => end)
  const unitAt = await moneyAt(from, symbol, times)
  return bars.flatMap((bar) => {
    const unit = unitAt(bar.end)
    return unit === null ? [] : [{ ...bar, prices: bar.prices.map((price) => priceIn(price, unit)) }]
  })
}

/** Returns the prices in dollars since a time, of the finest series that reaches back to it, and the one of the last run. */
export async function pricesSince(from: OpenPublication, { slug }: MarketsRow, since: number, now: number) {
  const range = rangeReaching((now - since) / DAY_MS)
  const isOlder = since < Date.parse(from.at) - 364 * DAY_MS
  const read = async (days: number) => {
    const series = await from.document('history', { slug, days })
    return series ? seenPrices(series) : []
  }
  const [days, prices, month, day] = await Promise.all([
    isOlder ? olderDays(from, slug) : [],
    read(range < 90 ? range : 365),
    range < 90 ? [] : read(30),
    range === 1 ? [] : read(1),
  ])
  const closes = days.map(({ end, close }): SeenPrice => ({ time: end, price_usd: close, volume_24h_usd: null }))
  // Of a day in which runs stopped, the finer series may have a later price.
  const midnights = month.filter(({ time }) => time % DAY_MS === 0)
  const all = new Map([...closes, ...prices, ...midnights, ...day.slice(-1)].map((price) => [price.time, price]))
  return [...all.values()].toSorted((a, b) => a.time - b.time)
}

/** Returns the function that gives the last price of a listing at or before a time; null: there is none of the day before it. */
export function lastPrices({ document }: OpenPublication, now: number) {
  const closes = new Map<string, ReturnType<PastDocuments['closesOfDay']>>()
  const read: PastDocuments = {
    history: (of, days) => document('history', { slug: of, days }),
    closesOfDay: (day) => ensured(closes, day, () => document('closesOfDay', { day })),
    daily: (of) => document('daily', { slug: of }),
  }
  return (slug: string, at: number) => pastDollars(read, slug, at, { now })
}

/** Returns what a currency was worth at a time: a coin by its last price until then, money of a country by its rate of that day. */
export async function worthAt(from: OpenPublication, symbol: string, at: number, now: number) {
  const unit = from.units.get(symbol)
  if (!unit?.slug) return (await moneyAt(from, symbol, [at]))(at)
  const last = await lastPrices(from, now)(unit.slug, at)
  return last && { symbol: unit.symbol, price_usd: last.price_usd }
}

type WorthAt = (time: number) => Currency | null

/** What a currency was worth at each price: a coin by its last price until then, money of a country by its rate of that day. */
export async function pastUnit(
  from: OpenPublication,
  symbol: string,
  prices: readonly Pick<SeenPrice, 'time'>[],
  { since, now }: { readonly since: number; readonly now: number },
): Promise<WorthAt> {
  const unit = from.units.get(symbol)
  const coin = unit?.slug && from.known(unit.slug)
  const times = prices.map(({ time }) => time)
  if (!unit || !coin) return moneyAt(from, symbol, times)
  const own = await pricesSince(from, coin, since, now)
  return (time) => {
    const last = lastAt(own, time)
    return last === null || time - last.time > DAY_MS ? null : { symbol: unit.symbol, price_usd: last.price_usd }
  }
}

/** What one unit of the money of a country was worth at some times. @throws HTTPException of a currency that had no rate then */
async function moneyAt(from: OpenPublication, symbol: string, times: readonly number[]): Promise<WorthAt> {
  if (symbol === 'usd') return () => ({ symbol: 'USD', price_usd: 1 })
  const unit = from.units.get(symbol) ?? null
  // A bar or a close at midnight is of the day that ended.
  const dayAt = (time: number): string => dayOf(time - 1)
  const days = [...new Set(times.map(dayAt))]
  const rates = await from.ratesOf(days)
  const byDay = new Map(days.map((day) => [day, rates(day).get(symbol.toUpperCase()) ?? null]))
  if (unit === null && [...byDay.values()].every((rate) => rate === null)) refuse(400, 'invalid vs_currency')
  // The rate of today is that of the current prices.
  const today = dayOf(Date.parse(from.at))
  return (time) => (unit !== null && dayAt(time) === today ? unit : (byDay.get(dayAt(time)) ?? null))
}
