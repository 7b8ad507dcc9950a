import type { Upstream } from '../faults/market.ts'

export const upstream: Upstream = ({ coins, now, own }) => ({
  '/v5/market/tickers': {
    retCode: 0,
    retMsg: 'OK',
    time: now,
    result: {
      category: 'spot',
      list: own.map(({ symbol, price }) => ({
        symbol: `${symbol}USDC`,
        bid1Price: String(price),
        ask1Price: String(price),
        lastPrice: String(price),
        prevPrice24h: String(price),
        price24hPcnt: '0.01',
        turnover24h: String(price * 1000),
        volume24h: '1000',
      })),
    },
  },
  '/v5/market/instruments-info': {
    retCode: 0,
    retMsg: 'OK',
    result: {
      category: 'spot',
      list: coins.map(({ symbol }) => ({
        symbol: `${symbol}USDC`,
        baseCoin: symbol,
        quoteCoin: 'USDC',
        status: 'Trading',
      })),
    },
  },
})
