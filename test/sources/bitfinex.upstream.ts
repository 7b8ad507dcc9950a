import type { Upstream } from '../faults/market.ts'

export const upstream: Upstream = ({ own }) => ({
  '/v2/tickers': own.map(({ symbol, price }) => [
    `t${symbol}USD`,
    price,
    1,
    price,
    1,
    0,
    0.01,
    price,
    1000,
    price,
    price,
    null,
  ]),
})
