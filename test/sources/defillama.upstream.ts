import type { Upstream } from '../faults/market.ts'

export const upstream: Upstream = ({ now, coins, token }) => ({
  '/prices/current/': {
    coins: {
      [`ethereum:${token.address}`]: {
        decimals: 18,
        symbol: coins[0]?.symbol,
        price: coins[0]?.price,
        timestamp: Math.floor(now / 1000),
        confidence: 0.99,
      },
    },
  },
})
