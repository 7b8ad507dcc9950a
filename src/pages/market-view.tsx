import type { ComponentChildren } from 'preact'
import type { AssetRow, Global, MarketsRow, TotalsAnswer } from '../client/answers.ts'
import { amounts, prices } from './columns.tsx'
import { Change, Count, Money, Percent, Price } from './figures.tsx'
import { UNKNOWN, titled } from './format.ts'
import { CopyButton, Star, TokenName, VerifiedMark } from './marks.tsx'
import { LISTS } from './lists.ts'
import { useSite } from './site.tsx'
import { Spark, weekOf } from './spark.tsx'
import { type Column, type Order, PAGE_ROWS, Table } from './table.tsx'

/** A listing of the market. Short lists lack the last members. */
export type TableRow = AssetRow &
  Partial<Pick<MarketsRow, 'percent_change_1h' | 'percent_change_7d' | 'carried' | 'sparkline_7d' | 'tags'>> & {
    /** Change since the reader's last visit. */
    readonly sinceVisit?: number | null
  }

/** The order in which all listings are published. */
export const BY_RANK: Order = { column: '#', descending: false }

/** Rows whose logos are on the first screen. */
const FIRST_SCREEN = 11

/** The heading of the changes since the reader's last visit. */
const SINCE_VISIT = 'Since your last visit'

const isStable = ({ tags }: TableRow): boolean => tags?.includes('stablecoin') === true
const weekLine = ({ price_usd, percent_change_7d = null, sparkline_7d = [] }: TableRow) =>
  weekOf({ price_usd, percent_change_7d, sparkline_7d })

const changes = (name: string, kind: string, by: (row: TableRow) => number | null): Column<TableRow> => ({
  name,
  kind: `number ${kind}`,
  by,
  of: (row) => <Change percent={by(row)} isStable={isStable(row)} />,
})

const columnsOf = (rows: readonly TableRow[]): readonly Column<TableRow>[] => [
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
    of: (row) => (
      <>
        <Star {...row} />
        <TokenName {...row} isLate={rows.indexOf(row) >= FIRST_SCREEN}>
          <VerifiedMark state={row.verification_status} />
        </TokenName>
      </>
    ),
  },
  {
    ...prices<TableRow>('Price', (row) => row.price_usd, 'price'),
    of: ({ price_usd, carried }) =>
      carried?.['price_usd'] === undefined ? (
        <Price usd={price_usd} />
      ) : (
        <span class="carried" title="Carried forward from an earlier snapshot">
          <Price usd={price_usd} />
        </span>
      ),
  },
  changes('1h', 'hour', ({ percent_change_1h: percent = null }) => percent),
  changes('24h', 'day', ({ percent_change_24h: percent }) => percent),
  changes('7d', 'week', ({ percent_change_7d: percent = null }) => percent),
  changes(SINCE_VISIT, 'visit', ({ sinceVisit = null }) => sinceVisit),
  amounts('Market cap', (row) => row.market_cap_usd, 'cap'),
  amounts('Volume 24h', (row) => row.volume_24h_usd, 'volume'),
  {
    name: 'Last 7 days',
    kind: 'number line',
    has: ({ sparkline_7d = [] }) => sparkline_7d.filter((price) => price !== null).length > 1,
    of: (row) => <Spark values={weekLine(row)} percent={isStable(row) ? null : (row.percent_change_7d ?? null)} />,
  },
]

/** Returns the value of a listing in a column of the market. */
export const marketValue = (column: string): ((row: TableRow) => number | string | null) | undefined =>
  columnsOf([]).find(({ name }) => name === column)?.by

interface PagerProps {
  /** From 1. */
  readonly page: number
  readonly pages: number
  readonly addressOf: (page: number) => string
}

/** Links to the pages of a list: the first, the last, and those around this one. */
function Pager({ page, pages, addressOf }: PagerProps) {
  const shown = Array.from({ length: pages }, (_, at) => at + 1).filter(
    (one) => one === 1 || one === pages || Math.abs(one - page) <= 2,
  )
  return pages < 2 ? null : (
    <nav class="pager" aria-label="Pages">
      {page > 1 && (
        <a href={addressOf(page - 1)} rel="prev">
          ‹ Previous
        </a>
      )}
      {shown.map((one, at) => (
        <>
          {one - (shown[at - 1] ?? 0) > 1 && <span class="soft">…</span>}
          <a href={addressOf(one)} aria-current={one === page ? 'page' : undefined}>
            {one}
          </a>
        </>
      ))}
      {page < pages && (
        <a href={addressOf(page + 1)} rel="next">
          Next ›
        </a>
      )}
    </nav>
  )
}

interface MarketListProps extends PagerProps {
  readonly rows: readonly TableRow[]
  readonly order: Order | null
  readonly none?: string
}

/** One page of listings. */
export const MarketList = ({ rows, order, none = 'No matching listings.', ...pager }: MarketListProps) => (
  <>
    <Table id="market" label="Listings" columns={columnsOf(rows)} rows={rows} order={order} none={none} />
    <Pager {...pager} />
  </>
)

