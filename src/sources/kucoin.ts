import * as z from 'zod'
import { currenciesOf } from './currencies.ts'
import { bars } from './bars.ts'
import { isLeveraged } from './market-pairs.ts'
import { explained } from './optional.ts'
import { picked } from './slow-lists.ts'
import { rows, source } from './source.ts'
import { Fraction, Milliseconds, NonNegative, OptionalText, Positive, Seconds, Text } from './wire.ts'
import { unread } from './rights.ts'

const raw = z.unknown()

/** Errors have HTTP status 200 and are reported in `code`. */
const answer = <Members extends z.ZodType>(members: Members) => z.object({ code: z.literal('200000'), data: members })

const PairName = Text(64).pipe(z.string().regex(/^[^-]+-[^-]+$/))

/** `symbol` keeps the names that currencies had when they were listed; `symbolName` has today's. */
const Named = z.object({ symbol: PairName, symbolName: PairName.optional() })

/** A row of `allTickers`. */
const Ticker = Named.extend({
  last: Positive,
  buy: Positive,
  sell: Positive,
  vol: NonNegative,
  volValue: NonNegative,
  changeRate: Fraction,
})

/** `currency` is the name of the day it was listed; `name` is today's, as in the quotes. Fiat money has no chains. */
const Currency = z.object({
  name: Text(64),
  fullName: OptionalText(200),
  chains: z
    .array(
      z.object({
        chainId: z.string(),
        contractAddress: z.string().nullish(),
        isWithdrawEnabled: z.boolean(),
        isDepositEnabled: z.boolean(),
      }),
    )
    .nullable(),
})

const CURRENCIES = '/api/v3/currencies'
const FullName = z.object({ name: Text(64), fullName: z.string() })

/** Nothing but the full name of a currency tells that it is a share of a company: "Apple xStock". */
const isStock = (fullName: string): boolean => /\bxStock\b|\bOndo Tokenized\b|\bTokenized Stock\b/i.test(fullName)

/** KuCoin. 2,000 in 30 seconds, of which the list weighs 15 and candles 3 (kucoin.com/docs, rate limit). */
export const kucoin = source({
  id: 'kucoin',
  label: 'KuCoin',
  type: 'exchange',
  host: 'api.kucoin.com',
  pace: { requests: 10, perSeconds: 1 },
  slow: [
    {
      path: CURRENCIES,
      hours: 24,
      keep: answer(picked('name', 'fullName', 'chains')),
    },
  ],
  rights: unread('https://www.kucoin.com/legal/terms-of-use'),
  candles: bars({
    widths: { '15m': '15min', '1h': '1hour', '4h': '4hour', '1d': '1day' },
    most: 1500,
    // The bar that begins at `endAt` is left out.
    path: ({ market, width, from, to }) =>
      `/api/v1/market/candles?symbol=${market}&type=${width}&startAt=${from / 1000}&endAt=${to / 1000 + 1}`,
    rows: async (http, path) => (await http.json(path, answer(z.array(raw)))).data,
    time: Seconds,
    columns: { at: 0, open: 1, close: 2, high: 3, low: 4, volume_base: 5, volume_quote: 6 },
  }),

  fetch: (http) =>
    explained(
      http
        .json('/api/v1/market/allTickers', answer(z.object({ time: Milliseconds, ticker: z.array(raw) })))
        .then(({ data }) => data),
      { currencies: http.json(CURRENCIES, answer(z.array(raw))).then(({ data }) => data) },
    ),

  *parse({ tickers: { time, ticker }, known, missing }) {
    const stocks = new Set(
      known
        .flatMap((row) => FullName.safeParse(row).data ?? [])
        .flatMap(({ name, fullName }) => (isStock(fullName) ? [name.toUpperCase()] : [])),
    )
    const bases = new Set(
      ticker.flatMap((row) => {
        const { data } = Named.safeParse(row)
        return data ? [pairOf(data).base] : []
      }),
    )
    yield* rows(Ticker, ticker, (row) => {
      const { base, quote } = pairOf(row)
      if (stocks.has(base)) return { kind: 'skipped', reason: 'tokenized stock' }
      if (isLeveraged(base, bases)) return { kind: 'skipped', reason: 'leveraged token' }
      return {
        kind: 'quote',
        market: row.symbol,
        base,
        quote,
        last: row.last,
        bid: row.buy,
        ask: row.sell,
        volume_24h_base: row.vol,
        volume_24h_quote: row.volValue,
        percent_change_24h: row.changeRate,
        at: time,
        trade_url: `https://www.kucoin.com/trade/${encodeURIComponent(row.symbol)}`,
      }
    })
    yield* missing
  },

  /** KuCoin's currencies (kucoin.com/docs, Get All Currencies). */
  async currencies(http) {
    const { data } = await http.json(CURRENCIES, answer(z.array(raw)))
    return currenciesOf('kucoin', Currency, data, ({ name, fullName, chains }) => {
      if (chains === null || isStock(fullName ?? '')) return null
      // No contract on an open chain is the chain's own coin; on a closed one the contract was taken off the list.
      const isNative = chains.some(
        (chain) => !chain.contractAddress && chain.isWithdrawEnabled && chain.isDepositEnabled,
      )
      const contracts = chains.map(({ chainId, contractAddress }) => ({ platform: chainId, address: contractAddress }))
      return { symbol: name, name: fullName, contracts: isNative ? [] : contracts }
    })
  },
})

function pairOf({ symbol, symbolName = symbol }: z.infer<typeof Named>): { base: string; quote: string } {
  const [base = '', quote = ''] = symbolName.toUpperCase().split('-')
  return { base, quote }
}
