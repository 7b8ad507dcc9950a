import type { Upstream } from '../faults/market.ts'

export const upstream: Upstream = ({ coins, own }) => ({
  '/api/v4/public/ticker': Object.fromEntries(
    own.map(({ symbol, price }) => [
      `${symbol}_USDC`,
      {
        base_id: 0,
        quote_id: 3408,
        last_price: String(price),
        base_volume: '1000',
        quote_volume: String(price * 1000),
        isFrozen: false,
        change: '1',
      },
    ]),
  ),
  '/api/v4/public/markets': coins.map(({ symbol }) => ({ name: `${symbol}_USDC`, tradesEnabled: true, type: 'spot' })),
})
