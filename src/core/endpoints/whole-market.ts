import { AssetRow } from '../contract/asset.ts'
import { listOf, ownListOf } from '../contract/envelope.ts'
import { ExchangeId } from '../contract/identity.ts'
import { roundPercent } from '../contract/numbers.ts'
import { textParameter } from '../contract/parameters.ts'
import { CategoryRow, Global, ExchangeMarket, ExchangeRow, TotalsGroup, TotalsRow } from '../contract/whole-market.ts'
import { Slug } from '../contract/words.ts'
import { healthFrom } from '../feed/health.ts'
import { capChangeOf, isCounted, totalsOf } from '../feed/totals.ts'
import { CHANGES } from '../history/past.ts'
import { type PublicationData, endpoint, oneDocument, entryAt } from './endpoint.ts'

const LARGEST = 10
const TYPES = ['coin', 'token', null] as const

export function globalOf({ listed, venues, coverage }: Pick<PublicationData, 'listed' | 'venues' | 'coverage'>) {
  const counted = listed.map(({ asset }) => asset).filter(isCounted)
  const totals = totalsOf(counted)
  const cap = totals.market_cap_usd ?? 0
  return {
    listings: listed.length,
    priced: coverage.priced,
    ranked: counted.length,
    venues: [...venues.values()].filter(({ markets }) => markets.length > 0).length,
    ...totals,
    percent_change_24h: capChangeOf(counted),
    dominance: counted
      .slice(0, LARGEST)
      .flatMap(({ slug, symbol, market_cap_usd }) =>
        market_cap_usd === null || cap === 0
          ? []
          : [{ slug, symbol, percent: roundPercent((market_cap_usd / cap) * 100) }],
      ),
    by_type: TYPES.map((type) => {
      const own = counted.filter(({ asset_type }) => asset_type === type)
      return { asset_type: type, ranked: own.length, ...totalsOf(own) }
    }),
  }
}

export const global = oneDocument('Lists', {
  name: 'global',
  path: '/global',
  description: 'The whole market: market cap, volume, change, dominance and counts, over ranked, unflagged listings.',
  members: { global: Global },
  body: (world) => ({ global: globalOf(world) }),
})

const exchange = textParameter(
  'Id of the venue: `exchange_id` of `exchanges`.',
  ExchangeId,
  'an exchange_id that /exchanges lists',
)

export const exchangeMarkets = endpoint('Lists', {
  name: 'exchange',
  path: '/exchanges/:exchange',
  description: 'One venue and all its markets, by volume, flagged markets last.',
  parameters: { exchange },
  members: { exchange: ExchangeRow, ...ownListOf(ExchangeMarket) },
  keys: ({ venues }) => [...venues.keys()].map((exchange) => ({ exchange })),
  health: ({ venues }, { exchange }) => {
    const { sources, markets } = entryAt(venues, exchange)
    return healthFrom(sources, markets.length > 0)
  },
  body: ({ venues }, { exchange }) => {
    const { row, markets } = entryAt(venues, exchange)
    return { exchange: row, rows: markets.map(({ slug, market }) => ({ slug, ...market })) }
  },
})

export const exchanges = oneDocument('Lists', {
  name: 'exchanges',
  path: '/exchanges',
  description: 'All venues with status, markets, volume, shares of used volume and of outliers, and rights, by volume.',
  members: listOf(ExchangeRow),
  body: (world) => ({ rows: [...world.venues.values()].map(({ row }) => row) }),
})

const category = textParameter(
  'Id of the category: `category_id` of `categories`.',
  Slug,
  'a category_id that /categories lists',
)

export const categoryListings = endpoint('Lists', {
  name: 'category',
  path: '/categories/:category',
  description: 'One category and its listings, in the order of assets.',
  parameters: { category },
  members: { category: CategoryRow, ...ownListOf(AssetRow) },
  keys: ({ categories }) => [...categories.keys()].map((category) => ({ category })),
  body: ({ categories }, { category }) => {
    const { row, assets } = entryAt(categories, category)
    return { category: row, rows: assets }
  },
})

export const categories = oneDocument('Lists', {
  name: 'categories',
  path: '/categories',
  description: 'The tags of the listings with number of listings, market cap, volume and change, by market cap.',
  members: listOf(CategoryRow),
  body: (world) => ({ rows: [...world.categories.values()].map(({ row }) => row) }),
})

const group = textParameter(
  '`market`, or `category-` or `chain-` followed by an id of `categories` or `contracts`.',
  TotalsGroup,
  'market, category-<category_id> or chain-<chain>',
  'market',
)

export const totals = endpoint('History', {
  name: 'totals',
  path: '/totals/:group',
  description: 'Market cap, volume and largest share of the market, a category or a chain by day, oldest first.',
  parameters: { group },
  members: { group: TotalsGroup, ...ownListOf(TotalsRow) },
  keys: (world) => [...world.totals.keys()].map((one) => ({ group: one })),
  reads: (_world, { group: one }) => [CHANGES.totals(one)],
  body: (world, { group: one }) => ({ group: one, rows: world.totals.get(one) ?? [] }),
})
