import * as z from 'zod'
import { bars } from './bars.ts'
import { pairSplitter } from './market-pairs.ts'
import { explained } from './optional.ts'
import { rows, source, type Http, type Skipped } from './source.ts'
import { SourceError } from './source-error.ts'
import { NonNegative, Positive, Seconds, Text } from './wire.ts'
import { unread } from './rights.ts'

/** What pairs are quoted in, to read a key that no list of pairs explains. */
const QUOTES = ['USD', 'EUR', 'GBP', 'CAD', 'AUD', 'JPY', 'CHF', 'BRL', 'USDT', 'USDC', 'DAI', 'XBT', 'ETH', 'DOT']
const split = pairSplitter(QUOTES)

/** Other spellings of the symbol that its pages have too. */
const SPELLINGS: Readonly<Record<string, string>> = { XBT: 'BTC', XDG: 'DOGE' }
/** Symbols that are another asset's elsewhere: it kept those of before a fork or a migration. */
const COMMON: Readonly<Record<string, string>> = {
  LUNA: 'LUNC',
  LUNA2: 'LUNA',
  UST: 'USTC',
  REP: 'REPV1',
  REPV2: 'REP',
}
const commonOf = (symbol: string): string => COMMON[symbol] ?? symbol
function spelled(symbol: string): string {
  const upper = symbol.toUpperCase()
  return SPELLINGS[upper] ?? upper
}

const raw = z.unknown()
const Answer = z.object({ error: z.array(z.string()), result: z.record(z.string(), raw).optional() })

/** Returns the result of an answer. Kraken reports errors with HTTP status 200. @throws SourceError */
async function resultOf(http: Http, path: string) {
  const { error, result } = await http.json(path, Answer)
  if (error.some((text) => /too many requests|rate limit/i.test(text)))
    throw new SourceError('source_rate_limited', 'api.kraken.com: too many requests')
  if (!result || error.some((text) => text.startsWith('E')))
    throw new SourceError('source_invalid', 'api.kraken.com: error in a 200')
  return new Map(Object.entries(result))
}

const Pair = z.object({ wsname: Text(64).optional(), aclass_base: z.string().optional() })
type Pair = z.infer<typeof Pair>

/** An entry of `/Ticker`. `v` is of today and of 24 hours; `o` is today's open, so there is no change of 24 hours. */
const Ticker = z.tuple([
  Text(64),
  z.object({
    a: z.tuple([Positive], raw),
    b: z.tuple([Positive], raw),
    c: z.tuple([Positive], raw),
    v: z.tuple([raw, NonNegative], raw),
  }),
])

const KEPT_PAIRS = z.object({
  error: z.tuple([]),
  result: z.record(z.string(), z.object({ wsname: raw.optional(), aclass_base: raw.optional() })),
})

/** Kraken. One request a second is what its counter bears for long (docs.kraken.com, rate limits). */
export const kraken = source({
  id: 'kraken',
  label: 'Kraken',
  type: 'exchange',
  host: 'api.kraken.com',
  pace: { requests: 1, perSeconds: 1 },
  slow: [{ path: '/0/public/AssetPairs', hours: 24, keep: KEPT_PAIRS }],
  rights: unread('https://www.kraken.com/legal'),
  candles: bars({
    // In minutes.
    widths: { '15m': 15, '1h': 60, '4h': 240, '1d': 1440 },
    most: 720,
    // It gives the bars after `since`, and has none before the last 720.
    path: ({ market, width, from }) => `/0/public/OHLC?pair=${market}&interval=${width}&since=${from / 1000 - 1}`,
    // The pair may come back under another of its names; beside it is only `last`, a time.
    rows: async (http, path) =>
      [...(await resultOf(http, path)).values()].flatMap((value) => z.array(raw).safeParse(value).data ?? []),
    time: Seconds,
    columns: { at: 0, open: 1, high: 2, low: 3, close: 4, volume_base: 6 },
  }),

  fetch: (http) =>
    explained(resultOf(http, '/0/public/Ticker'), {
      pairs: resultOf(http, '/0/public/AssetPairs').then((pairs) => [...pairs]),
    }),

  *parse({ tickers, known, missing }) {
    const byName = new Map<string, Pair>()
    for (const [key, value] of known) {
      const { data: pair } = Pair.safeParse(value)
      if (!pair) continue
      byName.set(key, pair)
      if (pair.wsname) byName.set(pair.wsname, pair)
    }

    yield* rows(Ticker, tickers, ([market, { a, b, c, v }]) => {
      const pair = pairOf(market, byName.get(market))
      if ('kind' in pair) return pair
      const { base, quote } = pair
      return {
        kind: 'quote',
        market,
        base: commonOf(base),
        quote: commonOf(quote),
        last: c[0],
        bid: b[0],
        ask: a[0],
        volume_24h_base: v[1],
        volume_24h_quote: null,
        percent_change_24h: null,
        at: null,
        trade_url: `https://pro.kraken.com/app/trade/${encodeURIComponent(`${base}-${quote}`.toLowerCase())}`,
      }
    })
    yield* missing
  },
})

/** Base and quote, as its pages spell them, of a key of `/Ticker`, `BTC/USD` or the older `XXBTZUSD`, or why it is none of ours. */
function pairOf(key: string, pair: Pair | undefined): { base: string; quote: string } | Skipped {
  if (key.endsWith('.d')) return { kind: 'skipped', reason: 'dark pool' }
  if (key.includes(':')) return { kind: 'skipped', reason: 'not the open book' }
  // AAPLx is a stock; no other symbol has a small letter.
  if (pair?.aclass_base === 'tokenized_asset' || /[A-Z]x/.test(key))
    return { kind: 'skipped', reason: 'tokenized stock' }
  const split = splitKey(pair?.wsname ?? key)
  if (!split) return { kind: 'skipped', reason: 'unknown pair' }
  if (split.base.includes('.')) return { kind: 'skipped', reason: 'staked balance' }
  return { base: spelled(split.base), quote: spelled(split.quote) }
}

function splitKey(name: string): { base: string; quote: string } | null {
  if (name.includes('/')) {
    const [base = '', quote = '', more] = name.split('/')
    return base === '' || quote === '' || more !== undefined ? null : { base, quote }
  }
  // Currencies of the first years carry X, or Z when they are of a state: XXBTZUSD.
  const [, base, quote] = /^[XZ](\w{3})[XZ](\w{3})$/.exec(name) ?? []
  return base !== undefined && quote !== undefined ? { base, quote } : split(name)
}
