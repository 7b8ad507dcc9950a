import type { ComponentChildren } from 'preact'
import type { AssetRow, Global, MarketsRow, TotalsAnswer } from '../client/answers.ts'
import { Change, CountFigure, Money, PercentFigure, PriceFigure, Spark, weekOf } from './figures.tsx'
import { UNKNOWN, titled } from './format.ts'
import { CopyButton, Star, TokenName, VerifiedMark } from './marks.tsx'
import { useSite } from './site.tsx'
import { type Column, type Order, PAGE_ROWS, Table, amounts, prices } from './table.tsx'

/** A listing of the market. Short lists lack the last members. */
export type MarketTableRow = AssetRow &
  Partial<Pick<MarketsRow, 'percent_change_1h' | 'percent_change_7d' | 'carried' | 'sparkline_7d' | 'tags'>> & {
    readonly sinceVisit?: number | null
  }

/** Lists of the market, in the order of their tabs. */
export const LISTS = ['all', 'gainers', 'losers', 'trending', 'watchlist'] as const

/** The order in which all listings are published. */
export const BY_RANK: Order = { column: '#', descending: false }

const FIRST_SCREEN = 11

const isStable = ({ tags }: MarketTableRow): boolean => tags?.includes('stablecoin') === true

const changes = (name: string, kind: string, by: (row: MarketTableRow) => number | null): Column<MarketTableRow> => ({
  name,
  kind: `number ${kind}`,
  by,
  of: (row) => <Change of={by(row)} isStable={isStable(row)} />,
})

const columnsOf = (rows: readonly MarketTableRow[]): readonly Column<MarketTableRow>[] => [
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
    of: (row) => [
      <Star {...row} />,
      <TokenName {...row} isLate={rows.indexOf(row) >= FIRST_SCREEN}>
        <VerifiedMark state={row.verification_status} />
      </TokenName>,
    ],
  },
  {
    ...prices<MarketTableRow>('Price', (row) => row.price_usd, 'price'),
    of: ({ price_usd, carried }) =>
      carried?.['price_usd'] === undefined ? (
        <PriceFigure of={price_usd} />
      ) : (
        <span class="carried" title="Carried forward from an earlier snapshot">
          <PriceFigure of={price_usd} />
        </span>
      ),
  },
  changes('1h', 'hour', ({ percent_change_1h: percent = null }) => percent),
  changes('24h', 'day', ({ percent_change_24h: percent }) => percent),
  changes('7d', 'week', ({ percent_change_7d: percent = null }) => percent),
  changes('Since your last visit', 'visit', ({ sinceVisit = null }) => sinceVisit),
  amounts('Market cap', (row) => row.market_cap_usd, 'cap'),
  amounts('Volume 24h', (row) => row.volume_24h_usd, 'volume'),
  {
    name: 'Last 7 days',
    kind: 'number line',
    has: ({ sparkline_7d = [] }) => sparkline_7d.filter((price) => price !== null).length > 1,
    of(row) {
      const { percent_change_7d = null, sparkline_7d = [] } = row
      const week = weekOf({ ...row, percent_change_7d, sparkline_7d })
      return <Spark values={week} percent={isStable(row) ? null : percent_change_7d} />
    },
  },
]

/** Returns the value of a listing in a column of the market. */
export const marketValue = (column: string): Column<MarketTableRow>['by'] =>
  columnsOf([]).find(({ name }) => name === column)?.by

interface MarketListProps {
  readonly rows: readonly MarketTableRow[]
  readonly order: Order | null
  readonly none?: string
  readonly page: number
  readonly pages: number
  readonly addressOf: (page: number) => string
}

