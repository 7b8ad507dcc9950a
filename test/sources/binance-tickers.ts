import type { Coin } from '../faults/market.ts'

export const binanceTickers = (coins: readonly Coin[], now: number, priceChangePercent: string) =>
  coins.map(({ symbol, price }) => ({
    symbol: `${symbol}USDC`,
    priceChangePercent,
    lastPrice: String(price),
    bidPrice: String(price),
    askPrice: String(price),
    volume: '1000',
    quoteVolume: String(price * 1000),
    closeTime: now,
  }))
