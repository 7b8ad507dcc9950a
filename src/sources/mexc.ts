import * as z from 'zod'
import { binanceApi } from './binance-api.ts'
import { currenciesOf } from './currencies.ts'
import { source } from './source.ts'
import { Fraction, OptionalText, Text } from './wire.ts'
import { unread } from './rights.ts'
import { picked } from './slow-lists.ts'

const Currency = z.object({
  baseAsset: Text(64),
  fullName: OptionalText(200),
  conceptPlates: z.array(z.string()).catch([]),
})

/** The group of shares of companies, such as AAPLX. Those of metals and oil hold coins too. */
const isStock = (groups: readonly string[]): boolean => groups.includes('mc-trade-zone-xStocks')

/** MEXC. 500 weight in 10 seconds, the whole list weighs 40 (mexcdevelop.github.io/apidocs). */
export const mexc = source({
  id: 'mexc',
  label: 'MEXC',
  type: 'exchange',
  host: 'api.mexc.com',
  pace: { requests: 5, perSeconds: 1 },
  slow: [
    {
      path: '/api/v3/exchangeInfo',
      hours: 24,
      keep: z.object({ symbols: picked('symbol', 'status', 'baseAsset', 'quoteAsset', 'fullName', 'conceptPlates') }),
    },
  ],
  rights: unread('https://www.mexc.com/terms'),
  ...binanceApi({
    quotes: ['USDT', 'USDC', 'USDE', 'USD1', 'TUSD', 'BTC', 'ETH', 'MX', 'EUR', 'BRL'],
    // `status` was ENABLED, then 1.
    open: ['ENABLED', '1'],
    isStock: (_, groups) => isStock(groups),
    // The change called a percent is a fraction.
    change: Fraction,
    page: (pair) => `https://www.mexc.com/exchange/${pair}`,
  }),

  // The names of the list of pairs: the list of currencies needs a key, and the contracts of the pairs hold texts that are none.
  async currencies(http) {
    const { symbols } = await http.json('/api/v3/exchangeInfo', z.object({ symbols: z.array(z.unknown()) }))
    const seen = new Set<string>()
    return currenciesOf('mexc', Currency, symbols, ({ baseAsset, fullName, conceptPlates }) => {
      if (seen.has(baseAsset) || isStock(conceptPlates)) return null
      seen.add(baseAsset)
      return { symbol: baseAsset, name: fullName, contracts: [] }
    })
  },
})
