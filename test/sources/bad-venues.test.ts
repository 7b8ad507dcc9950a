import { describe, expect, it } from 'vitest'
import { bitget } from '../../src/core/sources/bitget.ts'
import { bithumb } from '../../src/core/sources/bithumb.ts'
import { bitvavo } from '../../src/core/sources/bitvavo.ts'
import { coinex } from '../../src/core/sources/coinex.ts'
import { collect } from '../../src/core/sources/collect.ts'
import { lbank } from '../../src/core/sources/lbank.ts'
import type { Source } from '../../src/core/sources/source.ts'
import { upbit } from '../../src/core/sources/upbit.ts'
import { whitebit } from '../../src/core/sources/whitebit.ts'
import { nothingMore, replies } from './replies.ts'

const NOW = 1_700_000_000_000

/** A venue with what it answers, in its own words. */
interface Venue {
  readonly source: Source
  readonly path: string
  /** The answer with these rows, each as the name of its market and what it says. */
  readonly answer: (rows: readonly (readonly [string, object])[]) => unknown
  /** The name of a market, and a row at a price. */
  readonly market: (base: string) => string
  readonly row: (price: unknown, more?: object) => object
  /** A symbol that another coin has elsewhere, and what it becomes. */
  readonly another: readonly [string, string]
  /** What a row or a list has of a market without an order to buy, and of one that is suspended; absent: it says neither. */
  readonly noBid?: object
  readonly suspended?: { readonly row?: object; readonly lists?: Readonly<Record<string, unknown>> }
}

const named =
  (name: string) =>
  (rows: readonly (readonly [string, object])[]): object[] =>
    rows.map(([market, row]) => ({ [name]: market, ...row }))
const korean = {
  market: (base: string) => `KRW-${base}`,
  row: (price: unknown) => ({ trade_price: price, acc_trade_volume_24h: 10, acc_trade_price_24h: 410, timestamp: NOW }),
}

const VENUES: Readonly<Record<string, Venue>> = {
  CoinEx: {
    source: coinex,
    path: '/v2/spot/ticker',
    answer: (rows) => ({ code: 0, data: named('market')(rows) }),
    market: (base) => `${base}USDT`,
    row: (last) => ({ last, open: last, volume: '10', value: '410' }),
    another: ['ACM', 'ACTINIUM'],
    suspended: {
      lists: { '/v2/spot/market': { code: 0, data: [{ market: 'BTCUSDT', base_ccy: 'BTC', quote_ccy: 'USDT' }] } },
    },
  },
  Bitget: {
    source: bitget,
    path: '/api/v2/spot/market/tickers',
    answer: (rows) => ({ code: '00000', data: named('symbol')(rows) }),
    market: (base) => `${base}USDT`,
    row: (price, more) => ({ lastPr: price, bidPr: price, askPr: price, baseVolume: '10', ts: String(NOW), ...more }),
    another: ['OMNI', 'OMNI1'],
    noBid: { bidPr: '0' },
    suspended: {
      lists: {
        '/api/v2/spot/public/symbols': {
          code: '00000',
          data: [{ symbol: 'OFFUSDT', baseCoin: 'OFF', quoteCoin: 'USDT', status: 'halt' }],
        },
      },
    },
  },
  LBank: {
    source: lbank,
    path: '/v2/ticker/24hr.do?symbol=all',
    answer: (rows) => ({ result: 'true', data: named('symbol')(rows) }),
    market: (base) => `${base.toLowerCase()}_usdt`,
    row: (latest) => ({ ticker: { latest, vol: '10', turnover: '410', change: '1' }, timestamp: NOW }),
    another: ['XBT', 'XBT1'],
  },
  WhiteBIT: {
    source: whitebit,
    path: '/api/v4/public/ticker',
    answer: (rows) => Object.fromEntries(rows),
    market: (base) => `${base}_USDT`,
    row: (price, more) => ({ last_price: price, base_volume: '10', quote_volume: '410', change: '1', ...more }),
    another: ['ETH', 'ETH'],
    suspended: { row: { isFrozen: true } },
  },
  Upbit: {
    ...korean,
    source: upbit,
    path: '/v1/ticker/all?quote_currencies=KRW,BTC,USDT',
    answer: named('market'),
    another: ['TON', 'TOKAMAK'],
  },
  Bithumb: { ...korean, source: bithumb, path: '/v1/ticker', answer: named('market'), another: ['XNO', 'XENO'] },
  Bitvavo: {
    source: bitvavo,
    path: '/v2/ticker/24h',
    answer: named('market'),
    market: (base) => `${base}-EUR`,
    row: (last, more) => ({
      last,
      open: last,
      bid: last,
      ask: last,
      volume: '10',
      volumeQuote: '410',
      timestamp: NOW,
      ...more,
    }),
    another: ['LUNA', 'LUNC'],
    noBid: { bid: '0' },
    suspended: { lists: { '/v2/markets': [{ market: 'OFF-EUR', status: 'halted' }] } },
  },
}

