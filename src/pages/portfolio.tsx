import { Price } from './figures.tsx'
import { change, counted, tone } from './format.ts'
import { changes, prices } from './columns.tsx'
import { TokenName } from './marks.tsx'
import type { TableRow } from './market-columns.tsx'
import { type Column, Table } from './table.tsx'
import { type Watchlist, amountIn, holdingsCsv, holdingsIn, worthOf } from './watchlist.ts'

interface PortfolioProps {
  readonly watchlist: Watchlist
  /** The watched listings. */
  readonly rows: readonly TableRow[]
  /** All listings, among which an imported file names some. */
  readonly all: readonly TableRow[]
  readonly change: (watchlist: Watchlist) => void
}

function Total({ watchlist, rows }: Pick<PortfolioProps, 'watchlist' | 'rows'>) {
  const { value_usd, change_24h_usd: gained, percent_change_24h: moved, unpriced } = worthOf(watchlist, rows)
  if (value_usd === null)
    return <p class="worth">Enter the amounts that you hold to see their value. They stay in this browser.</p>
  return (
    <p class="worth">
      <strong>
        <Price usd={value_usd} />
      </strong>{' '}
      {moved !== null && gained !== null && (
        <span data-tone={tone(moved)}>
          {gained < 0 ? '−' : '+'}
          <Price usd={Math.abs(gained)} /> ({change(moved)}) in 24 h
        </span>
      )}
      {unpriced > 0 && ` ${counted(unpriced, 'holding')} without a known price.`}
    </p>
  )
}

/** What the reader holds of the watched listings, and what it is worth. Nothing of it leaves the browser. */
export function Portfolio({ watchlist, rows, all, change: set }: PortfolioProps) {
  const heldOf = ({ slug }: TableRow) => watchlist.get(slug) ?? null
  const valueOf = (row: TableRow) => {
    const held = heldOf(row)
    return held === null || row.price_usd === null ? null : held * row.price_usd
  }
  const columns: readonly Column<TableRow>[] = [
    { name: 'Name', of: (row) => <TokenName {...row} />, by: ({ name }) => name.toLowerCase() },
    prices('Price', (row) => row.price_usd),
    changes('24 h', (row) => row.percent_change_24h),
    {
      name: 'Amount',
      kind: 'number',
      by: heldOf,
      of: (row) => (
        <input
          inputmode="decimal"
          aria-label={`Amount of ${row.name}`}
          defaultValue={heldOf(row) === null ? '' : String(heldOf(row))}
          onInput={({ currentTarget }) => set(new Map([...watchlist, [row.slug, amountIn(currentTarget.value)]]))}
        />
      ),
    },
    prices('Value', valueOf),
  ]
  const read = async (file: File | undefined) => {
    if (file !== undefined) set(new Map([...watchlist, ...holdingsIn(await file.text(), all)]))
  }
  return (
    <section class="portfolio" aria-label="Portfolio">
      <Total watchlist={watchlist} rows={rows} />
      <Table label="Holdings" columns={columns} rows={rows} />
      <p class="actions">
        <a class="button" download="portfolio.csv" href={`data:text/csv,${encodeURIComponent(holdingsCsv(watchlist))}`}>
          Export CSV
        </a>
        <label class="button">
          Import CSV
          <input
            class="hidden"
            type="file"
            accept=".csv,text/csv"
            onChange={({ currentTarget }) => void read(currentTarget.files?.[0])}
          />
        </label>
      </p>
    </section>
  )
}
