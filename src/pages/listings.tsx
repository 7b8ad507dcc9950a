import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { UNKNOWN } from './format.ts'
import { Change, Money, Price } from './figures.tsx'
import { Disc, TokenLink, VerifiedMark } from './marks.tsx'
import type { Column, Order, TableRow } from './market-rows.ts'
import { useSite } from './site.tsx'
import { Spark } from './spark.tsx'
import type { Watchlist } from './watchlist.ts'

interface Heading {
  readonly column: Column | null
  readonly name: string
  readonly kind: string
}

/** `kind` selects the width of a column in the style sheet, and the screens that hide it. */
const HEADINGS: readonly Heading[] = [
  { column: 'market_cap_rank', name: '#', kind: 'rank' },
  { column: 'name', name: 'Name', kind: 'name' },
  { column: 'price_usd', name: 'Price', kind: 'price' },
  { column: 'percent_change_1h', name: '1 h', kind: 'hour' },
  { column: 'percent_change_24h', name: '24 h', kind: 'day' },
  { column: 'percent_change_7d', name: '7 d', kind: 'week' },
  { column: 'market_cap_usd', name: 'Market cap', kind: 'cap' },
  { column: 'volume_24h_usd', name: 'Volume 24 h', kind: 'volume' },
  { column: null, name: 'Last 7 days', kind: 'line' },
]

/** Returns the order after a click on a column. Numbers start with the largest, rank and name with the first. */
export function nextOrder(order: Order | null, clicked: Column): Order {
  if (clicked === order?.column) return { column: clicked, descending: !order.descending }
  return { column: clicked, descending: clicked !== 'name' && clicked !== 'market_cap_rank' }
}

interface Choosing {
  readonly order: Order | null
  readonly choose: (column: Column) => void
}

const Headings = ({ order, choose }: Choosing) => (
  <div role="row" aria-rowindex={1} class="row head">
    {HEADINGS.map(({ column, name, kind }) => {
      if (column === null)
        return (
          <div role="columnheader" class={`cell ${kind}`}>
            {name}
          </div>
        )
      const sort = column !== order?.column ? 'none' : order.descending ? 'descending' : 'ascending'
      return (
        <div role="columnheader" aria-sort={sort} class={`cell ${kind}`}>
          <button type="button" onClick={() => choose(column)}>
            {name}
            <span aria-hidden="true">{{ none: '', ascending: ' ▲', descending: ' ▼' }[sort]}</span>
          </button>
        </div>
      )
    })}
  </div>
)

interface Watching {
  readonly watchlist: Watchlist
  readonly toggle: (slug: string) => void
}

interface RowProps extends Omit<Watching, 'watchlist'> {
  readonly row: TableRow
  /** Place in the list, from 0. */
  readonly index: number
  readonly isWatched: boolean
}

const Row = ({ row, index, isWatched, toggle }: RowProps) => (
  <div role="row" class="row" aria-rowindex={index + 2} data-slug={row.slug}>
    <div role="cell" class="cell rank">
      {row.market_cap_rank ?? UNKNOWN}
    </div>
    <div role="cell" class="cell name">
      <button
        type="button"
        class="star"
        aria-pressed={isWatched}
        aria-label={`Watch ${row.name}`}
        onClick={() => toggle(row.slug)}
      >
        {isWatched ? '★' : '☆'}
      </button>
      <Disc slug={row.slug} symbol={row.symbol} />
      <span class="named">
        <span class="title">
          <TokenLink slug={row.slug}>{row.name}</TokenLink>
          <VerifiedMark state={row.verification_status} />
        </span>
        <span class="ticker">{row.symbol}</span>
      </span>
    </div>
    <div role="cell" class={row.carried?.['price_usd'] === undefined ? 'cell price' : 'cell price carried'}>
      <Price usd={row.price_usd} />
    </div>
    <div role="cell" class="cell hour">
      <Change percent={row.percent_change_1h} />
    </div>
    <div role="cell" class="cell day">
      <Change percent={row.percent_change_24h} />
    </div>
    <div role="cell" class="cell week">
      <Change percent={row.percent_change_7d} />
    </div>
    <div role="cell" class="cell cap">
      <Money usd={row.market_cap_usd} />
    </div>
    <div role="cell" class="cell volume">
      <Money usd={row.volume_24h_usd} />
    </div>
    <div role="cell" class="cell line">
      <Spark prices={row.sparkline_7d} percent={row.percent_change_7d} />
    </div>
  </div>
)