/** Columns that a reader may hide: class and name. */
const OPTIONAL = [
  ['hour', '1h'],
  ['week', '7d'],
  ['cap', 'Market cap'],
  ['volume', 'Volume 24h'],
  ['line', 'Last 7 days'],
] as const

/** The choice of a list, of verified listings alone, and of the columns. */
function Choices() {
  const { root } = useSite()
  return (
    <div class="choices">
      <nav class="tabs" aria-label="Lists">
        {LISTS.map((list) => (
          <a
            href={list === 'all' ? root : `${root}?list=${list}`}
            data-list={list}
            aria-current={list === 'all' ? 'page' : undefined}
          >
            {titled(list === 'all' ? 'All' : list)}
          </a>
        ))}
      </nav>
      <label class="check">
        <input id="verified" type="checkbox" /> Verified only
      </label>
      <details class="columns">
        <summary>Columns</summary>
        <div class="popover">
          {OPTIONAL.map(([kind, name]) => (
            <label class="check">
              <input type="checkbox" value={kind} checked /> {name}
            </label>
          ))}
        </div>
      </details>
    </div>
  )
}

type Mover = Pick<AssetRow, 'slug' | 'name' | 'symbol' | 'price_usd' | 'percent_change_24h'> & {
  /** The logo itself, so that the movers take no requests. */
  readonly logo: string | null
}

const Movers = ({ name, rows }: { readonly name: string; readonly rows: readonly Mover[] }) => {
  return (
    <section class="card movers" aria-label={name}>
      <h2>{name}</h2>
      {rows.length === 0 && <p class="soft">None with enough volume.</p>}
      <ul class="plain">
        {rows.map((row) => (
          <li>
            <TokenName {...row} isLate={false} /> <Price usd={row.price_usd} />{' '}
            <Change percent={row.percent_change_24h} />
          </li>
        ))}
      </ul>
    </section>
  )
}

interface TotalProps {
  readonly name: string
  readonly values: readonly (number | null)[]
  readonly children: ComponentChildren
}

/** A total of the market with a line of its last days, once there are two. */
const Total = ({ name, values, children }: TotalProps) => (
  <div class="card total">
    <dt>{name}</dt>
    <dd>{children}</dd>
    {values.length > 1 && <Spark values={values} />}
  </div>
)

/** Days of the lines of the totals. */
const TOTAL_DAYS = 30

interface OverviewProps {
  readonly global: Global
  readonly days: TotalsAnswer['rows']
  readonly gainers: readonly Mover[]
  readonly losers: readonly Mover[]
}

/** Four totals, and the strongest movers. */
function Overview({ global, days, gainers, losers }: OverviewProps) {
  const recent = days.slice(-TOTAL_DAYS)
  const [largest] = global.dominance
  return (
    <div class="overview">
      <dl class="totals">
        <Total name="Market cap" values={recent.map((day) => day.market_cap_usd)}>
          <Money usd={global.market_cap_usd} /> <Change percent={global.percent_change_24h} />
        </Total>
        <Total name="Volume 24h" values={recent.map((day) => day.volume_24h_usd)}>
          <Money usd={global.volume_24h_usd} />
        </Total>
        <Total name={`${largest?.symbol ?? ''} dominance`} values={recent.map((day) => day.largest_percent)}>
          <Percent of={largest?.percent ?? null} />
        </Total>
        <Total name="Listings" values={recent.map((day) => day.ranked)}>
          <Count of={global.listings} /> {global.venues > 0 && <span class="soft">on {global.venues} venues</span>}
        </Total>
      </dl>
      <Movers name="Top gainers 24h" rows={gainers} />
      <Movers name="Top losers 24h" rows={losers} />
    </div>
  )
}

/** What this site is, and a command that shows it. */
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

interface MarketProps extends OverviewProps {
  readonly rows: readonly TableRow[]
  /** From 1, and the number of pages. */
  readonly page: number
  readonly pages: number
}

/** Returns the address of a page of rows, from the root of the site. */
const pageAddress = (root: string, page: number): string => (page === 1 ? root : `${root}${rowsFile(page)}`)

/** Returns the file of a page of rows after the first. */
export const rowsFile = (page: number): string => `page/${page}.html`

/** Returns the rows of a page. */
export const rowsOfPage = <Row,>(rows: readonly Row[], page: number): readonly Row[] =>
  rows.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS)

/** The market: what this is, totals and movers on the first page, and a page of listings by rank. */
export function Market({ rows, page, pages, ...overview }: MarketProps) {
  const { root } = useSite()
  return (
    <>
      {page === 1 ? (
        <>
          <Strip />
          <Overview {...overview} />
        </>
      ) : (
        <h1>
          Listings {(page - 1) * PAGE_ROWS + 1} to {(page - 1) * PAGE_ROWS + rows.length} by rank
        </h1>
      )}
      <Choices />
      <div id="rows">
        <MarketList rows={rows} order={BY_RANK} page={page} pages={pages} addressOf={(one) => pageAddress(root, one)} />
      </div>
    </>
  )
}
