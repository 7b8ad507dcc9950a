import { describe, expect, it } from 'vitest'
import { bitget } from '../../src/core/sources/bitget.ts'
import { bithumb } from '../../src/core/sources/bithumb.ts'
import { bitvavo } from '../../src/core/sources/bitvavo.ts'
import { coinex } from '../../src/core/sources/coinex.ts'
import { lbank } from '../../src/core/sources/lbank.ts'
import { upbit } from '../../src/core/sources/upbit.ts'
import { whitebit } from '../../src/core/sources/whitebit.ts'
import { observe, replies } from './replies.ts'

const AT = 1_700_000_000_000

describe('CoinEx', () => {
  const TICKERS = '/v2/spot/ticker'
  const MARKETS = '/v2/spot/market'
  const row = (market: string, more: object = {}) => ({
    market,
    last: '41',
    open: '40',
    volume: '10',
    value: '405',
    ...more,
  })
  const market = (base_ccy: string, more: object = {}) => ({
    market: `${base_ccy}USDT`,
    base_ccy,
    quote_ccy: 'USDT',
    ...more,
  })

  it('has last prices only, and skips markets that its list no longer has or that are not issued', async () => {
    const data = [row('BTCUSDT'), row('FTTUSDT'), row('NEWUSDT'), row('ACMUSDT')]
    const listed = [market('BTC'), market('NEW', { is_pre_trading_available: true }), market('ACM')]
    const bodies = { [TICKERS]: { code: 0, data }, [MARKETS]: { code: 0, data: listed } }
    expect(await observe(coinex, bodies)).toMatchObject([
      {
        base: 'BTC',
        quote: 'USDT',
        last: 41,
        bid: null,
        ask: null,
        volume_24h_base: 10,
        volume_24h_quote: 405,
        percent_change_24h: expect.closeTo(2.5, 9),
        at: null,
      },
      { kind: 'skipped', reason: 'not listed' },
      { kind: 'skipped', reason: 'not issued yet' },
      { kind: 'quote', base: 'ACTINIUM' },
    ])
  })

  it('decides by the price which volume of a bar is in the quote currency', async () => {
    const bar = { created_at: AT, open: '67000', high: '67000', low: '66980', close: '67000' }
    const data = [
      { ...bar, value: '0.157', volume: '10533' },
      { ...bar, value: '10533', volume: '0.157' },
    ]
    const path = '/v2/spot/kline?market=BTCUSDT&period=1hour&limit=1000'
    const ask = { market: 'BTCUSDT', interval: '1h', from: AT, to: AT } as const
    const bars = await coinex.candles?.ask(replies({ [path]: { code: 0, data } }), ask)
    expect(bars).toHaveLength(2)
    for (const one of bars ?? []) expect(one).toMatchObject({ volume_base: 0.157, volume_quote: 10_533 })
  })
})

describe('Bitget', () => {
  const row = (symbol: string, more: object = {}) => ({
    symbol,
    lastPr: '41',
    bidPr: '40.9',
    askPr: '41.1',
    baseVolume: '10',
    quoteVolume: '405',
    open: '40',
    change24h: '0.01',
    ts: String(AT),
    ...more,
  })
  const bodies = (data: readonly unknown[]) => ({
    '/api/v2/spot/market/tickers': { code: '00000', data },
    '/api/v2/spot/public/symbols': {
      code: '00000',
      data: [{ symbol: 'HALTUSDT', baseCoin: 'HALT', quoteCoin: 'USDT', status: 'halt' }],
    },
  })

  it('computes the change from the price a day ago, takes a zero book for unknown, and skips what is not online', async () => {
    const list = [row('BTCUSDT'), row('BGBUSDT', { bidPr: '0', askPr: '0' }), row('HALTUSDT'), row('BTC3LUSDT')]
    expect(await observe(bitget, bodies(list))).toMatchObject([
      { base: 'BTC', bid: 40.9, ask: 41.1, percent_change_24h: expect.closeTo(2.5), at: AT },
      { base: 'BGB', last: 41, bid: null, ask: null },
      { kind: 'skipped', reason: 'not trading' },
      { kind: 'skipped', reason: 'leveraged token' },
    ])
  })

  it('rejects every row of a shape of another version', async () => {
    const old = { symbol: 'BTCUSDT', close: '41', buyOne: '40.9', sellOne: '41.1', baseVol: '10', change: '0.025' }
    expect(await observe(bitget, bodies([old]))).toMatchObject([{ kind: 'rejected', reason: 'lastPr: missing' }])
  })

  it('requests days that begin at midnight in UTC', async () => {
    const range = `granularity=1Dutc&startTime=${AT}&endTime=${AT + 1}&limit=1000`
    const path = `/api/v2/spot/market/candles?symbol=BTCUSDT&${range}`
    const body = { code: '00000', data: [[String(AT), '1', '4', '1', '2', '10', '20', '20']] }
    const bars = bitget.candles?.ask(replies({ [path]: body }), { market: 'BTCUSDT', interval: '1d', from: AT, to: AT })
    expect(await bars).toMatchObject([{ at: AT, open: 1, high: 4, close: 2, volume_base: 10, volume_quote: 20 }])
  })
})

