import * as z from 'zod'
import { currenciesOf, withoutSymbol } from './currencies.ts'
import { marketPairs } from './market-pairs.ts'
import { explained } from './optional.ts'
import { rows, source } from './source.ts'
import { Milliseconds, NonNegative, OptionalText, Positive, Text } from './wire.ts'
import { unread } from './rights.ts'
import { picked } from './slow-lists.ts'

const QUOTES = 'USDT USDC USDD HUSD TUSD BTC ETH HT TRX EUR EUROC GBP TRY BRL RUB UAH'.split(' ')

const raw = z.unknown()

/** Errors have HTTP status 200 and are reported in `status`. */
const Answer = z.object({ status: z.literal('ok'), data: z.array(raw) })
const Tickers = Answer.extend({ ts: Milliseconds })

const Instrument = z
  .object({ symbol: Text(64), state: z.string(), 'base-currency': Text(64), 'quote-currency': Text(64) })
  .transform(({ symbol, state, 'base-currency': base, 'quote-currency': quote }) => ({ symbol, state, base, quote }))

/** `amount` is the volume in the base currency, `vol` that in the quote currency. */
const Ticker = z.object({
  symbol: Text(64),
  close: Positive,
  bid: Positive,
  ask: Positive,
  amount: NonNegative,
  vol: NonNegative,
})

const Chains = z.object({ code: z.literal(200), data: z.array(raw) })

const Currency = z.object({
  currency: Text(64),
  instStatus: z.string(),
  chains: z.array(
    z.object({
      baseChainProtocol: z.string().nullish(),
      contractAddress: z.string().nullish(),
      chainType: z.union([z.number(), z.string()]).nullish(),
    }),
  ),
})
const CurrencyName = z.object({ name: Text(64), fn: OptionalText(200) })

/** HTX, once Huobi. 10 requests a second (huobiapi.github.io/docs/spot). */
export const htx = source({
  id: 'htx',
  label: 'HTX',
  type: 'exchange',
  host: 'api.huobi.pro',
  pace: { requests: 5, perSeconds: 1 },
  slow: [
    {
      path: '/v1/common/symbols',
      hours: 24,
      keep: Answer.extend({ data: picked('symbol', 'state', 'base-currency', 'quote-currency') }),
    },
  ],
  rights: unread('https://www.htx.com/support/en-us/detail/360000298561'),

  fetch: (http) =>
    explained(http.json('/market/tickers', Tickers.partial({ ts: true, status: true })), {
      instruments: http.json('/v1/common/symbols', Answer).then(({ data }) => data),
    }),

  *parse({ tickers: { data: tickers, ts = null }, known, missing }) {
    const skip = ({ state }: z.infer<typeof Instrument>) => (state === 'online' ? null : 'not trading')
    const pairOf = marketPairs({ schema: Instrument, instruments: known, skip, quotes: QUOTES, tickers })
    yield* rows(Ticker, tickers, (row) => {
      const pair = pairOf(row.symbol)
      if ('kind' in pair) return pair
      const { base, quote } = pair
      return {
        kind: 'quote',
        market: row.symbol,
        base,
        quote,
        last: row.close,
        bid: row.bid,
        ask: row.ask,
        volume_24h_base: row.amount,
        volume_24h_quote: row.vol,
        // `open` is that of the Singapore day (huobiapi.github.io/docs/spot), not of 24 hours ago.
        percent_change_24h: null,
        at: ts,
        trade_url: `https://www.htx.com/trade/${encodeURIComponent(`${base}_${quote}`.toLowerCase())}`,
      }
    })
    yield* missing
  },

  /** Contracts from one list, and names from a second (huobiapi.github.io/docs/spot, reference data). */
  async currencies(http) {
    const [chains, names] = await Promise.all([
      http.json('/v2/reference/currencies', Chains),
      // The names alone are worth less than the contracts alone; without them the list still tells something.
      http.json('/v2/settings/common/currencies', Answer).catch(() => ({ data: [] })),
    ])
    const nameOf = new Map(
      names.data.flatMap((item) => {
        const { data } = CurrencyName.safeParse(item)
        return data ? [[data.name.toUpperCase(), data.fn] as const] : []
      }),
    )
    return currenciesOf('htx', Currency, chains.data, ({ currency, instStatus, chains: all }) => {
      if (instStatus !== 'normal') return null
      const symbol = currency.toUpperCase()
      // A native coin's list holds its wrapped forms too: "btc" has BTCB, cbBTC and WBTC.
      const isNative = all.some(({ chainType, contractAddress }) => Number(chainType) === 0 || !contractAddress)
      const contracts = all.flatMap(({ baseChainProtocol, contractAddress }) =>
        baseChainProtocol ? [{ platform: baseChainProtocol, address: contractAddress }] : [],
      )
      return { symbol, name: withoutSymbol(nameOf.get(symbol) ?? null, symbol), contracts: isNative ? [] : contracts }
    })
  },
})
