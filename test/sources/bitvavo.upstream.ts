import type { Upstream } from '../faults/market.ts'

export const upstream: Upstream = ({ coins, now, own }) => ({
  '/v2/ticker/24h': own.map(({ symbol, price }) => ({
    market: `${symbol}-USDC`,
    open: String(price),
    last: String(price),
    bid: String(price),
    ask: String(price),
    volume: '1000',
    volumeQuote: String(price * 1000),
    timestamp: now,
  })),
  '/v2/markets': coins.map(({ symbol }) => ({ market: `${symbol}-USDC`, status: 'trading' })),
})
