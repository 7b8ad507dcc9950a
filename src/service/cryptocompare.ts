import * as z from 'zod'
import type { MarketsRow } from '../contract/asset.ts'
import { DAYS } from '../contract/history.ts'
import { DAY_MS } from '../contract/time.ts'
import { DOCUMENTS, type Publication, priceIn } from './publication.ts'
import { Refusal, type Shape, integer, names, route } from './shape.ts'

/** A price in each currency, by the symbol as it was asked for. Unknown currencies are left out. */
const pricesOf = (from: Publication, { price_usd }: MarketsRow, symbols: readonly string[]) =>
  Object.fromEntries(
    symbols.flatMap((symbol) => {
      const unit = from.units.get(symbol.toLowerCase())
      return unit ? [[symbol.toUpperCase(), priceIn(price_usd, unit)]] : []
    }),
  )

const DAY_SECONDS = DAY_MS / 1000

const routes = [
  route('/price', { fsym: z.string(), tsyms: names }, ({ from, query }) => {
    const row = from.symbols.get(query.fsym.toUpperCase())
    if (!row) throw new Refusal(404, `There is no data for the symbol ${query.fsym}.`)
    return pricesOf(from, row, query.tsyms)
  }),
  route('/pricemulti', { fsyms: names, tsyms: names }, ({ from, query }) =>
    Object.fromEntries(
      query.fsyms.flatMap((symbol) => {
        const row = from.symbols.get(symbol.toUpperCase())
        return row ? [[symbol.toUpperCase(), pricesOf(from, row, query.tsyms)]] : []
      }),
    ),
  ),
  route(
    '/v2/histoday',
    {
      fsym: z.string(),
      tsym: z.string(),
      limit: integer.default(30),
      toTs: integer.optional(),
    },
    async ({ from, query, now }) => {
      const row = from.symbols.get(query.fsym.toUpperCase())
      if (!row) throw new Refusal(404, `There is no data for the symbol ${query.fsym}.`)
      if (query.tsym.toUpperCase() !== 'USD') throw new Refusal(422, 'Past prices are published in USD.')
      const candles = await from.document(DOCUMENTS.candles, `candles/${row.slug}/days=${DAYS.at(-1)}`)
      const until = query.toTs ?? now / 1000
      const bars = (candles?.rows ?? [])
        .map((bar) => ({ time: Date.parse(bar.timestamp) / 1000, ...bar }))
        .filter(({ time }) => time <= until && time >= until - (query.limit + 1) * DAY_SECONDS)
        .map(({ time, open_usd, high_usd, low_usd, close_usd, volume_base }) => ({
          time,
          high: high_usd,
          low: low_usd,
          open: open_usd,
          volumefrom: volume_base,
          volumeto: null,
          close: close_usd,
          conversionType: 'direct',
          conversionSymbol: '',
        }))
      const times = { TimeFrom: bars[0]?.time ?? null, TimeTo: bars.at(-1)?.time ?? null }
      return { ...HEAD, Response: 'Success', Message: '', Type: 100, Data: { Aggregated: false, ...times, Data: bars } }
    },
  ),
]

const HEAD = { HasWarning: false, RateLimit: {} } as const

/** CryptoCompare's prices and days, as its API answered them until May 2026. An error has status 200 there. */
export const cryptocompare: Shape = {
  routes,
  refused: ({ message }) => ({
    status: 200,
    body: { ...HEAD, Response: 'Error', Message: message, Type: 2, Data: {} },
  }),
}
