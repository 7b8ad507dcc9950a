import type { Upstream } from '../faults/market.ts'

export const upstream: Upstream = ({ own }) => ({
  '/api/tickers/ start=0': {
    data: own.map(({ symbol, price, number }) => ({
      id: String(number + 1),
      symbol,
      name: `Coin ${symbol}`,
      nameid: `coin-${symbol.toLowerCase()}`,
      rank: number + 1,
      price_usd: String(price),
      percent_change_1h: '0.1',
      percent_change_24h: '1.00',
      percent_change_7d: '2.00',
      market_cap_usd: String(price * 1e6),
      volume24: 1e6,
      csupply: '1000000.00',
      tsupply: '1000000',
      msupply: null,
    })),
  },
  '/api/tickers/': { data: [] },
})
