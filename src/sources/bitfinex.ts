import * as z from 'zod'
import { currenciesOf, withoutSymbol } from './currencies.ts'
import { explained } from './optional.ts'
import { rows, source } from './source.ts'
import { SourceError } from './source-error.ts'
import { Fraction, NonNegative, OptionalText, Positive, Text } from './wire.ts'
import { unread } from './rights.ts'

/** Common symbols of currencies that the venue calls differently, from public client libraries, where its own map has none. */
const COMMON: Readonly<Record<string, string>> = {
  UST: 'USDT',
  UDC: 'USDC',
  TSD: 'TUSD',
  EUT: 'EURT',
  MNA: 'MANA',
  QTM: 'QTUM',
  DSH: 'DASH',
  IOT: 'IOTA',
  ALG: 'ALGO',
  ATO: 'ATOM',
  DAT: 'DATA',
  AMP: 'AMPL',
  WBT: 'WBTC',
  LUNA: 'LUNC',
  LUNA2: 'LUNA',
  TERRAUST: 'USTC',
  BCHN: 'BCH',
  BCHABC: 'XEC',
  IDX: 'ID',
  EUS: 'EURS',
  STJ: 'STORJ',
  XCH: 'XCHF',
  EOS: 'A',
  TON: 'GRAM',
  GTX: 'GT',
  OPX: 'OP',
  OMN: 'OMNI',
  LBT: 'LBTC',
  LIFIII: 'LIF3',
  WHBT: 'WBT',
}

const raw = z.unknown()

const MAPS = '/v2/conf/pub:map:currency:sym,pub:map:currency:label'
/** The venue's maps of its currencies: their symbols, some in small letters, such as `["UST", "USDt"]`, and their names. */
const Maps = z.tuple([z.array(raw), z.array(raw)])
const Renamed = z.tuple([Text(64), Text(64)], raw)

/** Returns a function from the venue's code of a currency to its common symbol. */
function commonSymbols(symbols: readonly unknown[]): (code: string) => string {
  const own = new Map(
    symbols.flatMap((row) => {
      const { data } = Renamed.safeParse(row)
      return data ? [[data[0], data[1].toUpperCase()] as const] : []
    }),
  )
  return (code) => own.get(code) ?? COMMON[code] ?? code
}

/** `tBTCUSD`, or `tAAVE:USD` where a part has more than three letters. */
const PairName = Text(64).pipe(z.string().regex(/^t([^:]{6}|[^:]+:[^:]+)$/, 'not a pair'))

/** Symbol, bid, size, ask, size, change, the same as a fraction, last, volume in the base currency, high, low. */
const Ticker = z.tuple([PairName, Positive, raw, Positive, raw, raw, Fraction, Positive, NonNegative], raw)
const Funding = z.tuple([z.string().startsWith('f')], raw)

/** An error is a list too, in an answer of any status: `["error", 11010, "ratelimit: error"]`. */
const Failure = z.tuple([z.literal('error'), z.number(), z.string()])

const Label = z.tuple([Text(64), OptionalText(200)], raw)

/** Bitfinex. 10 to 90 requests a minute by endpoint, and a minute's ban above (docs.bitfinex.com). */
export const bitfinex = source({
  id: 'bitfinex',
  label: 'Bitfinex',
  type: 'exchange',
  host: 'api-pub.bitfinex.com',
  pace: { requests: 10, perSeconds: 60 },
  slow: [{ path: MAPS, hours: 24, keep: Maps }],
  rights: unread('https://www.bitfinex.com/legal/exchange/terms/'),

  async fetch(http) {
    const asked = await explained(http.json('/v2/tickers?symbols=ALL', z.array(raw)), {
      symbols: http.json(MAPS, Maps).then(([symbols]) => symbols),
    })
    const failure = Failure.safeParse(asked.tickers)
    if (!failure.success) return asked
    const [, code] = failure.data
    throw new SourceError(
      code === 11010 ? 'source_rate_limited' : 'source_invalid',
      `Bitfinex answered with error ${code}`,
    )
  },

  *parse({ tickers, known, missing }) {
    const commonOf = commonSymbols(known)
    // Funding rows have other columns; what is left is read as pairs.
    const funding = tickers.filter((row) => Funding.safeParse(row).success)
    for (const _ of funding) yield { kind: 'skipped', reason: 'funding' }
    const pairs = tickers.filter((row) => !Funding.safeParse(row).success)
    yield* rows(Ticker, pairs, ([symbol, bid, , ask, , , change, last, volume]) => {
      const pair = symbol.slice(1)
      const [base = '', quote = ''] = pair.includes(':') ? pair.split(':') : [pair.slice(0, -3), pair.slice(-3)]
      if (base.endsWith('F0') || quote.endsWith('F0')) return { kind: 'skipped', reason: 'not a spot pair' }
      if (/^(TEST|AAA$|BBB$)/.test(base)) return { kind: 'skipped', reason: 'test pair' }
      return {
        kind: 'quote',
        market: symbol,
        base: commonOf(base),
        quote: commonOf(quote),
        last,
        bid,
        ask,
        volume_24h_base: volume,
        volume_24h_quote: null,
        percent_change_24h: change,
        at: null,
        trade_url: `https://trading.bitfinex.com/t/${encodeURIComponent(`${base}:${quote}`)}`,
      }
    })
    yield* missing
  },

  /** The venue's names of its currencies (docs.bitfinex.com, pub:map:currency:label). */
  async currencies(http) {
    const [symbols, labels] = await http.json(MAPS, Maps)
    const commonOf = commonSymbols(symbols)
    return currenciesOf('bitfinex', Label, labels, ([symbol, label]) =>
      // Futures, indexes and test currencies.
      /F0$|^TEST|^\w+IX$/.test(symbol)
        ? null
        : { symbol: commonOf(symbol), name: withoutSymbol(label, symbol), contracts: [] },
    )
  },
})
