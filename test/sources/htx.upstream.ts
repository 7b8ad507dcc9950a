import type { Upstream } from '../faults/market.ts'

export const upstream: Upstream = ({ coins, now, own }) => ({
  '/market/tickers': {
    status: 'ok',
    ts: now,
    data: own.map(({ symbol, price }) => ({
      symbol: `${symbol.toLowerCase()}usdc`,
      open: price,
      close: price,
      bid: price,
      ask: price,
      amount: 1000,
      vol: price * 1000,
    })),
  },
  '/v1/common/symbols': {
    status: 'ok',
    data: coins.map(({ symbol }) => ({
      symbol: `${symbol.toLowerCase()}usdc`,
      'base-currency': symbol.toLowerCase(),
      'quote-currency': 'usdc',
      state: 'online',
    })),
  },
})
