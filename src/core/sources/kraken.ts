import { type Fields, fieldsOf, reader } from './dialect.ts'
import { type Pair, pairSplitter } from './market-pairs.ts'
import { type Skipped, skipped } from './source.ts'
import { venue } from './venue.ts'

/** What pairs are quoted in, to read a key that no list of pairs explains. */
const split = pairSplitter(
  'USD EUR GBP CAD AUD JPY CHF BRL USDT USDC DAI XBT ETH DOT SOL AUSD EURC EUROP FIDD PYUSD RLUSD USD1 USDD USDQ USDR'.split(
    ' ',
  ),
)

const SPELLINGS: Readonly<Record<string, string>> = { XBT: 'BTC', XDG: 'DOGE' }
const spelled = (symbol: string): string => SPELLINGS[symbol.toUpperCase()] ?? symbol.toUpperCase()

const STOCKS = { 'tokenized stock': { '1.aclass_base': ['tokenized_asset'] } }

/** Kraken. One request a second is what its counter bears for long (docs.kraken.com, rate limits). */
export const kraken = venue({
  id: 'kraken',
  label: 'Kraken',
  host: 'api.kraken.com',
  pace: { requests: 1, perSeconds: 1 },
  terms: 'https://www.kraken.com/legal',
  page: 'https://pro.kraken.com/app/trade/{base}-{quote}',
  envelope: { refusal: refusalIn, rows: 'result', isMap: true },
  tickers: {
    path: '/0/public/Ticker',
    // Of today and of 24 hours. `o` is today's open, so there is no change of 24 hours.
    row: { name: '0', last: '1.c.0', bid: '1.b.0', ask: '1.a.0', base: '1.v.1' },
  },
  pair: pairOf,
  markets: { path: '/0/public/AssetPairs', row: { name: ['0', '1.wsname'] }, without: STOCKS },
  // It kept the symbols of before a fork or a migration, which are another asset's elsewhere.
  common: 'LUNA=LUNC LUNA2=LUNA UST=USTC REP=REPV1 REPV2=REP',
  bars: {
    widths: { '15m': 15, '1h': 60, '4h': 240, '1d': 1440 },
    most: 720,
    // It gives the bars after `since`, and has none before the last 720.
    path: '/0/public/OHLC?pair={market}&interval={width}&since={before}',
    // The pair may come back under another of its names; beside it is only `last`, a time.
    rowsIn: (rows) => rows.flatMap((entry) => [reader('1')(entry)].flat()),
    row: { seconds: 0, open: 1, high: 2, low: 3, close: 4, base: 6 },
  },
})

/** Returns the error that a body reports with HTTP status 200. Those that begin with W are warnings. */
function refusalIn(body: unknown): 'source_rate_limited' | 'source_invalid' | null {
  const errors = [reader('error')(body) ?? []].flat().filter((one) => typeof one === 'string')
  if (errors.some((text) => /too many requests|rate limit/i.test(text))) return 'source_rate_limited'
  return errors.some((text) => text.startsWith('E')) ? 'source_invalid' : null
}

/** Base and quote, as its pages spell them, of a key of `/Ticker`, `BTC/USD` or the older `XXBTZUSD`. */
function pairOf(key: string, listed: Fields): Pair | Skipped {
  if (key.endsWith('.d')) return skipped('dark pool')
  if (key.includes(':')) return skipped('not the open book')
  const { wsname: name, aclass_base: kind } = fieldsOf(listed['1'])
  // Without the list, AAPLx is known by the small letter, which no other symbol has.
  if (kind === undefined && /[A-Z]x/.test(key)) return skipped('tokenized stock')
  const pair = splitKey(typeof name === 'string' ? name : key)
  if (!pair) return skipped('unknown pair')
  return pair.base.includes('.') ? skipped('staked balance') : { base: spelled(pair.base), quote: spelled(pair.quote) }
}

function splitKey(name: string): Pair | null {
  // Currencies of the first years carry X, or Z when they are of a state: XXBTZUSD.
  const [, base, quote] = /^([^/]+)\/([^/]+)$/.exec(name) ?? /^[XZ](\w{3})[XZ](\w{3})$/.exec(name) ?? []
  if (base !== undefined && quote !== undefined) return { base, quote }
  return name.includes('/') ? null : split(name)
}
