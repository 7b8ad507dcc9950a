import * as z from 'zod'
import { htxCurrencies } from './htx-currencies.ts'
import { marketPairs } from './market-pairs.ts'
import { optional } from './optional.ts'
import { rows, source } from './source.ts'
import { Milliseconds, NonNegative, Positive, Text } from './wire.ts'
import { unread } from './rights.ts'
import { picked } from './slow-lists.ts'

const QUOTES = [
  'USDT',
  'USDC',
  'USDD',
  'HUSD',
  'TUSD',
  'BTC',
  'ETH',
  'HT',
  'TRX',
  'EUR',
  'EUROC',
  'GBP',
  'TRY',
  'BRL',
  'RUB',
  'UAH',
]

const raw = z.unknown()

/** Errors have HTTP status 200 and are reported in `status`. */
const Answer = z.object({ status: z.literal('ok'), data: z.array(raw) })
const Tickers = Answer.extend({ ts: Milliseconds })

const Named = z.object({ symbol: Text(64) })
const Instrument = z.object({
  symbol: Text(64),
  state: z.string(),
  'base-currency': Text(64),
  'quote-currency': Text(64),
})

/** `amount` is the volume in the base currency, `vol` that in the quote currency. */
const Ticker = Named.extend({
  close: Positive,
  bid: Positive,
  ask: Positive,
  amount: NonNegative,
  vol: NonNegative,
})

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
  currencies: htxCurrencies,

  async fetch(http) {
    const [tickers, instruments] = await Promise.all([
      http.json('/market/tickers', Tickers.partial({ ts: true, status: true })),
      optional([{ what: 'instruments', answer: http.json('/v1/common/symbols', Answer) }]),
    ])
    return { tickers, instruments: instruments.answers.flatMap(({ data }) => data), missing: instruments.missing }
  },

  *parse({ tickers, instruments, missing }) {
    const known = instruments.flatMap((row) => Instrument.safeParse(row).data ?? [])
    const bySymbol = new Map(known.map((instrument) => [instrument.symbol, instrument]))
    const pairs = known.map(
      ({ symbol, 'base-currency': base, 'quote-currency': quote }) => [symbol, { base, quote }] as const,
    )
    const pairOf = marketPairs({ known: new Map(pairs), quotes: QUOTES, tickers: tickers.data })
    yield* rows(Ticker, tickers.data, (row) => {
      const instrument = bySymbol.get(row.symbol)
      if (instrument && instrument.state !== 'online') return { kind: 'skipped', reason: 'not trading' }
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
        at: tickers.ts ?? null,
        trade_url: `https://www.htx.com/trade/${encodeURIComponent(`${base}_${quote}`.toLowerCase())}`,
      }
    })
    yield* missing
  },
})
