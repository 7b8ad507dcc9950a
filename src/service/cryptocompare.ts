import * as z from 'zod'
import type { MarketsRow } from '../core/contract/asset.ts'
import { lastAt } from '../core/contract/past-price.ts'
import { DAY_MS, HOUR_MS } from '../core/contract/time.ts'
import { moneyAt, pastUnit, pricesSince } from './past.ts'
import { DOCUMENTS, type Publication, figuresIn, priceIn } from './publication.ts'
import { type ParsedQuery, Refusal, type Shape, integer, names, route } from './shape.ts'

/** A price in each currency, by the symbol as it was asked for. Unknown currencies are left out. */
const pricesOf = (from: Publication, { price_usd }: MarketsRow, symbols: readonly string[]) =>
  Object.fromEntries(
    symbols.flatMap((symbol) => {
      const unit = from.units.get(symbol.toLowerCase())
      return unit ? [[symbol.toUpperCase(), priceIn(price_usd, unit)]] : []
    }),
  )

function listingOf(from: Publication, symbol: string): MarketsRow {
  const row = from.symbols.get(symbol.toUpperCase())
  if (!row) throw new Refusal(404, `There is no data for the symbol ${symbol}.`)
  return row
}

/** A bar in dollars with its start in ms since 1970. */
interface Bar {
  readonly start: number
  readonly open: number | null
  readonly high: number | null
  readonly low: number | null
  readonly close: number | null
  readonly volume: number | null
}

/** The bars of a series of candles. */
async function candlesOf(from: Publication, slug: string, days: 7 | 365): Promise<readonly Bar[]> {
  const candles = await from.document(DOCUMENTS.candles, `candles/${slug}/days=${days}`)
  return (candles?.rows ?? []).map((row) => ({
    start: Date.parse(row.timestamp),
    open: row.open_usd,
    high: row.high_usd,
    low: row.low_usd,
    close: row.close_usd,
    volume: row.volume_base,
  }))
}

/** The days of a listing since a venue has it: those of the last year from the candles, the others from the daily bars. */
async function daysOf(from: Publication, slug: string): Promise<readonly Bar[]> {
  const [year, daily] = await Promise.all([candlesOf(from, slug, 365), from.document(DOCUMENTS.daily, `daily/${slug}`)])
  const first = Date.parse(daily?.from ?? '')
  const older = (daily?.columns.close_usd ?? []).flatMap((close, place): Bar[] => {
    const [open, high, low, volume] = (['open_usd', 'high_usd', 'low_usd', 'venue_volume_base'] as const).map(
      (name) => daily?.columns[name][place] ?? null,
    )
    const prices = { open: open ?? null, high: high ?? null, low: low ?? null, close, volume: volume ?? null }
    return close === null ? [] : [{ start: first + place * DAY_MS, ...prices }]
  })
  const begin = year[0]?.start ?? Infinity
  return [...older.filter(({ start }) => start < begin), ...year]
}

const PAST = { fsym: z.string(), tsym: z.string(), limit: integer.default(30), toTs: integer.optional() }

/** Answers the last bars until a time, in the money of their days. */
async function barsIn({ from, query, now }: ParsedQuery<typeof PAST>, all: readonly Bar[], width: number) {
  const until = (query.toTs ?? now / 1000) * 1000
  const bars = all.filter(({ start }) => start <= until && start >= until - (query.limit + 1) * width)
  const symbol = query.tsym.toLowerCase()
  if (from.units.get(symbol)?.slug) throw new Refusal(422, 'Bars are published in money of countries, such as USD.')
  const rateAt = await moneyAt(
    from,
    symbol,
    bars.map(({ start }) => start + width),
  )
  const rows = bars.flatMap(({ start, open, high, low, close, volume }) => {
    const unit = rateAt(start + width)
    if (unit === null) return []
    const prices = { high: priceIn(high, unit), low: priceIn(low, unit), open: priceIn(open, unit) }
    const others = { close: priceIn(close, unit), conversionType: 'direct', conversionSymbol: '' }
    return [{ time: start / 1000, ...prices, volumefrom: volume, volumeto: null, ...others }]
  })
  const times = { TimeFrom: rows[0]?.time ?? null, TimeTo: rows.at(-1)?.time ?? null }
  return { ...HEAD, Response: 'Success', Message: '', Type: 100, Data: { Aggregated: false, ...times, Data: rows } }
}

