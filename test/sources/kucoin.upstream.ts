import type { Upstream } from '../faults/market.ts'

export const upstream: Upstream = ({ now, own }) => ({
  '/api/v1/market/allTickers': {
    code: '200000',
    data: {
      time: now,
      ticker: own.map(({ symbol, price }) => ({
        symbol: `${symbol}-USDC`,
        symbolName: `${symbol}-USDC`,
        buy: String(price),
        sell: String(price),
        changeRate: '0.01',
        vol: '1000',
        volValue: String(price * 1000),
        last: String(price),
      })),
    },
  },
})