const ROW_HEIGHT_PX = 56

/** Rows that are rendered in one task, which so stays short on a phone. The browser lays a block out when it comes near. */
const BLOCK = 25

interface BlockProps extends Watching {
  readonly rows: readonly TableRow[]
  readonly at: number
  /** Whether this block's turn has come; until then it shows what it showed before. */
  readonly isDue: boolean
  readonly isHidden: boolean
}

/** Some rows of a list. Rows that did not change are not compared again. */
function Block({ rows, at, isDue, isHidden, watchlist, toggle }: BlockProps) {
  const site = useSite()
  const last = useRef<readonly TableRow[]>([])
  const shown = isDue ? rows.slice(at * BLOCK, (at + 1) * BLOCK) : last.current
  const watched = shown.map(({ slug }) => watchlist.has(slug)).join()
  const isSame = shown.length === last.current.length && shown.every((row, index) => row === last.current[index])
  if (!isSame) last.current = shown
  const same = useMemo(
    () =>
      shown.map((row, index) => (
        <Row row={row} index={at * BLOCK + index} isWatched={watchlist.has(row.slug)} toggle={toggle} />
      )),
    [last.current, watched, site],
  )
  return (
    <div role="presentation" class="block" hidden={isHidden}>
      {same}
    </div>
  )
}

interface ListingsProps extends Watching, Choosing {
  readonly rows: readonly TableRow[]
  /** What was asked for: the rows of another question are hidden at once, those of another snapshot stay until their turn. */
  readonly question: string
}

/** Number of rows rendered at once: those of the document. */
export const FIRST_ROWS = 100
const FIRST_BLOCKS = FIRST_ROWS / BLOCK

/** Returns the number of blocks whose turn has come, and the number of those in the document. */
function useTurns(rows: readonly TableRow[], question: string) {
  const wanted = Math.ceil(rows.length / BLOCK)
  const [turn, setTurn] = useState({ rows, due: FIRST_BLOCKS })
  const settled = useRef({ question, blocks: 0 })
  const due = turn.rows === rows ? turn.due : FIRST_BLOCKS
  const most = Math.max(wanted, settled.current.blocks)
  useEffect(() => {
    if (due >= most) {
      settled.current = { question, blocks: wanted }
      return undefined
    }
    settled.current.blocks = Math.max(due, settled.current.blocks)
    const timer = setTimeout(() => setTurn({ rows, due: due + 1 }))
    return () => clearTimeout(timer)
  })
  return {
    due,
    blocks: Math.min(Math.max(due, settled.current.blocks), most),
    isNew: settled.current.question !== question,
  }
}

/**
 * A list with all its rows in the document, where the browser's search, print and screen readers find them. The first ones
 * are rendered at once, the others block by block.
 */
export function Listings({ rows, question, order, choose, watchlist, toggle }: ListingsProps) {
  const { due, blocks, isNew } = useTurns(rows, question)
  const body = useRef<HTMLDivElement>(null)
  // The page has its whole height before its rows: the place of a reader who comes back, or scrolls, stays.
  useLayoutEffect(() => {
    if (body.current) body.current.style.minHeight = `${rows.length * ROW_HEIGHT_PX}px`
  }, [rows.length])
  return (
    <div role="table" aria-label="Listings" aria-rowcount={rows.length + 1} class="table">
      <div role="rowgroup" class="sticky">
        <Headings order={order} choose={choose} />
      </div>
      <div role="rowgroup" class="rows" ref={body}>
        {Array.from({ length: blocks }, (_, at) => (
          <Block
            key={at}
            rows={rows}
            at={at}
            isDue={at < due}
            isHidden={at >= due && isNew}
            watchlist={watchlist}
            toggle={toggle}
          />
        ))}
      </div>
    </div>
  )
}
