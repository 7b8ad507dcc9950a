import type { AssetRow, MarketsRow } from '../client/answers.ts'
import { amounts, changes, prices } from './columns.tsx'
import { UNKNOWN } from './format.ts'
import { Price } from './figures.tsx'
import { Spark } from './line-chart.tsx'
import { Disc, TokenLink, VerifiedMark } from './marks.tsx'
import type { Column, Order } from './table.tsx'
import type { Watchlist } from './watchlist.ts'

/** Members of a listing that the market shows. */
export type TableRow = AssetRow &
  Pick<MarketsRow, 'percent_change_1h' | 'percent_change_7d' | 'carried' | 'sparkline_7d' | 'contracts'>

/** The order in which all listings are published. */
export const BY_RANK: Order = { column: '#', descending: false }

interface NameProps {
  readonly row: TableRow
  readonly isWatched: boolean
}

export const Star = ({ row: { slug, name }, isWatched }: NameProps) => (
  <button type="button" class="star" aria-pressed={isWatched} aria-label={`Watch ${name}`} data-slug={slug} />
)

const Name = ({ row, isWatched }: NameProps) => (
  <>
    <Star row={row} isWatched={isWatched} />
    <Disc slug={row.slug} symbol={row.symbol} />
    <span class="named">
      <span class="title">
        <TokenLink slug={row.slug}>{row.name}</TokenLink>
        <VerifiedMark state={row.verification_status} />
      </span>
      <span class="ticker">{row.symbol}</span>
    </span>
  </>
)

/** The columns of the market. The style sheet has the width of each kind, and the screens that hide it. */
export const marketColumns = (watchlist: Watchlist): readonly Column<TableRow>[] => [
  {
    name: BY_RANK.column,
    kind: 'rank',
    by: (row) => row.market_cap_rank,
    of: (row) => row.market_cap_rank ?? UNKNOWN,
  },
  {
    name: 'Name',
    kind: 'name',
    by: ({ name }) => name.toLowerCase(),
    of: (row) => <Name row={row} isWatched={watchlist.has(row.slug)} />,
  },
  {
    ...prices<TableRow>('Price', (row) => row.price_usd),
    of: ({ price_usd, carried }) =>
      carried?.['price_usd'] === undefined ? (
        <Price usd={price_usd} />
      ) : (
        <span class="carried" title="Carried forward from an earlier snapshot">
          <Price usd={price_usd} />
        </span>
      ),
  },
  changes('1 h', (row) => row.percent_change_1h, 'hour'),
  changes('24 h', (row) => row.percent_change_24h, 'day'),
  changes('7 d', (row) => row.percent_change_7d, 'week'),
  amounts('Market cap', (row) => row.market_cap_usd, 'cap'),
  amounts('Volume 24 h', (row) => row.volume_24h_usd, 'volume'),
  {
    name: 'Last 7 days',
    kind: 'line',
    has: ({ sparkline_7d }) => sparkline_7d.filter((price) => price !== null).length > 1,
    of: (row) => <Spark prices={row.sparkline_7d} percent={row.percent_change_7d} />,
  },
]
