import { useRef, useState } from 'preact/hooks'
import { Empty, Price } from './figures.tsx'
import { change, counted, tone } from './format.ts'
import { changes, prices } from './columns.tsx'
import { TokenName } from './marks.tsx'
import { Star, type TableRow } from './market-columns.tsx'
import { type Column, Table } from './table.tsx'
import {
  MOST_WATCHED,
  type Watchlist,
  amountIn,
  holdingsCsv,
  holdingsIn,
  limited,
  valueOf,
  worthOf,
  writtenOf,
} from './watchlist.ts'

type Imported = ReturnType<typeof holdingsIn>

interface PortfolioProps {
  readonly watchlist: Watchlist
  /** The watched listings that are shown. */
  readonly rows: readonly TableRow[]
  /** All listings, whose prices make the total, and of which an imported file names some. */
  readonly all: readonly TableRow[]
  /** Whether only those of the portfolio are read yet. */
  readonly isPart: boolean
  readonly change: (part: { readonly watchlist: Watchlist }) => void
  /** Follows the stars, which take a holding out. */
  readonly onClick: (event: Event) => void
}

function Total({ watchlist, all }: Pick<PortfolioProps, 'watchlist' | 'all'>) {
  const { value_usd, change_24h_usd: gained, percent_change_24h: moved, unpriced } = worthOf(watchlist, all)
  if (value_usd === null && unpriced === 0)
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

interface FilesProps extends Pick<PortfolioProps, 'watchlist' | 'all' | 'isPart'> {
  /** What the last file had; null: there was none. */
  readonly imported: Imported | null
  readonly take: (imported: Imported) => void
}

/** Writes the holdings to a file, and takes over those of another one. */
function Files({ watchlist, all, isPart, imported, take }: FilesProps) {
  const picker = useRef<HTMLInputElement>(null)
  const read = async (file: File | undefined) => {
    if (file !== undefined) take(holdingsIn(await file.text(), all))
  }
  return (
    <p class="actions">
      {watchlist.size > 0 && (
        <a class="button" download="portfolio.csv" href={`data:text/csv,${encodeURIComponent(holdingsCsv(watchlist))}`}>
          Export CSV
        </a>
      )}
      <button type="button" class="button" disabled={isPart} onClick={() => picker.current?.click()}>
        Import CSV
      </button>
      <input
        ref={picker}
        hidden
        type="file"
        accept=".csv,text/csv"
        onChange={({ currentTarget }) => void read(currentTarget.files?.[0])}
      />
      <span class="soft" role="status">
        {imported && `${counted(imported.holdings.size, 'holding')} imported. `}
        {imported && imported.unknown.length > 0 && `Not listed: ${imported.unknown.join(', ')}. `}
        {imported?.holdings.size === 0 && 'Each line needs a slug or a symbol, and an amount: bitcoin,0.5'}
        {imported && watchlist.size === MOST_WATCHED && `A portfolio has at most ${MOST_WATCHED}.`}
      </span>
    </p>
  )
}

/** What the reader holds of the watched listings, and what it is worth. Nothing of it leaves the browser. */
export function Portfolio({ watchlist, rows, all, isPart, change, onClick }: PortfolioProps) {
  const [imported, setImported] = useState<Imported | null>(null)
  const set = (entries: Iterable<readonly [string, number | null]>) =>
    change({ watchlist: limited([...watchlist, ...entries]) })
  const heldOf = ({ slug }: TableRow) => watchlist.get(slug) ?? null
  const columns: readonly Column<TableRow>[] = [
    {
      name: 'Name',
      by: ({ name }) => name.toLowerCase(),
      of: (row) => (
        <>
          <Star row={row} isWatched /> <TokenName {...row} />
        </>
      ),
    },
    prices('Price', (row) => row.price_usd),
    changes('24 h', (row) => row.percent_change_24h),
    {
      name: 'Amount',
      kind: 'number',
      by: (row) => heldOf(row) ?? 0,
      of: (row) => (
        <input
          inputmode="decimal"
          pattern="[\d\s.,']*"
          aria-label={`Amount of ${row.name}`}
          defaultValue={writtenOf(heldOf(row))}
          onInput={({ currentTarget }) => set([[row.slug, amountIn(currentTarget.value)]])}
        />
      ),
    },
    prices('Value', (row) => valueOf(watchlist, row)),
  ]
  const take = (imported: Imported) => {
    setImported(imported)
    set(imported.holdings)
  }
  return (
    <section class="portfolio" aria-label="Portfolio" onClick={onClick}>
      {watchlist.size === 0 ? (
        <Empty>Select the star of a listing that you hold, or import a list of your holdings.</Empty>
      ) : (
        <>
          <Total watchlist={watchlist} all={all} />
          {/* Imported amounts replace those that were entered. */}
          <Table key={imported} label="Holdings" columns={columns} rows={rows} />
        </>
      )}
      <Files watchlist={watchlist} all={all} isPart={isPart} imported={imported} take={take} />
    </section>
  )
}
