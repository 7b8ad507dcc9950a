import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Column, rowsOf } from './table.tsx'

/** Height of a row of a long list in the style sheet. */
const ROW_HEIGHT_PX = 56

/** Rows that are rendered in one task, which so stays short on a phone. The browser lays a block out when it comes near. */
const BLOCK = 25

/** Number of rows of a long list that are rendered at once: those of the document. */
export const FIRST_ROWS = 100
const FIRST_BLOCKS = FIRST_ROWS / BLOCK

interface LongListProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** What was asked for: the rows of another question are hidden at once, those of another snapshot stay until their turn. */
  readonly question: string
  /** What the cells of a row show that is not in the row. */
  readonly beside: (row: Row) => unknown
}

/** Returns the number of blocks whose turn has come, and the number of those in the document. */
function useTurns(rows: readonly unknown[], question: string) {
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

/** A block of a list with what it was made of. */
interface Block<Row> {
  readonly given: readonly unknown[]
  readonly rows: readonly Row[]
  readonly beside: string
  readonly cells: ComponentChildren
  readonly body: VNode
}

/**
 * All rows of a long list, where the browser's search, print and screen readers find them. The first ones are rendered at
 * once, the others block by block. Blocks that did not change are not compared again.
 */
export function LongList<Row>({ columns, rows, question, beside }: LongListProps<Row>) {
  const { due, blocks, isNew } = useTurns(rows, question)
  const place = useRef<HTMLTableSectionElement>(null)
  const made = useRef<Block<Row>[]>([])
  // The page has its whole height before its rows: the place of a reader who comes back, or scrolls, stays.
  useLayoutEffect(() => {
    const table = place.current?.parentElement
    if (table) table.style.minHeight = `${rows.length * ROW_HEIGHT_PX}px`
  }, [rows.length])
  made.current = Array.from({ length: Math.max(1, blocks) }, (_, at) => {
    const [isDue, last] = [at < due, made.current[at]]
    const given = [columns, rows, isDue, isNew]
    if (last?.given.every((value, index) => value === given[index])) return last
    // Until its turn, a block shows what it showed before.
    const shown = isDue ? rows.slice(at * BLOCK, (at + 1) * BLOCK) : (last?.rows ?? [])
    const marks = shown.map(beside).join()
    const isSame = last?.beside === marks && shown.length === last.rows.length
    const cells = isSame && shown.every((row, index) => row === last.rows[index]) ? last.cells : rowsOf(columns, shown)
    const body = (
      <tbody key={at} ref={at === 0 ? place : null} hidden={!isDue && isNew}>
        {cells}
      </tbody>
    )
    return { given, rows: shown, beside: marks, cells, body }
  })
  return made.current.map(({ body }) => body)
}
