import type { AssetRow, Global, MarketsRow, TotalsAnswer } from '../client/answers.ts'
import { Change, CountFigure, Money, PercentFigure, PriceFigure, Spark, weekOf } from './figures.tsx'
import { UNKNOWN, titled } from './format.ts'
import { CopyButton, Star, TokenName, VerifiedMark, isStable } from './marks.tsx'
import { useSite } from './site.tsx'
import { type Column, type Order, PAGE_ROWS, Table, column } from './table.tsx'

export type MarketTableRow = AssetRow &
  Partial<Omit<MarketsRow, keyof AssetRow>> & { readonly sinceVisit?: number | null }

export const LISTS = ['all', 'gainers', 'losers', 'trending', 'watchlist'] as const

/** The order in which all listings are published. */
export const BY_RANK: Order = { column: '#', descending: false }

const FIRST_SCREEN = 11

const COLUMNS: readonly Column<MarketTableRow>[] = [
  { name: BY_RANK.column, kind: 'rank', by: (row) => row.market_cap_rank, of: (row) => row.market_cap_rank ?? UNKNOWN },
  {
    name: 'Name',
    kind: 'name',
    by: ({ name }) => name.toLowerCase(),
    of: (row, place = 0) => [
      <Star {...row} />,
      <TokenName isLate={place >= FIRST_SCREEN} {...row}>
        <VerifiedMark state={row.verification_status} />
      </TokenName>,
    ],
  },
  {
    ...column.prices<MarketTableRow>('Price', (row) => row.price_usd, 'price'),
    of({ price_usd, carried }) {
      const figure = <PriceFigure of={price_usd} />
      if (carried?.['price_usd'] === undefined) return figure
      return <span class="carried" title="Carried forward from an earlier snapshot" children={figure} />
    },
  },
  column.changes('1h', ({ percent_change_1h: percent = null }) => percent, 'hour'),
  column.changes('24h', ({ percent_change_24h: percent }) => percent, 'day'),
  column.changes('7d', ({ percent_change_7d: percent = null }) => percent, 'week'),
  column.changes('Since your last visit', ({ sinceVisit = null }) => sinceVisit, 'visit'),
  column.amounts('Market cap', (row) => row.market_cap_usd, 'cap'),
  column.amounts('Volume 24h', (row) => row.volume_24h_usd, 'volume'),
  {
    name: 'Last 7 days',
    kind: 'number line',
    has: ({ sparkline_7d = [] }) => sparkline_7d.filter((price) => price !== null).length > 1,
    of(row) {
      const { price_usd, percent_change_7d: percent = null, sparkline_7d = [] } = row
      return <Spark values={weekOf(price_usd, percent, sparkline_7d)} percent={isStable(row) ? null : percent} />
    },
  },
]

/** Returns the value of a listing in a column of the market. */
export const marketValue = (column: string) => COLUMNS.find(({ name }) => name === column)?.by

interface MarketListProps {
  readonly rows: readonly MarketTableRow[]
  readonly order: Order | null
  readonly none?: string
  readonly page: number
  readonly pages: number
  readonly addressOf: (page: number) => string
}

const NEAR = 2

export function MarketList({ rows, order, none = 'No matching listings.', page, pages, addressOf }: MarketListProps) {
  const all = Array.from({ length: pages }, (_, at) => at + 1)
  const shown = all.filter((one) => one === 1 || one === pages || Math.abs(one - page) <= NEAR)
  const link = (to: number, text: number | string, rel?: 'prev' | 'next') => (
    <a href={addressOf(to)} rel={rel} aria-current={to === page ? 'page' : undefined}>
      {text}
    </a>
  )
  return (
    <>
      <Table id="market" label="Listings" columns={COLUMNS} rows={rows} order={order} none={none} />
      {pages > 1 && (
        <nav class="pager" aria-label="Pages">
          {page > 1 && link(page - 1, '‹ Previous', 'prev')}
          {shown.map((one, at) => [one - (shown[at - 1] ?? 0) > 1 && <span class="soft">…</span>, link(one, one)])}
          {page < pages && link(page + 1, 'Next ›', 'next')}
        </nav>
      )}
    </>
  )
}

/** Columns that a reader may hide: class and name. */
const OPTIONAL = { hour: '1h', week: '7d', cap: 'Market cap', volume: 'Volume 24h', line: 'Last 7 days' }