describe('LBank', () => {
  const row = (symbol: string, latest: unknown = '41') => ({
    symbol,
    ticker: { latest, vol: '10', turnover: '405', change: '-2.5' },
    timestamp: AT,
  })
  const answer = (data: readonly unknown[], result: unknown = 'true') => ({
    '/v2/ticker/24hr.do?symbol=all': { result, data, error_code: 0, ts: AT },
  })

  it('reads percent, numbers of both kinds, and skips leveraged tokens', async () => {
    const list = [row('btc_usdt'), row('eth_usdt', 41), row('btc3l_usdt'), row('xbt_usdt'), { symbol: 'bad_usdt' }]
    expect(await observe(lbank, answer(list))).toMatchObject([
      { base: 'BTC', quote: 'USDT', last: 41, percent_change_24h: -2.5, volume_24h_quote: 405, at: AT },
      { base: 'ETH', last: 41 },
      { kind: 'skipped', reason: 'leveraged token' },
      { base: 'XBT1' },
      { kind: 'rejected', reason: 'ticker.latest: missing' },
    ])
  })

  it('has no bars of a day, whose beginning is unknown', () => {
    expect(lbank.candles?.intervals).toEqual(['15m', '1h'])
  })
})

describe('WhiteBIT', () => {
  const row = (more: object = {}) => ({
    last_price: '41',
    base_volume: '10',
    quote_volume: '405',
    isFrozen: false,
    change: '2.5',
    ...more,
  })

  it('reads a map, and skips frozen markets and perpetuals', async () => {
    const tickers = {
      BTC_USDT: row(),
      LUNA_BTC: row({ isFrozen: true }),
      BTC_PERP: row(),
      OFF_USDT: row(),
      ZERO_USDT: row({ last_price: '0' }),
    }
    const markets = [{ name: 'OFF_USDT', tradesEnabled: false, type: 'spot' }]
    expect(
      await observe(whitebit, { '/api/v4/public/ticker': tickers, '/api/v4/public/markets': markets }),
    ).toMatchObject([
      {
        market: 'BTC_USDT',
        last: 41,
        bid: null,
        percent_change_24h: 2.5,
        trade_url: 'https://whitebit.com/trade/BTC_USDT',
      },
      { kind: 'skipped', reason: 'not trading' },
      { kind: 'skipped', reason: 'not a spot pair' },
      { kind: 'skipped', reason: 'not trading' },
      { market: 'ZERO_USDT', last: null },
    ])
  })

  it('reads bars of which the close comes second', async () => {
    const path = '/api/v1/public/kline?market=BTC_USDT&interval=1h&start=1700000000&end=1700000000&limit=1440'
    const body = { success: true, result: [[1_700_000_000, '100', '110', '120', '90', '5', '525']] }
    const ask = { market: 'BTC_USDT', interval: '1h', from: AT, to: AT } as const
    expect(await whitebit.candles?.ask(replies({ [path]: body }), ask)).toEqual([
      { at: AT, open: 100, high: 120, low: 90, close: 110, volume_base: 5, volume_quote: 525 },
    ])
  })
})