const routes = [
  route('/price', { fsym: z.string(), tsyms: names }, ({ from, query }) =>
    pricesOf(from, listingOf(from, query.fsym), query.tsyms),
  ),
  route('/pricemulti', { fsyms: names, tsyms: names }, ({ from, query }) =>
    Object.fromEntries(
      query.fsyms.flatMap((symbol) => {
        const row = from.symbols.get(symbol.toUpperCase())
        return row ? [[symbol.toUpperCase(), pricesOf(from, row, query.tsyms)]] : []
      }),
    ),
  ),
  route('/pricemultifull', { fsyms: names, tsyms: names }, ({ from, query }) => {
    const raw = query.fsyms.flatMap((symbol) => {
      const row = from.symbols.get(symbol.toUpperCase())
      if (!row) return []
      const figures = query.tsyms.flatMap((money) => {
        const unit = from.units.get(money.toLowerCase())
        if (!unit) return []
        const own = figuresIn(row, unit)
        const figure = {
          FROMSYMBOL: symbol.toUpperCase(),
          TOSYMBOL: money.toUpperCase(),
          PRICE: own.current_price,
          LASTUPDATE: row.last_updated && Date.parse(row.last_updated) / 1000,
          HIGH24HOUR: own.high_24h,
          LOW24HOUR: own.low_24h,
          CHANGE24HOUR: own.price_change_24h,
          CHANGEPCT24HOUR: own.price_change_percentage_24h,
          SUPPLY: row.circulating_supply,
          MKTCAP: own.market_cap,
          TOTALVOLUME24HTO: own.total_volume,
        }
        return [[money.toUpperCase(), figure]]
      })
      return [[symbol.toUpperCase(), Object.fromEntries(figures)]]
    })
    return { RAW: Object.fromEntries(raw) }
  }),
  route('/pricehistorical', { fsym: z.string(), tsyms: names, ts: integer }, async ({ from, query, now }) => {
    const row = listingOf(from, query.fsym)
    const at = query.ts * 1000
    const since = at - DAY_MS
    const price = at > now ? null : lastAt(await pricesSince(from, row, since, now), at)
    if (price === null || price.time < since) throw new Refusal(404, 'There is no price of that time.')
    const prices = await Promise.all(
      query.tsyms.map(async (symbol) => {
        const unit = (await pastUnit(from, symbol.toLowerCase(), [price], { since, now }))(price.time)
        return [symbol.toUpperCase(), unit && priceIn(price.price_usd, unit)]
      }),
    )
    return { [query.fsym.toUpperCase()]: Object.fromEntries(prices) }
  }),
  route('/v2/histoday', PAST, async (asked) =>
    barsIn(asked, await daysOf(asked.from, listingOf(asked.from, asked.query.fsym).slug), DAY_MS),
  ),
  route('/v2/histohour', PAST, async (asked) =>
    barsIn(asked, await candlesOf(asked.from, listingOf(asked.from, asked.query.fsym).slug, 7), HOUR_MS),
  ),
]

const HEAD = { HasWarning: false, RateLimit: {} } as const

/** CryptoCompare's prices, hours and days, as its API answered them until May 2026. An error has status 200 there. */
export const cryptocompare: Shape = {
  routes,
  refused: ({ message }) => ({
    status: 200,
    body: { ...HEAD, Response: 'Error', Message: message, Type: 2, Data: {} },
  }),
}
