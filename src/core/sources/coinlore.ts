import * as z from 'zod'
import { aggregator, paged } from './aggregator.ts'
import { unread } from './source.ts'

/** CoinLore. It asks for no key; its documentation advises a request a second (coinlore.com/cryptocurrency-data-api). */
export const coinlore = aggregator({
  id: 'coinlore',
  label: 'CoinLore',
  host: 'api.coinlore.net',
  pace: { requests: 1, perSeconds: 1 },
  concurrency: 1,
  rights: unread('https://www.coinlore.com/cryptocurrency-data-api'),
  // Fifteen pages, at the advised request a second.
  list: paged({
    path: '/api/tickers/?start={start}&limit=100',
    perPage: 100,
    listings: 1500,
    schema: z.object({ data: z.array(z.unknown()) }).transform(({ data }) => data),
  }),
  // Numbers are texts, some with exponents; `msupply` is null where there is no maximum.
  listings: {
    same: ['rank', 'percent_change_1h', 'percent_change_24h', 'percent_change_7d', 'market_cap_usd'],
    row: {
      slug: 'nameid',
      volume_24h_usd: 'volume24',
      circulating_supply: 'csupply',
      total_supply: 'tsupply',
      max_supply: 'msupply',
    },
  },
})