const krw = (market: string, more: object = {}) => ({
  market,
  trade_price: 22_376_000,
  signed_change_rate: 0.01,
  acc_trade_volume_24h: 1.4e-7,
  acc_trade_price_24h: 3.1,
  trade_timestamp: AT - 400_000,
  timestamp: AT,
  ...more,
})

describe('Upbit', () => {
  const PATH = '/v1/ticker/all?quote_currencies=KRW,BTC,USDT'

  it('reads the quote first, has no change of 24 hours, and takes the last trade from the answer', async () => {
    expect(await observe(upbit, { [PATH]: [krw('KRW-BTC'), krw('BTC-TON', { trade_price: '0.0001' })] })).toMatchObject(
      [
        {
          market: 'KRW-BTC',
          base: 'BTC',
          quote: 'KRW',
          last: 22_376_000,
          percent_change_24h: null,
          at: AT,
          traded_at: AT - 400_000,
          trade_url: 'https://upbit.com/exchange?code=CRIX.UPBIT.KRW-BTC',
        },
        { base: 'TOKAMAK', quote: 'BTC', last: 0.0001 },
      ],
    )
  })

  it('reads the times of bars as UTC', async () => {
    const path = '/v1/candles/minutes/60?market=KRW-BTC&to=2023-11-14T22:13:21Z&count=200'
    const bar = { opening_price: 1, high_price: 4, low_price: 1, trade_price: 2, candle_acc_trade_price: 20 }
    const body = [{ ...bar, candle_date_time_utc: '2023-11-14T22:13:20', candle_acc_trade_volume: 10 }]
    const ask = { market: 'KRW-BTC', interval: '1h', from: AT, to: AT } as const
    expect(await upbit.candles?.ask(replies({ [path]: body }), ask)).toEqual([
      { at: AT, open: 1, high: 4, low: 1, close: 2, volume_base: 10, volume_quote: 20 },
    ])
  })
})

it('asks Bithumb for 200 markets at a time', async () => {
  const names = Array.from({ length: 401 }, (_, number) => `KRW-C${number}`)
  const parts = [names.slice(0, 200), names.slice(200, 400), names.slice(400)]
  const observed = await observe(bithumb, {
    '/v1/market/all?isDetails=true': names.map((market) => ({ market })),
    ...Object.fromEntries(parts.map((part) => [`/v1/ticker?markets=${part.join(',')}`, part.map((name) => krw(name))])),
  })
  expect(observed).toHaveLength(401)
  expect(observed.at(-1)).toMatchObject({ market: 'KRW-C400', base: 'C400', quote: 'KRW' })
  expect(bithumb.candles?.intervals).toEqual(['15m', '1h'])
})

it('does without a market of Bithumb whose name no address can have', async () => {
  const observed = await observe(bithumb, {
    '/v1/market/all?isDetails=true': ['\ud800', 'KRW-BTC', 7].map((market) => ({ market })),
    '/v1/ticker?markets=KRW-BTC': [krw('KRW-BTC')],
  })
  expect(observed).toMatchObject([{ market: 'KRW-BTC' }])
})

it('leaves out pairs of Bitvavo that have offers but no trade of a day, and those that do not trade', async () => {
  const row = (market: string, more: object = {}) => ({
    market,
    open: '40',
    last: '4.1E+1',
    bid: '40.9',
    ask: '41.1',
    volume: '10',
    volumeQuote: '405',
    timestamp: AT,
    ...more,
  })
  const tickers = [
    row('BTC-EUR'),
    row('ADA-BTC', { last: null, open: null, volume: null }),
    row('LUNA-EUR'),
    row('OFF-EUR'),
  ]
  const markets = [{ market: 'OFF-EUR', status: 'halted' }]
  expect(await observe(bitvavo, { '/v2/ticker/24h': tickers, '/v2/markets': markets })).toMatchObject([
    { base: 'BTC', quote: 'EUR', last: 41, bid: 40.9, percent_change_24h: expect.closeTo(2.5, 9) },
    { kind: 'skipped', reason: 'not traded for a day' },
    { base: 'LUNC' },
    { kind: 'skipped', reason: 'not trading' },
  ])
})
