import type { Upstream } from '../faults/market.ts'

/** What Bithumb answers in the made-up market. */
export const upstream: Upstream = ({ coins, now, own }) => ({
  '/v1/ticker': own.map(({ symbol, price }) => ({
    market: `USDC-${symbol}`,
    trade_price: price,
    acc_trade_volume_24h: 1000,
    acc_trade_price_24h: price * 1000,
    trade_timestamp: now,
    timestamp: now,
  })),
  '/v1/market/all': coins.map(({ symbol }) => ({ market: `USDC-${symbol}`, market_warning: 'NONE' })),
})
