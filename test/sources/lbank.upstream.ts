import type { Upstream } from '../faults/market.ts'

export const upstream: Upstream = ({ now, own }) => ({
  '/v2/ticker/24hr.do': {
    result: 'true',
    error_code: 0,
    ts: now,
    data: own.map(({ symbol, price }) => ({
      symbol: `${symbol.toLowerCase()}_usdc`,
      ticker: { latest: String(price), vol: '1000', turnover: String(price * 1000), change: '1' },
      timestamp: now,
    })),
  },
})
