import type { Upstream } from '../faults/market.ts'

export const upstream: Upstream = ({ now, token }) => ({
  '/tokens': [
    {
      chainId: 'ethereum',
      dexId: 'uniswap',
      url: `https://dexscreener.com/ethereum/${token.pool}`,
      pairAddress: token.pool,
      baseToken: { address: token.address, name: 'Coin CAA', symbol: 'CAA' },
      quoteToken: { address: token.dollar, name: 'USD Coin', symbol: 'USDC' },
      priceNative: '10',
      priceUsd: '10',
      txns: { h24: { buys: 1, sells: 1 } },
      volume: { h24: 1000 },
      priceChange: { h24: 1 },
      liquidity: { usd: 50_000 },
      pairCreatedAt: now,
    },
  ],
})
