import { venue } from './venue.ts'

/** LBank. 20 requests a second, as a client library has it (lbank.com/docs). */
export const lbank = venue({
  id: 'lbank',
  label: 'LBank',
  host: 'api.lbkex.com',
  pace: { requests: 2, perSeconds: 1 },
  terms: null,
  page: 'https://www.lbank.com/trade/{base}_{quote}',
  // `result` is a text.
  envelope: { ok: ['result', 'true'], busy: ['error_code', '10004'], rows: 'data' },
  // Neither bid nor ask. `timestamp` is the time of the answer.
  tickers: {
    path: '/v2/ticker/24hr.do?symbol=all',
    row: { name: 'symbol', last: 'ticker.latest', base: 'ticker.vol', quote: 'ticker.turnover' },
    change: { percent: 'ticker.change' },
    at: { ms: 'timestamp' },
    without: { 'leveraged token': { symbol: /[2-5][ls]_/ } },
  },
  pair: '_',
  // XBT is another coin there, and GMT is STEPN under `gmt1`.
  common: 'XBT=XBT1 GMT=GMT0 GMT1=GMT HIT=HIVER VET_ERC20=VEN PNT=PENTA TRU=TRUEBIT',
  bars: {
    // It is not known when its days begin.
    widths: { '15m': 'minute15', '1h': 'hour1' },
    most: 2000,
    path: '/v2/kline.do?symbol={market}&type={width}&size=2000&time={from}',
    row: { seconds: 0, open: 1, high: 2, low: 3, close: 4, base: 5 },
  },
})
