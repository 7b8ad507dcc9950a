import type { Upstream } from '../faults/market.ts'

export const upstream: Upstream = ({ now, own }) => ({
  '/exchange/v1/public/get-tickers': {
    code: 0,
    result: {
      data: own.map(({ symbol, price }) => ({
        i: `${symbol}_USD`,
        h: String(price),
        l: String(price),
        a: String(price),
        v: '1000',
        vv: String(price * 1000),
        c: '0.01',
        b: String(price),
        k: String(price),
        t: now,
      })),
    },
  },
})
