import * as z from 'zod'
import { listings, reportedIn } from './listings.ts'
import { unread } from './rights.ts'
import { source, type Http } from './source.ts'

const PER_PAGE = 100
/** Default number of listings: fifteen pages, at the advised request a second. */
const LISTINGS = 1500

const Page = z.object({ data: z.array(z.unknown()) })

/** Numbers are texts, some with exponents; `msupply` is null where there is no maximum. */
const ROW = {
  id: 'id',
  slug: 'nameid',
  symbol: 'symbol',
  name: 'name',
  rank: 'rank',
  price_usd: 'price_usd',
  percent_change_1h: 'percent_change_1h',
  percent_change_24h: 'percent_change_24h',
  percent_change_7d: 'percent_change_7d',
  market_cap_usd: 'market_cap_usd',
  volume_24h_usd: 'volume24',
  circulating_supply: 'csupply',
  total_supply: 'tsupply',
  max_supply: 'msupply',
}

/** CoinLore. It asks for no key; its documentation advises a request a second (coinlore.com/cryptocurrency-data-api). */
export const coinlore = source({
  id: 'coinlore',
  label: 'CoinLore',
  type: 'aggregator',
  host: 'api.coinlore.net',
  pace: { requests: 1, perSeconds: 1 },
  concurrency: 1,
  reports: reportedIn(ROW),
  rights: unread('https://www.coinlore.com/cryptocurrency-data-api'),

  fetch: (http, wants) => pages(http, wants.listings ?? LISTINGS),

  parse: (listed) => listings({ row: ROW }, listed),
})

async function pages(http: Http, listings: number): Promise<unknown[]> {
  const listed: unknown[] = []
  for (let start = 0; start < listings; start += PER_PAGE) {
    const { data } = await http.json(`/api/tickers/?start=${start}&limit=${PER_PAGE}`, Page)
    if (data.length === 0) break
    listed.push(...data)
  }
  return listed.slice(0, listings)
}
