import { reader } from './dialect.ts'
import type { Pair } from './market-pairs.ts'
import { type Skipped, skipped } from './source.ts'
import { renamed, venue } from './venue.ts'

/** Common symbols of currencies that the venue calls differently, from public client libraries, where its own map has none. */
const COMMON = renamed(
  'UST=USDT UDC=USDC TSD=TUSD EUT=EURT MNA=MANA QTM=QTUM DSH=DASH IOT=IOTA ALG=ALGO ATO=ATOM DAT=DATA AMP=AMPL ' +
    'WBT=WBTC LUNA=LUNC LUNA2=LUNA TERRAUST=USTC BCHN=BCH BCHABC=XEC IDX=ID EUS=EURS STJ=STORJ XCH=XCHF EOS=A ' +
    'TON=GRAM GTX=GT OPX=OP OMN=OMNI LBT=LBTC LIFIII=LIF3 WHBT=WBT',
)

/** The venue's maps of its currencies: their symbols, some in small letters, such as `["UST", "USDt"]`, and their names. */
const MAPS = '/v2/conf/pub:map:currency:sym,pub:map:currency:label'
const [first, second] = [reader('0'), reader('1')]

/** An error is a list too, in an answer of any status: `["error", 11010, "ratelimit: error"]`. */
const refusalIn = (body: unknown): 'source_rate_limited' | 'source_invalid' | null =>
  first(body) !== 'error' ? null : second(body) === 11010 ? 'source_rate_limited' : 'source_invalid'

/** Bitfinex. 10 to 90 requests a minute by endpoint, and a minute's ban above (docs.bitfinex.com). */
export const bitfinex = venue({
  id: 'bitfinex',
  label: 'Bitfinex',
  host: 'api-pub.bitfinex.com',
  pace: { requests: 10, perSeconds: 60 },
  terms: 'https://www.bitfinex.com/legal/exchange/terms/',
  page: 'https://trading.bitfinex.com/t/{BASE}%3A{QUOTE}',
  tickers: {
    path: '/v2/tickers?symbols=ALL',
    envelope: { refusal: refusalIn },
    row: { name: '0', last: '7', bid: '1', ask: '3', base: '8' },
    change: { fraction: '6' },
    // Rows of funding have other columns.
    without: { funding: { '0': /^f/ } },
  },
  pair: pairOf,
  bases: { path: MAPS, envelope: { rows: '0' }, row: { name: '0' } },
  common: (currencies) => {
    const own = new Map(currencies.map((row) => [first(row), second(row)]))
    return (code) => {
      const shown = own.get(code)
      return typeof shown === 'string' ? shown.toUpperCase() : (COMMON.get(code) ?? code)
    }
  },
  currencies: {
    path: MAPS,
    envelope: { rows: '1' },
    row: { symbol: '0', name: '1' },
    hasSymbolInName: true,
    without: { 'future, index or test currency': { '0': /F0$|^TEST|^\w+IX$/ } },
  },
})

function pairOf(market: string): Pair | Skipped | null {
  const [, base, quote] = /^t(?:([^:]{3})([^:]{3})|([^:]+):([^:]+))$/.exec(market)?.filter(Boolean) ?? []
  if (base === undefined || quote === undefined) return null
  if (base.endsWith('F0') || quote.endsWith('F0')) return skipped('not a spot pair')
  return /^(TEST|AAA$|BBB$)/.test(base) ? skipped('test pair') : { base, quote }
}
