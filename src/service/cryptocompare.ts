import * as z from 'zod'
import type { MarketsRow } from '../core/contract/asset.ts'
import { DAY_MS, HOUR_MS } from '../core/contract/time.ts'
import { documentBars, candlesOf, dailyBars, lastPrices, worthAt } from './past.ts'
import { type OpenPublication, type Unit, figuresIn, priceIn } from './publication.ts'
import { type ParsedQuery, type Shape, integer, names, refuse, route } from './shape.ts'

const listingOf = (from: OpenPublication, symbol: string): MarketsRow =>
  from.symbols.get(symbol.toUpperCase()) ?? refuse(404, `There is no data for the symbol ${symbol}.`)

const inEach = <T>(from: OpenPublication, symbols: readonly string[], figure: (unit: Unit) => T) =>
  Object.fromEntries(
    symbols.flatMap((symbol) => {
      const unit = from.units.get(symbol.toLowerCase())
      return unit ? [[symbol.toUpperCase(), figure(unit)]] : []
    }),
  )

const ofEach = <T>({ from, query }: ParsedQuery<typeof EACH>, figure: (row: MarketsRow, unit: Unit) => T) =>
  Object.fromEntries(
    query.fsyms.flatMap((symbol) => {
      const row = from.symbols.get(symbol.toUpperCase())
      return row ? [[symbol.toUpperCase(), inEach(from, query.tsyms, (unit) => figure(row, unit))]] : []
    }),
  )

function fullFigures(row: MarketsRow, unit: Unit) {
  const own = figuresIn(row, unit)
  return {
    FROMSYMBOL: row.symbol.toUpperCase(),
    TOSYMBOL: unit.symbol,
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
}

const EACH = { fsyms: names, tsyms: names }
const PAST = { fsym: z.string(), tsym: z.string(), limit: integer.default(30), toTs: integer.optional() }

async function lastBars({ from, query, now }: ParsedQuery<typeof PAST>, width: number) {
  const row = listingOf(from, query.fsym)
  const all = await (width === DAY_MS ? dailyBars(from, row, now) : candlesOf(from, row, 7, now))
  const until = (query.toTs ?? now / 1000) * 1000
  const bars = all.filter(({ start }) => start <= until).slice(-query.limit - 1)
  const own = await documentBars(from, bars, query.tsym.toLowerCase())
  const rows = own.map(({ start, prices: [open, high, low, close], volume }) => {
    const figures = { time: start / 1000, high, low, open, volumefrom: volume, volumeto: null, close }
    return { ...figures, conversionType: 'direct', conversionSymbol: '' }
  })
  const times = { TimeFrom: rows[0]?.time ?? null, TimeTo: rows.at(-1)?.time ?? null }
  return { ...HEAD, Response: 'Success', Message: '', Type: 100, Data: { Aggregated: false, ...times, Data: rows } }
}

const routes = [
  route('/price', { fsym: z.string(), tsyms: names }, ({ from, query }) => {
    const { price_usd } = listingOf(from, query.fsym)
    return inEach(from, query.tsyms, (unit) => priceIn(price_usd, unit))
  }),
  route('/pricemulti', EACH, (asked) => ofEach(asked, ({ price_usd }, unit) => priceIn(price_usd, unit))),
  route('/pricemultifull', EACH, (asked) => ({ RAW: ofEach(asked, fullFigures) })),
  route('/pricehistorical', { fsym: z.string(), tsyms: names, ts: integer }, async ({ from, query, now }) => {
    const { slug } = listingOf(from, query.fsym)
    const at = query.ts * 1000
    const { price_usd } = (await lastPrices(from, now)(slug, at)) ?? refuse(404, 'There is no price of that time.')
    const prices = await Promise.all(
      query.tsyms.map(async (symbol) => {
        const unit = await worthAt(from, symbol.toLowerCase(), at, now)
        return [symbol.toUpperCase(), unit && priceIn(price_usd, unit)]
      }),
    )
    return { [query.fsym.toUpperCase()]: Object.fromEntries(prices) }
  }),
  route('/v2/histoday', PAST, (asked) => lastBars(asked, DAY_MS)),
  route('/v2/histohour', PAST, (asked) => lastBars(asked, HOUR_MS)),
]

const HEAD = { HasWarning: false, RateLimit: {} } as const

/** CryptoCompare's prices, hours and days, as its API answered them until May 2026. An error has status 200 there. */
export const cryptocompareShape: Shape = {
  prefix: '/data',
  routes,
  refused: ({ message }) => ({
    status: 200,
    body: { ...HEAD, Response: 'Error', Message: message, Type: 2, Data: {} },
  }),
}
