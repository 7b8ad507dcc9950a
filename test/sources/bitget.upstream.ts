import type { Upstream } from '../faults/market.ts'

export const upstream: Upstream = ({ coins, now, own }) => ({
  '/api/v2/spot/market/tickers': {
    code: '00000',
    msg: 'success',
    requestTime: now,
    data: own.map(({ symbol, price }) => ({
      symbol: `${symbol}USDC`,
      lastPr: String(price),
      bidPr: String(price),
      askPr: String(price),
      baseVolume: '1000',
      quoteVolume: String(price * 1000),
      open: String(price / 1.01),
      ts: String(now),
    })),
  },
  '/api/v2/spot/public/symbols': {
    code: '00000',
    data: coins.map(({ symbol }) => ({
      symbol: `${symbol}USDC`,
      baseCoin: symbol,
      quoteCoin: 'USDC',
      status: 'online',
    })),
  },
})
