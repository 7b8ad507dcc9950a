import type { AssetRow, CategoryAnswer, CategoryRow, TotalsAnswer } from '../client/answers.ts'
import { Figures, LineChart } from './figures.tsx'
import { day, money, titled } from './format.ts'
import { type Column, Table, amounts, changes, counts, filled, links, listings, prices } from './table.tsx'

const TOTALS: readonly Column<CategoryRow>[] = [
  counts('Listings', (row) => row.listing_count),
  amounts('Market cap', (row) => row.market_cap_usd),
  changes('24h', (row) => row.percent_change_24h),
  amounts('Volume 24h', (row) => row.volume_24h_usd),
]

const CATEGORIES: readonly Column<CategoryRow>[] = [
  links('Category', 'categories', ({ category_id, name }) => [category_id, titled(name)]),
  ...TOTALS,
]

const LISTINGS: readonly Column<AssetRow>[] = [
  listings('Name'),
  counts('Rank', (row) => row.market_cap_rank),
  prices('Price', (row) => row.price_usd),
  changes('24h', (row) => row.percent_change_24h),
  amounts('Market cap', (row) => row.market_cap_usd),
  amounts('Volume 24h', (row) => row.volume_24h_usd),
]

export const Categories = ({ rows }: { readonly rows: readonly CategoryRow[] }) => (
  <>
    <h1>Categories</h1>
    <p class="lead">
      Listings by the tags that their sources give them. One listing may have several. Totals count ranked listings.
    </p>
    <Table
      label="Categories"
      columns={CATEGORIES}
      rows={rows}
      order={{ column: 'Market cap', descending: true }}
      none="No listing has a tag."
    />
  </>
)

function CapOverTime({ days }: { readonly days: TotalsAnswer['rows'] }) {
  const known = days.flatMap(({ day, market_cap_usd: cap }) => (cap === null ? [] : [{ day, cap }]))
  const [first, last] = [known[0], known.at(-1)]
  if (!first || !last || first === last) return null
  return (
    <LineChart
      values={days.map(({ market_cap_usd }) => market_cap_usd)}
      percent={(last.cap / first.cap - 1) * 100}
      words={`Market cap: ${money(first.cap)} to ${money(last.cap)}`}
      captions={[`${day(first.day)}: ${money(first.cap)}`, 'Market cap by day', `${day(last.day)}: ${money(last.cap)}`]}
    />
  )
}

interface CategoryProps extends Pick<CategoryAnswer, 'category' | 'rows'> {
  /** Its totals by day, where they are known. */
  readonly days?: TotalsAnswer['rows']
  readonly isWhole?: boolean
}

export const CategoryPage = ({ category, rows, days = [], isWhole = false }: CategoryProps) => (
  <>
    <p>
      <a href="./">← All categories</a>
    </p>
    <h1>{titled(category.name)}</h1>
    <Figures of={filled(TOTALS, [category]).map(({ name, of }) => [name, of(category)])} />
    {category.market_cap_usd === null && (
      <p class="soft">Totals count ranked listings, and none of these has a rank.</p>
    )}
    <CapOverTime days={days} />
    <Table
      label="Listings"
      columns={LISTINGS}
      rows={rows}
      order={{ column: 'Rank', descending: false }}
      all={isWhole ? undefined : `./?id=${category.category_id}`}
    />
  </>
)
