import type { Upstream } from '../faults/market.ts'

export const upstream: Upstream = ({ coins, own }) => ({
  '/v2/spot/ticker': {
    code: 0,
    message: 'OK',
    data: own.map(({ symbol, price }) => ({
      market: `${symbol}USDC`,
      last: String(price),
      open: String(price),
      volume: '1000',
      value: String(price * 1000),
      period: 86400,
    })),
  },
  '/v2/spot/market': {
    code: 0,
    message: 'OK',
    data: coins.map(({ symbol }) => ({ market: `${symbol}USDC`, base_ccy: symbol, quote_ccy: 'USDC' })),
  },
})
