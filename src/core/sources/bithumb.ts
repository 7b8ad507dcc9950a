import { UPBIT_BARS, UPBIT_TICKER } from './upbit.ts'
import { venue } from './venue.ts'

/** Most markets of one request, since 2026-10-13 (apidocs.bithumb.com). */
const MOST_MARKETS = 200

/** Bithumb. 150 requests a second from one address (apidocs.bithumb.com). */
export const bithumb = venue({
  id: 'bithumb',
  label: 'Bithumb',
  host: 'api.bithumb.com',
  pace: { requests: 10, perSeconds: 1 },
  terms: 'https://en.m.bithumb.com/member_operation/info_api',
  page: 'https://www.bithumb.com/react/trade/order/{BASE}-{QUOTE}',
  tickers: {
    path: '/v1/ticker',
    inParts: { of: '/v1/market/all?isDetails=true', key: 'market', most: MOST_MARKETS },
    ...UPBIT_TICKER,
  },
  pair: { quoteFirst: '-' },
  common: 'FTC=FTC2 SOC=SODA XNO=XENO',
  // Its days begin at 15:00 UTC, and its bars of four hours at 03, 07 and 11.
  bars: { ...UPBIT_BARS, widths: { '15m': 'minutes/15', '1h': 'minutes/60' } },
})
