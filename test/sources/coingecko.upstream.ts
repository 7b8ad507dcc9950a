import type { Upstream } from '../faults/market.ts'

export const upstream: Upstream = ({ now, own, token }) => ({
  // Half the venues quote in USDC, so it is listed too.
  '/api/v3/coins/markets page=1': own
    .map(({ symbol, price, number }) => ({
      id: symbol.toLowerCase(),
      symbol: symbol.toLowerCase(),
      name: `Coin ${symbol}`,
      current_price: price,
      market_cap: price * 1e6,
      market_cap_rank: number + 1,
      total_volume: 1e6,
      circulating_supply: 1e6,
      price_change_percentage_24h: 1,
      last_updated: new Date(now).toISOString(),
    }))
    .concat({
      id: 'usd-coin',
      symbol: 'usdc',
      name: 'USDC',
      current_price: 1,
      market_cap: 1e9,
      market_cap_rank: 40,
      total_volume: 1e6,
      circulating_supply: 1e9,
      price_change_percentage_24h: 0,
      last_updated: new Date(now).toISOString(),
    }),
  '/api/v3/coins/markets': [],
  '/api/v3/coins/list': own.map(({ symbol, number }) => ({
    id: symbol.toLowerCase(),
    symbol: symbol.toLowerCase(),
    name: `Coin ${symbol}`,
    platforms: number === 0 ? { ethereum: token.address } : {},
  })),
})
