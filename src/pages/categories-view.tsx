import type { AssetRow, CategoryAnswer, CategoryRow } from '../client/answers.ts'
import { amounts, changes, counts, prices } from './columns.tsx'
import { FiguresOf } from './figures.tsx'
import { titled } from './format.ts'
import { ThingLink, TokenName } from './marks.tsx'
import { OverTime } from './over-time.tsx'
import { type Column, Table, filled } from './table.tsx'

const TOTALS: readonly Column<CategoryRow>[] = [
  counts('Listings', (row) => row.listing_count),
  amounts('Market cap', (row) => row.market_cap_usd),
  changes('24 h', (row) => row.percent_change_24h),
  amounts('Volume 24 h', (row) => row.volume_24h_usd),
]

const CATEGORIES: readonly Column<CategoryRow>[] = [
  {
    name: 'Category',
    of: ({ category_id, name }) => (
      <ThingLink to="categories" id={category_id}>
        {titled(name)}
      </ThingLink>
    ),
    by: ({ name }) => titled(name),
  },
  ...TOTALS,
]

const hasTotals = ({ market_cap_usd }: CategoryRow): boolean => market_cap_usd !== null

const LISTINGS: readonly Column<AssetRow>[] = [
  { name: 'Name', of: (row) => <TokenName {...row} />, by: ({ name }) => name.toLowerCase() },
  counts('Rank', (row) => row.market_cap_rank),
  prices('Price', (row) => row.price_usd),
  changes('24 h', (row) => row.percent_change_24h),
  amounts('Market cap', (row) => row.market_cap_usd),
  amounts('Volume 24 h', (row) => row.volume_24h_usd),
]

interface CategoriesProps {
  readonly rows: readonly CategoryRow[]
  /** Chains with contracts of listings, whose totals are drawn too. */
  readonly chains: readonly { readonly chain: string; readonly name: string }[]
}

/** All categories. */
export const Categories = ({ rows, chains }: CategoriesProps) => (
  <>
    <h1>Categories</h1>
    <p class="lead">
      Listings by the tags that their sources give them. One listing may have several. Totals count ranked listings.
    </p>
    {rows.length > 0 && (
      <OverTime
        groups={[
          ...rows.filter(hasTotals).map(({ category_id, name }) => [`category-${category_id}`, titled(name)] as const),
          ...chains.map(({ chain, name }) => [`chain-${chain}`, `Chain: ${name}`] as const),
        ]}
      />
    )}
    <Table
      label="Categories"
      columns={CATEGORIES}
      rows={rows}
      text={({ name }) => titled(name)}
      none="No listing has a tag."
    />
  </>
)

/** One category and its listings. */
export const Category = ({ category, rows }: Pick<CategoryAnswer, 'category' | 'rows'>) => (
  <>
    <p>
      <a href="./">← All categories</a>
    </p>
    <h1>{titled(category.name)}</h1>
    <FiguresOf columns={filled(TOTALS, [category])} row={category} />
    {hasTotals(category) ? (
      <OverTime groups={[[`category-${category.category_id}`, titled(category.name)]]} />
    ) : (
      <p class="soft">Totals count ranked listings, and none of these has a rank.</p>
    )}
    <Table label="Listings" columns={LISTINGS} rows={rows} text={({ name, symbol }) => `${name} ${symbol}`} />
  </>
)
