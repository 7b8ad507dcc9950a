import type * as z from 'zod'
import type { MarketsRow } from '../core/contract/asset.ts'
import { foldedAddress } from '../core/contract/names.ts'
import type { CategoryRow, ExchangeMarket, ExchangeRow } from '../core/contract/whole-market.ts'
import {
  CHART,
  CHART_RANGE,
  COIN,
  PAGE,
  chartBetween,
  chartOf,
  coin,
  coinOf,
  coinRoutes,
  image,
  listingOf,
  named,
  onPage,
  tickerOf,
  tickersOf,
  unknown,
} from './coingecko.ts'
import { DOCUMENTS, type Publication, amountIn } from './publication.ts'
import { type ParsedQuery, type Shape, asError, names, route } from './shape.ts'

/** Returns the listing of a contract. @throws Refusal of a chain or a contract that no listing has */
async function listingAt({ from, part }: Pick<ParsedQuery<{}>, 'from' | 'part'>): Promise<MarketsRow> {
  const chain = await named(from, DOCUMENTS.contracts, 'contracts', part('platform'))
  const address = foldedAddress(part('address'))
  const row = chain.rows.find((one) => one.address === address)
  return listingOf(from, row?.slug ?? '')
}

const inBitcoin = (from: Publication, amount_usd: number | null): number | null => {
  const unit = from.units.get('btc')
  return unit ? amountIn(amount_usd, unit) : null
}

const exchangeMembers = (from: Publication, { exchange_name, exchange_type, volume_24h_usd }: ExchangeRow) => ({
  name: exchange_name,
  ...unknown('year_established', 'country', 'url', 'trust_score', 'trust_score_rank'),
  image: null,
  has_trading_incentive: false,
  trade_volume_24h_btc: inBitcoin(from, volume_24h_usd),
  centralized: exchange_type !== 'dex',
})

type MarketOf = z.infer<typeof ExchangeMarket>

/** Markets of an exchange as tickers. */
const exchangeTickers = (from: Publication, { exchange_id, exchange_name }: ExchangeRow, rows: readonly MarketOf[]) =>
  rows.map((row) => tickerOf(from, { ...row, exchange_id, exchange_name }))

const categoriesIn = async (from: Publication): Promise<readonly CategoryRow[]> =>
  (await from.document(DOCUMENTS.categories, 'categories'))?.rows ?? []

async function categoryOf(from: Publication, { category_id, name, ...row }: CategoryRow) {
  const top = ((await from.rowsOf(`categories/${category_id}`)) ?? []).slice(0, 3)
  return {
    id: category_id,
    name,
    market_cap: row.market_cap_usd,
    market_cap_change_24h: row.percent_change_24h,
    content: '',
    top_3_coins_id: top.map(({ slug }) => from.idOf(slug)),
    top_3_coins: top.flatMap(({ logo_url }) => logo_url ?? []),
    volume_24h: row.volume_24h_usd,
    updated_at: from.at,
  }
}

/** A coin of a list of movers. */
function moverOf(from: Publication, row: MarketsRow) {
  return {
    ...coinOf(from, row),
    image: row.logo_url,
    market_cap_rank: row.market_cap_rank,
    usd: row.price_usd,
    usd_24h_vol: row.volume_24h_usd,
    usd_24h_change: row.percent_change_24h,
  }
}

/** The most coins of a list of movers, and of what is searched for. */
const [MOST_MOVERS, MOST_TRENDING] = [30, 15]

const movers = async (from: Publication, list: string, most: number): Promise<readonly MarketsRow[]> =>
  ((await from.rowsOf(list)) ?? []).slice(0, most)

const exchangeNamed = ({ from, part }: Pick<ParsedQuery<{}>, 'from' | 'part'>) =>
  named(from, DOCUMENTS.exchange, 'exchanges', part('id'))

