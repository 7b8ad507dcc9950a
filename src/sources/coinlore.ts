import * as z from 'zod'
import { unread } from './rights.ts'
import { firstOfEach, NO_FIGURES, rows, source, type Http } from './source.ts'
import { NonNegative, Percent, Positive, Text } from './wire.ts'

const PER_PAGE = 100
/** Default number of listings: fifteen pages, at the advised request a second. */
const LISTINGS = 1500

const Page = z.object({ data: z.array(z.unknown()) })

/** Numbers are texts, some with exponents; `msupply` is null where there is no maximum. */
const Row = z.object({
  id: Text(32),
  symbol: Text(64),
  name: Text(200),
  nameid: Text(200),
  rank: Positive.pipe(z.int().nullable()),
  price_usd: Positive,
  percent_change_1h: Percent,
  percent_change_24h: Percent,
  percent_change_7d: Percent,
  market_cap_usd: Positive,
  volume24: NonNegative,
  csupply: Positive,
  tsupply: Positive,
  msupply: Positive,
})

/** CoinLore. It asks for no key; its documentation advises a request a second (coinlore.com/cryptocurrency-data-api). */
export const coinlore = source({
  id: 'coinlore',
  label: 'CoinLore',
  type: 'aggregator',
  host: 'api.coinlore.net',
  pace: { requests: 1, perSeconds: 1 },
  concurrency: 1,
  rights: unread('https://www.coinlore.com/cryptocurrency-data-api'),

  fetch: (http, wants) => pages(http, wants.listings ?? LISTINGS),

  *parse(listed) {
    yield* rows(
      Row,
      listed,
      firstOfEach(
        ({ id }) => id,
        (row) => ({
          kind: 'sighting',
          id: row.id,
          slugs: [row.nameid],
          symbol: row.symbol.toUpperCase(),
          name: row.name,
          ...NO_FIGURES,
          rank: row.rank,
          price_usd: row.price_usd,
          percent_change_1h: row.percent_change_1h,
          percent_change_24h: row.percent_change_24h,
          percent_change_7d: row.percent_change_7d,
          market_cap_usd: row.market_cap_usd,
          volume_24h_usd: row.volume24,
          circulating_supply: row.csupply,
          total_supply: row.tsupply,
          max_supply: row.msupply,
        }),
      ),
    )
  },
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
