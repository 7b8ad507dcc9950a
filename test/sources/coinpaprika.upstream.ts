import type { Upstream } from '../faults/market.ts'

export const upstream: Upstream = ({ now, own }) => ({
  '/v1/tickers': own.map(({ symbol, price, number }) => ({
    id: `${symbol.toLowerCase()}-coin-${symbol.toLowerCase()}`,
    name: `Coin ${symbol}`,
    symbol,
    rank: number + 1,
    total_supply: 1e6,
    max_supply: 0,
    last_updated: new Date(now).toISOString().replace('.000', ''),
    quotes: { USD: { price, volume_24h: 1e6, market_cap: price * 1e6, percent_change_24h: 1 } },
  })),
  '/v1/contracts': [],
})
