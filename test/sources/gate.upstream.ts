import type { Upstream } from '../faults/market.ts'

export const upstream: Upstream = ({ coins, own }) => ({
  '/api/v4/spot/tickers': own.map(({ symbol, price }) => ({
    currency_pair: `${symbol}_USDC`,
    last: String(price),
    lowest_ask: String(price),
    highest_bid: String(price),
    change_percentage: '1',
    base_volume: '1000',
    quote_volume: String(price * 1000),
  })),
  '/api/v4/spot/currency_pairs': coins.map(({ symbol }) => ({
    id: `${symbol}_USDC`,
    trade_status: 'tradable',
  })),
})
