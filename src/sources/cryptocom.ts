import * as z from 'zod'
import { rows, source } from './source.ts'
import { Fraction, Milliseconds, NonNegative, Positive, Text } from './wire.ts'
import { unread } from './rights.ts'

/** Errors have HTTP status 200 and are reported in `code`. */
const Answer = z.object({ code: z.literal(0), result: z.object({ data: z.array(z.unknown()) }) })

/** Instrument, last, bid, ask, volume in the base currency, change as a fraction, time (0 where nobody trades). */
const Ticker = z.object({
  i: Text(64),
  a: Positive,
  b: Positive,
  k: Positive,
  v: NonNegative,
  c: Fraction,
  t: Milliseconds,
})

/** Crypto.com Exchange. 100 requests a second (exchange-docs.crypto.com). */
export const cryptocom = source({
  id: 'cryptocom',
  label: 'Crypto.com Exchange',
  type: 'exchange',
  host: 'api.crypto.com',
  pace: { requests: 10, perSeconds: 1 },
  rights: unread('https://crypto.com/exchange/document/terms'),

  fetch: async (http) => (await http.json('/exchange/v1/public/get-tickers', Answer)).result.data,

  parse: (tickers) =>
    rows(Ticker, tickers, (row) => {
      const [, base, quote] = /^([^_-]+)_([^_-]+)$/.exec(row.i.toUpperCase()) ?? []
      // Perpetuals, dated futures and loan rates: BTCUSD-PERP, OXT-D36500, VET-D365-LTV.
      if (base === undefined || quote === undefined) return { kind: 'skipped', reason: 'not a spot pair' }
      return {
        kind: 'quote',
        market: row.i,
        base,
        quote,
        last: row.a,
        bid: row.b,
        ask: row.k,
        volume_24h_base: row.v,
        // `vv` is in US dollars whatever the quote.
        volume_24h_quote: null,
        percent_change_24h: row.c,
        at: row.t,
        trade_url: `https://crypto.com/exchange/trade/${encodeURIComponent(row.i)}`,
      }
    }),
})
