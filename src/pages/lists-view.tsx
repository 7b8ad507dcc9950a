import type * as api from '../client/answers.ts'
import type { PublicationData } from '../core/endpoints/endpoint.ts'
import { Figures } from './figures.tsx'
import { UNKNOWN, count, titled, words } from './format.ts'
import { Outward, stateOf } from './marks.tsx'
import { type Column, Table, column, filled } from './table.tsx'
import { sortedBy } from './tables.ts'

const BY_VOLUME = { column: 'Volume 24h', descending: true }
const BY_CAP = { column: 'Market cap', descending: true }

const EXCHANGES: readonly Column<api.ExchangeRow>[] = [
  column.links('Exchange', 'exchanges', (row) => [row.exchange_id, row.exchange_name]),
  column.amounts('Volume 24h', (row) => row.volume_24h_usd),
  column.percents('Used in prices', (row) => row.used_volume_percent),
  column.percents('Outliers', (row) => row.outlier_percent),
  column.counts('Markets', (row) => row.market_count),
  column.counts('Listings', (row) => row.asset_count),
  column.counts('Prices relying on it', (row) => row.needed_count),
  column.words('Kind', (row) => row.exchange_type.toUpperCase()),
  column.badges('State', ({ status }) => status),
  column.words('Rights', ({ rights }) => words(rights.class)),
]

export const Exchanges = ({ rows }: { readonly rows: readonly api.ExchangeRow[] }) => (
  <>
    <h1>Exchanges</h1>
    <p class="lead">
      By volume, with the share of it that prices are computed from, and the listings that would lose the quorum of
      their price without the exchange.
    </p>
    <Table
      label="Exchanges"
      columns={EXCHANGES}
      rows={rows}
      order={BY_VOLUME}
      none="No exchange has a market in the feed."
    />
  </>
)

const MARKETS: readonly Column<api.ExchangeMarket>[] = [
  column.links('Pair', 'token', (row) => [row.slug, row.pair]),
  column.prices('Price', (row) => row.price_usd),
  column.percents('Spread', (row) => row.spread_percent),
  column.amounts('Volume 24h', (row) => row.volume_24h_usd),
  column.shares('Weight', ({ weight }) => weight),
  column.badges('Quality', stateOf),
]

export const Exchange = ({ exchange, rows }: Pick<api.AnswerOf<'exchange'>, 'exchange' | 'rows'>) => (
  <>
    <p>
      <a href="./">← All exchanges</a>
    </p>
    <h1>{exchange.exchange_name}</h1>
    <Figures of={EXCHANGES.slice(1).map(({ name, of }) => [name, of(exchange)])} />
    <h2>Markets</h2>
    <Table
      label="Markets"
      columns={MARKETS}
      rows={rows}
      order={BY_VOLUME}
      all={`./?id=${exchange.exchange_id}`}
      none={
        exchange.status === 'ok'
          ? 'None of its markets has a listing.'
          : 'No market is known: the exchange gave no answer.'
      }
    />
  </>
)

const CATEGORIES: readonly Column<api.CategoryRow>[] = [
  column.links('Category', 'categories', ({ category_id, name }) => [category_id, titled(name)]),
  column.counts('Listings', (row) => row.listing_count),
  column.amounts('Market cap', (row) => row.market_cap_usd),
  column.changes('24h', (row) => row.percent_change_24h),
  column.amounts('Volume 24h', (row) => row.volume_24h_usd),
]

export const Categories = ({ rows }: { readonly rows: readonly api.CategoryRow[] }) => (
  <>
    <h1>Categories</h1>
    <p class="lead">
      Listings by the tags that their sources give them. One listing may have several. Totals count ranked listings.
    </p>
    <Table label="Categories" columns={CATEGORIES} rows={rows} order={BY_CAP} none="No listing has a tag." />
  </>
)

const LISTINGS: readonly Column<api.AssetRow>[] = [
  column.listings('Name'),
  column.counts('Rank', (row) => row.market_cap_rank),
  column.prices('Price', (row) => row.price_usd),
  column.changes('24h', (row) => row.percent_change_24h),
  column.amounts('Market cap', (row) => row.market_cap_usd),
  column.amounts('Volume 24h', (row) => row.volume_24h_usd),
]

export const CategoryPage = ({ category, rows }: Pick<api.AnswerOf<'category'>, 'category' | 'rows'>) => (
  <>
    <p>
      <a href="./">← All categories</a>
    </p>
    <h1>{titled(category.name)}</h1>
    <Figures of={filled(CATEGORIES.slice(1), [category]).map(({ name, of }) => [name, of(category)])} />
    {category.market_cap_usd === null && (
      <p class="soft">Totals count ranked listings, and none of these has a rank.</p>
    )}
    <Table
      label="Listings"
      columns={LISTINGS}
      rows={rows}
      order={{ column: 'Rank', descending: false }}
      all={`./?id=${category.category_id}`}
    />
  </>
)

const ASSETS: readonly Column<api.EcosystemRow>[] = [
  column.listings('Asset'),
  column.prices('Price', (row) => row.price_usd),
  column.changes('24h', (row) => row.percent_change_24h),
  column.amounts('Market cap', (row) => row.market_cap_usd),
  column.words('Role', ({ role }) => role, 'prose'),
  column.words('Protocol', ({ protocol }) => protocol),
  column.badges('Identity', (row) => row.verification_status),
  column.badges('Listing', (row) => row.listing_status),
]

const PAIRS: readonly Column<api.DexPair>[] = [
  { name: 'Pair', of: ({ pair, pair_url }) => <Outward url={pair_url}>{pair}</Outward>, by: ({ pair }) => pair },
  column.prices('Price', (row) => row.price_usd),
  column.changes('24h', (row) => row.percent_change_24h),
  column.amounts('Volume 24h', (row) => row.volume_24h_usd),
  column.amounts('Liquidity', (row) => row.liquidity_usd),
  column.counts('Trades 24h', (row) => row.transactions_24h),
  column.links('Token', 'token', ({ base_asset_id: slug }) => [slug, slug ?? UNKNOWN]),
  column.words('DEX', ({ dex_name, chain }) => `${dex_name} on ${chain}`, 'prose'),
]

/** The registry in a sentence, the largest assets of the ecosystem first, and the pools, those of the ecosystem first. */
export const EcosystemPage = ({ site, ecosystem: rows, registryCounts: registry, pairs }: PublicationData) => (
  <>
    <h1>{site.ecosystem.title}</h1>
    <p class="lead">
      {count(registry.assets)} assets in the reviewed registry: {count(registry.verified)} verified,{' '}
      {count(registry.pending)} pending, {count(registry.unverified)} unverified, {count(registry.flagged)} flagged;{' '}
      {count(registry.with_price)} with a price.
    </p>
    <Table
      label="Assets of the ecosystem"
      columns={ASSETS}
      rows={sortedBy(rows, (row) => row.market_cap_usd, true)}
      order={BY_CAP}
      none="The registry contains no asset of the ecosystem."
    />
    <h2>DEX pairs</h2>
    <Table
      label="DEX pairs"
      columns={PAIRS}
      rows={sortedBy(pairs, ({ base_asset_id: slug }) => Number(rows.some((row) => row.slug === slug)), true)}
      none="No known pools."
    />
  </>
)
