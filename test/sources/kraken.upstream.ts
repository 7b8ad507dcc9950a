import type { Upstream } from '../faults/market.ts'

export const upstream: Upstream = ({ coins, own }) => ({
  '/0/public/Ticker': {
    error: [],
    result: Object.fromEntries(
      own.map(({ symbol, price }) => [
        `${symbol}USD`,
        {
          a: [String(price)],
          b: [String(price)],
          c: [String(price), '1'],
          v: ['1', '1000'],
          p: ['1', '1'],
          t: [1, 2],
          o: String(price),
        },
      ]),
    ),
  },
  '/0/public/AssetPairs': {
    error: [],
    result: Object.fromEntries(
      coins.map(({ symbol }) => [
        `${symbol}USD`,
        {
          altname: `${symbol}USD`,
          wsname: `${symbol}/USD`,
          base: symbol,
          quote: 'ZUSD',
          aclass_base: 'currency',
          status: 'online',
        },
      ]),
    ),
  },
})