/** Lists, and what is found by something else than an id. Their addresses come before those of coins by id. */
const listRoutes = [
  route('/asset_platforms', {}, async ({ from }) =>
    ((await from.document(DOCUMENTS.chains, 'contracts'))?.rows ?? []).map(({ chain, chain_id, name, aliases }) => ({
      id: chain,
      chain_identifier: chain_id,
      name,
      shortname: aliases[0] ?? '',
      native_coin_id: null,
      image: image(null),
    })),
  ),
  route('/coins/categories', {}, async ({ from }) =>
    Promise.all((await categoriesIn(from)).map((row) => categoryOf(from, row))),
  ),
  route('/coins/categories/list', {}, async ({ from }) =>
    (await categoriesIn(from)).map(({ category_id, name }) => ({
      category_id,
      name,
    })),
  ),
  route('/coins/top_gainers_losers', {}, async ({ from }) => ({
    top_gainers: (await movers(from, 'gainers', MOST_MOVERS)).map((row) => moverOf(from, row)),
    top_losers: (await movers(from, 'losers', MOST_MOVERS)).map((row) => moverOf(from, row)),
  })),
  route('/coins/:id/tickers', { ...PAGE, exchange_ids: names.optional() }, async ({ from, part, query }) => {
    const row = await listingOf(from, part('id'))
    const all = await tickersOf(from, row, Infinity)
    const wanted = all.filter(({ market }) => query.exchange_ids?.includes(market.identifier) ?? true)
    return { name: row.name, tickers: onPage(wanted, query) }
  }),
  route('/coins/:platform/contract/:address', COIN, async (asked) =>
    coin(asked.from, await listingAt(asked), asked.query),
  ),
  route('/coins/:platform/contract/:address/market_chart', CHART, async (asked) =>
    chartOf(asked, await listingAt(asked)),
  ),
  route('/coins/:platform/contract/:address/market_chart/range', CHART_RANGE, async (asked) =>
    chartBetween(asked, await listingAt(asked)),
  ),
  route('/exchanges', PAGE, async ({ from, query }) =>
    onPage((await from.document(DOCUMENTS.exchanges, 'exchanges'))?.rows ?? [], query).map((row) => ({
      id: row.exchange_id,
      ...exchangeMembers(from, row),
    })),
  ),
  route('/exchanges/list', {}, async ({ from }) =>
    ((await from.document(DOCUMENTS.exchanges, 'exchanges'))?.rows ?? []).map((row) => ({
      id: row.exchange_id,
      name: row.exchange_name,
    })),
  ),
  route('/exchanges/:id', {}, async (asked) => {
    const { exchange, rows } = await exchangeNamed(asked)
    return {
      ...exchangeMembers(asked.from, exchange),
      ...unknown('facebook_url', 'reddit_url', 'telegram_url', 'twitter_handle'),
      description: '',
      coins: exchange.asset_count,
      pairs: exchange.market_count,
      tickers: exchangeTickers(asked.from, exchange, rows.slice(0, PAGE.per_page.parse(undefined))),
    }
  }),
  route('/exchanges/:id/tickers', PAGE, async (asked) => {
    const { exchange, rows } = await exchangeNamed(asked)
    return { name: exchange.exchange_name, tickers: exchangeTickers(asked.from, exchange, onPage(rows, asked.query)) }
  }),
  route('/search/trending', {}, async ({ from }) => ({
    coins: (await movers(from, 'trending', MOST_TRENDING)).map((row, score) => ({
      item: {
        ...coinOf(from, row),
        symbol: row.symbol,
        coin_id: null,
        slug: row.slug,
        market_cap_rank: row.market_cap_rank,
        ...image(row.logo_url),
        price_btc: inBitcoin(from, row.price_usd),
        score,
        data: { price: row.price_usd, price_change_percentage_24h: { usd: row.percent_change_24h } },
      },
    })),
    nfts: [],
    categories: [],
  })),
  route('/token_lists/:platform/all.json', {}, async ({ from, part }) => {
    const { chain, rows } = await named(from, DOCUMENTS.contracts, 'contracts', part('platform'))
    const chains = await from.document(DOCUMENTS.chains, 'contracts')
    const { chain_id, name } = chains?.rows.find((row) => row.chain === chain) ?? { chain_id: null, name: chain }
    return {
      name,
      timestamp: from.at,
      version: { major: 1, minor: 0, patch: 0 },
      tokens: rows.flatMap(({ address, symbol, name: of, decimals, slug }) =>
        decimals === null
          ? []
          : [{ chainId: chain_id, address, name: of, symbol, decimals, logoURI: from.known(slug)?.logo_url ?? null }],
      ),
    }
  }),
  route('/global/market_cap_chart', {}, async ({ from }) => {
    const days = (await from.document(DOCUMENTS.totals, 'totals/market'))?.rows ?? []
    const series = (name: 'market_cap_usd' | 'volume_24h_usd') => days.map((row) => [Date.parse(row.day), row[name]])
    return { market_cap_chart: { market_cap: series('market_cap_usd'), volume: series('volume_24h_usd') } }
  }),
]

/** CoinGecko's public API, version 3 (docs.coingecko.com), answered from the published documents. */
export const coingecko: Shape = { routes: [...listRoutes, ...coinRoutes], refused: asError }
