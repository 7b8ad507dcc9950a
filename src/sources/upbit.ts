import { unread } from './rights.ts'
import { UPBIT_TICKER, upbitBars } from './upbit-api.ts'
import { venue } from './venue.ts'

/** Upbit in Korea. 10 requests a second for tickers, and for candles (docs.upbit.com). */
export const upbit = venue({
  id: 'upbit',
  label: 'Upbit',
  host: 'api.upbit.com',
  pace: { requests: 4, perSeconds: 1 },
  // Its footer forbids use, copying and distribution other than the terms allow.
  rights: unread('https://docs.upbit.com'),
  page: 'https://upbit.com/exchange?code=CRIX.UPBIT.{market}',
  tickers: { path: '/v1/ticker/all?quote_currencies=KRW,BTC,USDT', ...UPBIT_TICKER },
  pair: { quoteFirst: '-' },
  // TON is Tokamak Network.
  common: { TON: 'TOKAMAK' },
  bars: upbitBars(['15m', '1h', '4h', '1d']),
})
