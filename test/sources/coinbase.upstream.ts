import type { Upstream } from '../faults/market.ts'

export const upstream: Upstream = ({ own }) => ({
  '/products': own.map(({ symbol }) => ({
    id: `${symbol}-USD`,
    base_currency: symbol,
    quote_currency: 'USD',
    status: 'online',
    trading_disabled: false,
  })),
  '/products/stats': Object.fromEntries(
    own.map(({ symbol, price }) => [
      `${symbol}-USD`,
      {
        stats_24hour: {
          open: String(price),
          high: String(price),
          low: String(price),
          last: String(price),
          volume: '1000',
        },
      },
    ]),
  ),
})
