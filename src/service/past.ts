import type { MarketsRow } from '../core/contract/asset.ts'
import type { Currency } from '../core/contract/conversion.ts'
import { DAYS } from '../core/contract/history.ts'
import { type SeenPrice, lastAt, seenPrices } from '../core/contract/past-price.ts'
import { DAY_MS, dayOf } from '../core/contract/time.ts'
import { DOCUMENTS, type Publication } from './publication.ts'
import { Refusal } from './shape.ts'

/** The published range that reaches back so many days; the longest for all others. */
export const rangeReaching = (days: number): number => DAYS.find((range) => range >= days) ?? 365

/**
 * The closes of a listing since a time in ms since 1970, each at the end of its day: those of the last year, and before them,
 * where the time is earlier, those since it was listed.
 */
async function closesOf(from: Publication, slug: string, since: number): Promise<readonly SeenPrice[]> {
  const isOlder = since < Date.parse(from.at) - 364 * DAY_MS
  const [bars, year] = await Promise.all([
    isOlder ? from.document(DOCUMENTS.daily, `daily/${slug}`) : null,
    from.document(DOCUMENTS.history, `history/${slug}/days=365`),
  ])
  const first = Date.parse(bars?.from ?? '')
  const older = (bars?.columns.close_usd ?? []).flatMap((price_usd, place) =>
    price_usd === null ? [] : [{ time: first + (place + 1) * DAY_MS, price_usd, volume_24h_usd: null }],
  )
  const all = new Map([...older, ...(year ? seenPrices(year) : [])].map((price) => [price.time, price]))
  return [...all.values()].toSorted((a, b) => a.time - b.time)
}

/**
 * Returns the prices of a listing in dollars since a time in ms since 1970, as fine as the series that reaches back to it, and
 * the current one last. A price of midnight is the close of the day that ended, as in every answer.
 */
export async function pricesSince(
  from: Publication,
  { slug, price_usd, volume_24h_usd, last_updated }: MarketsRow,
  since: number,
  now: number,
): Promise<readonly SeenPrice[]> {
  const range = rangeReaching((now - since) / DAY_MS)
  const closes = await closesOf(from, slug, since)
  const byTime = new Map(closes.map((close) => [close.time, close]))
  const series = range < 90 ? await from.document(DOCUMENTS.history, `history/${slug}/days=${range}`) : null
  const past = series ? seenPrices(series).map((price) => byTime.get(price.time) ?? price) : closes
  const time = Date.parse(last_updated ?? '')
  const current = price_usd === null || !(time <= now) ? [] : [{ time, price_usd, volume_24h_usd }]
  return [...past.filter((price) => !(price.time >= time)), ...current]
}

/** Returns a function that gives the close of a listing on a day, and what else is known of it then; null: it has none. */
export function closesOn(from: Publication, day: string) {
  const published = from.document(DOCUMENTS.closes, `closes/${day}`)
  const end = Date.parse(day) + DAY_MS
  return async (slug: string) => {
    const row = (await published)?.rows.find((one) => one.slug === slug)
    if (row) return row
    const close = (await closesOf(from, slug, end)).find(({ time }) => time === end)
    return close ? { close_usd: close.price_usd, market_cap_usd: null, volume_24h_usd: close.volume_24h_usd } : null
  }
}

/** What a currency was worth at a time in ms since 1970; null where that is not known. */
type WorthAt = (time: number) => Currency | null

/** What a currency was worth at each price: a coin by its last price until then, money of a country by its rate of that day. */
export async function pastUnit(
  from: Publication,
  symbol: string,
  prices: readonly SeenPrice[],
  { since, now }: { readonly since: number; readonly now: number },
): Promise<WorthAt> {
  const unit = from.units.get(symbol)
  const coin = unit?.slug && from.known(unit.slug)
  if (!unit || !coin)
    return moneyAt(
      from,
      symbol,
      prices.map(({ time }) => time),
    )
  const own = await pricesSince(from, coin, since, now)
  return (time) => {
    const last = lastAt(own, time)
    return last === null || time - last.time > DAY_MS ? null : { symbol: unit.symbol, price_usd: last.price_usd }
  }
}

/** What one unit of the money of a country was worth at some times. @throws Refusal of a currency that had no rate then */
export async function moneyAt(from: Publication, symbol: string, times: readonly number[]): Promise<WorthAt> {
  if (symbol === 'usd') return () => ({ symbol: 'USD', price_usd: 1 })
  const unit = from.units.get(symbol) ?? null
  // A bar or a close at midnight is of the day that ended.
  const dayAt = (time: number): string => dayOf(time - 1)
  const days = [...new Set(times.map(dayAt))]
  const rates = await from.ratesOf(days)
  const byDay = new Map(days.map((day) => [day, rates(day).get(symbol.toUpperCase()) ?? null]))
  if (unit === null && [...byDay.values()].every((rate) => rate === null)) throw new Refusal(400, 'invalid vs_currency')
  // The rate of today is that of the current prices.
  const today = dayOf(Date.parse(from.at))
  return (time) => (unit !== null && dayAt(time) === today ? unit : (byDay.get(dayAt(time)) ?? null))
}
