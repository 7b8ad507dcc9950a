import type { Upstream } from '../faults/market.ts'

export const upstream: Upstream = ({ now, own }) => ({
  '/v1/ticker/all': own.map(({ symbol, price }) => ({
    market: `USDC-${symbol}`,
    trade_price: price,
    acc_trade_volume_24h: 1000,
    acc_trade_price_24h: price * 1000,
    trade_timestamp: now,
    timestamp: now,
  })),
})