async function reported({ source, path, market }: Venue, body: unknown, lists: object = {}) {
  const names = ['BTC', 'ETH', 'BTC3L', 'OFF', 'TON', 'XNO'].map((base) => ({ market: market(base) }))
  const asked = `${path}?markets=${names.map((one) => one.market).join(',')}`
  const bodies = { [path]: body, [asked]: body, '/v1/market/all?isDetails=true': names, ...lists }
  const [report] = await collect([source], {
    at: NOW,
    now: () => 0,
    signal: new AbortController().signal,
    connect: () => ({ stats: { requests: 0, retries: 0, bytes: 0 }, close: async () => {}, ...replies(bodies) }),
    wants: () => nothingMore,
  })
  if (!report) throw new Error('no report')
  return report
}

describe.each(Object.entries(VENUES))('%s', (_, venue) => {
  const { answer, market, row, another, noBid } = venue
  const body = (...rows: readonly (readonly [string, object])[]) =>
    answer(rows.map(([base, own]) => [market(base), own] as const))
  const bases = (report: Awaited<ReturnType<typeof reported>>) => report.quotes.map(({ base }) => base)
  const good = ['BTC', row('41')] as const

  it('gives another name to a symbol of another coin', async () => {
    expect(bases(await reported(venue, body(good, [another[0], row('2')])))).toEqual(['BTC', another[1]].toSorted())
  })

  it('leaves out leveraged tokens', async () => {
    const report = await reported(venue, body(good, ['BTC3L', row('2')]))
    expect(bases(report)).toEqual(['BTC'])
    expect(report.skipped).toContainEqual(expect.objectContaining({ reason: 'leveraged token', count: 1 }))
  })

  it.each(venue.suspended ? [venue.suspended] : [])('leaves out suspended markets', async (suspended) => {
    const report = await reported(venue, body(good, ['OFF', row('2', suspended.row)]), suspended.lists)
    expect(bases(report)).toEqual(['BTC'])
  })

  it.each(noBid ? [noBid] : [])('knows no bid where it is 0', async (zero) => {
    const { quotes } = await reported(venue, body(['BTC', row('41', zero)]))
    expect(quotes).toMatchObject([{ last: 41, bid: null, ask: 41 }])
  })

  it.each([
    ['null', null],
    ['0', '0'],
    ['empty', ''],
    ['no number', 'x'],
    ['negative', '-1'],
  ])('has no price of a market whose last price is %s, and keeps the others', async (__, price) => {
    const { quotes } = await reported(venue, body(good, ['ETH', row(price)]))
    expect(quotes.filter(({ last }) => last !== null)).toMatchObject([{ base: 'BTC', last: 41 }])
  })

  it('has what there is of half a list', async () => {
    expect((await reported(venue, body(good))).error).toBeNull()
  })

  it.each([
    ['an HTML page', '<!doctype html><title>Just a moment...</title>'],
    ['an empty list', body()],
    ['no list', null],
    ['an error', { code: 40001, error: { name: '400' }, result: 'false', success: false }],
  ])('fails with %s', async (__, answered) => {
    const { error, quotes } = await reported(venue, answered)
    expect([error?.code, quotes]).toEqual(['source_invalid', []])
  })
})
