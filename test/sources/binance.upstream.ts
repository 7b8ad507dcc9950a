import type { Upstream } from '../faults/market.ts'
import { binanceTickers } from './binance-tickers.ts'

export const upstream: Upstream = ({ coins, now, own }) => ({
  '/api/v3/ticker/24hr': binanceTickers(own, now, '1'),
  '/api/v3/exchangeInfo': {
    symbols: coins.map(({ symbol }) => ({
      symbol: `${symbol}USDC`,
      status: 'TRADING',
      baseAsset: symbol,
      quoteAsset: 'USDC',
    })),
  },
})