/** One page of listings, with links to the first, the last, and those around it. */
export function MarketList({ rows, order, none, page, pages, addressOf }: MarketListProps) {
  const shown = Array.from({ length: pages }, (_, at) => at + 1).filter(
    (one) => one === 1 || one === pages || Math.abs(one - page) <= 2,
  )
  return (
    <>
      <Table
        id="market"
        label="Listings"
        columns={columnsOf(rows)}
        rows={rows}
        order={order}
        none={none ?? 'No matching listings.'}
      />
      {pages > 1 && (
        <nav class="pager" aria-label="Pages">
          {page > 1 && (
            <a href={addressOf(page - 1)} rel="prev">
              ‹ Previous
            </a>
          )}
          {shown.map((one, at) => [
            one - (shown[at - 1] ?? 0) > 1 && <span class="soft">…</span>,
            <a href={addressOf(one)} aria-current={one === page ? 'page' : undefined}>
              {one}
            </a>,
          ])}
          {page < pages && (
            <a href={addressOf(page + 1)} rel="next">
              Next ›
            </a>
          )}
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
      {LISTS.map((list) => (
        <a
          href={list === 'all' ? root : `${root}?list=${list}`}
          data-list={list}
          aria-current={list === 'all' ? 'page' : undefined}
        >
          {list === 'all' ? 'All' : titled(list)}
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

interface MoversProps {
  readonly name: string
  /** Each with its logo itself, so that it takes no request. */
  readonly rows: readonly (AssetRow & { readonly logo: string | null })[]
}

const Movers = ({ name, rows }: MoversProps) => (
  <section class="card movers" aria-label={name}>
    <h2>{name}</h2>
    {rows.length === 0 && <p class="soft">None with enough volume.</p>}
    <ul class="plain">
      {rows.map((row) => (
        <li>
          <TokenName {...row} isLate={false} /> <PriceFigure of={row.price_usd} />{' '}
          <Change of={row.percent_change_24h} />
        </li>
      ))}
    </ul>
  </section>
)

const TOTAL_DAYS = 30

type TotalName = 'market_cap_usd' | 'volume_24h_usd' | 'largest_percent' | 'ranked'

interface OverviewProps {
  readonly global: Global
  readonly days: TotalsAnswer['rows']
  readonly gainers: MoversProps['rows']
  readonly losers: MoversProps['rows']
}

function Overview({ global, days, gainers, losers }: OverviewProps) {
  const [largest] = global.dominance
  const totals: readonly (readonly [string, TotalName, ComponentChildren])[] = [
    [
      'Market cap',
      'market_cap_usd',
      [<Money of={global.market_cap_usd} />, ' ', <Change of={global.percent_change_24h} />],
    ],
    ['Volume 24h', 'volume_24h_usd', <Money of={global.volume_24h_usd} />],
    [`${largest?.symbol ?? ''} dominance`, 'largest_percent', <PercentFigure of={largest?.percent ?? null} />],
    [
      'Listings',
      'ranked',
      [
        <CountFigure of={global.listings} />,
        ' ',
        global.venues > 0 && <span class="soft">on {global.venues} venues</span>,
      ],
    ],
  ]
  return (
    <div class="overview">
      <dl class="totals">
        {totals.map(([name, member, figures]) => (
          <div class="card total">
            <dt>{name}</dt>
            <dd>{figures}</dd>
            {days.length > 1 && <Spark values={days.slice(-TOTAL_DAYS).map((day) => day[member])} />}
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

interface MarketProps extends OverviewProps, Pick<MarketListProps, 'rows' | 'page' | 'pages'> {}

export const rowsFile = (page: number): string => `page/${page}.html`

export const rowsOfPage = <Row,>(rows: readonly Row[], page: number): readonly Row[] =>
  rows.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS)

/** The market: what this is, totals and movers on the first page, and a page of listings by rank. */
export function MarketPage({ rows, page, pages, ...overview }: MarketProps) {
  const { root } = useSite()
  const before = (page - 1) * PAGE_ROWS
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
        <MarketList
          rows={rows}
          order={BY_RANK}
          page={page}
          pages={pages}
          addressOf={(one) => (one === 1 ? root : root + rowsFile(one))}
        />
      </div>
    </>
  )
}