const Choices = ({ root }: { readonly root: string }) => (
  <div class="choices">
    <nav class="tabs" aria-label="Lists">
      {LISTS.map((list, at) => (
        <a
          href={at === 0 ? root : `${root}?list=${list}`}
          data-list={list}
          aria-current={at === 0 ? 'page' : undefined}
        >
          {at === 0 ? 'All' : titled(list)}
        </a>
      ))}
    </nav>
    <label class="check">
      <input id="verified" type="checkbox" /> Verified only
    </label>
    <details class="columns">
      <summary>Columns</summary>
      <div class="popover">
        {Object.entries(OPTIONAL).map(([kind, name]) => (
          <label class="check">
            <input type="checkbox" value={kind} checked /> {name}
          </label>
        ))}
      </div>
    </details>
  </div>
)

/** Each with its logo itself, so that it takes no request. */
type Mover = AssetRow & { readonly logo: string | null }

const Movers = ({ name, rows }: { readonly name: string; readonly rows: readonly Mover[] }) => (
  <section class="card movers" aria-label={name}>
    <h2>{name}</h2>
    {rows.length === 0 && <p class="soft">None with enough volume.</p>}
    <ul class="plain">
      {rows.map((row) => (
        <li>
          <TokenName isLate={false} {...row} /> <PriceFigure of={row.price_usd} />{' '}
          <Change of={row.percent_change_24h} />
        </li>
      ))}
    </ul>
  </section>
)

const TOTAL_DAYS = 30

interface OverviewProps extends Readonly<Record<'gainers' | 'losers', readonly Mover[]>> {
  readonly global: Global
  readonly days: TotalsAnswer['rows']
}

function Overview({ global, days, gainers, losers }: OverviewProps) {
  const [largest] = global.dominance
  const dominance = <PercentFigure of={largest?.percent ?? null} />
  const venues = global.venues > 0 && <span class="soft">on {global.venues} venues</span>
  const change = <Change of={global.percent_change_24h} />
  const totals = [
    ['Market cap', 'market_cap_usd', [<Money of={global.market_cap_usd} />, ' ', change]],
    ['Volume 24h', 'volume_24h_usd', <Money of={global.volume_24h_usd} />],
    [`${largest?.symbol ?? ''} dominance`, 'largest_percent', dominance],
    ['Listings', 'ranked', [<CountFigure of={global.listings} />, ' ', venues]],
  ] as const
  return (
    <div class="overview">
      <dl class="totals">
        {totals.map(([name, past, figure]) => (
          <div class="card total">
            <dt>{name}</dt>
            <dd>{figure}</dd>
            {days.length > 1 && <Spark values={days.slice(-TOTAL_DAYS).map((day) => day[past])} />}
          </div>
        ))}
      </dl>
      <Movers name="Top gainers 24h" rows={gainers} />
      <Movers name="Top losers 24h" rows={losers} />
    </div>
  )
}

function Strip() {
  const { root, address } = useSite()
  return (
    <div class="strip">
      <h1>Crypto prices, with a free API behind every number.</h1>
      <p>No key, no rate limit.</p>
      <div class="curl">
        <code class="sample">curl {address}text/bitcoin.txt</code>
        <CopyButton label="Copy the command" />
        <a href={`${root}text/bitcoin.txt`}>Answer</a>
      </div>
    </div>
  )
}

export const rowsFile = (page: number): string => `page/${page}.html`

export const rowsOfPage = <Row,>(rows: readonly Row[], page: number): readonly Row[] =>
  rows.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS)

type MarketProps = OverviewProps & Pick<MarketListProps, 'rows' | 'page' | 'pages'>

export function MarketPage({ rows, page, pages, ...overview }: MarketProps) {
  const { root } = useSite()
  const before = (page - 1) * PAGE_ROWS
  const addressOf = (one: number) => (one === 1 ? root : root + rowsFile(one))
  return (
    <>
      {page === 1 ? (
        [<Strip />, <Overview {...overview} />]
      ) : (
        <h1>
          Listings {before + 1} to {before + rows.length} by rank
        </h1>
      )}
      <Choices root={root} />
      <div id="rows">
        <MarketList rows={rows} order={BY_RANK} page={page} pages={pages} addressOf={addressOf} />
      </div>
    </>
  )
}
