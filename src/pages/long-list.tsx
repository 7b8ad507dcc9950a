import type { VNode } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { SiteContext, useSite } from './site.tsx'
import { type Column, rowsOf } from './table.tsx'

/** Height of a row of a long list in the style sheet. */
const ROW_HEIGHT_PX = 56

/** Rows that are rendered in one task, which so stays short on a phone. The browser lays a block out when it comes near. */
const BLOCK = 25

/** Number of rows in the document. */
export const FIRST_ROWS = 100

/** Shows HTML in a body. The focus stays where it was. */
function fill(body: HTMLTableSectionElement, html: string): void {
  const focused = document.activeElement
  const stops = () => [...body.querySelectorAll<HTMLElement>('a, button')]
  const at = body.contains(focused) ? stops().findIndex((stop) => stop === focused) : -1
  body.innerHTML = html
  body.hidden = false
  if (at >= 0) stops()[at]?.focus({ preventScroll: true })
}

interface LongListProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** What was asked for: the rows of another question are hidden at once, those of another snapshot stay until their turn. */
  readonly question: string
  /** Renders components as HTML. It is loaded beside the rows: the document needs it no sooner. */
  readonly toHtml: (content: VNode) => string
}

/**
 * All rows of a long list, where the browser's search, print and screen readers find them. They are plain HTML, because
 * components of thousands of rows take seconds and most of the memory. Each block is rendered in a
 * task of its own, the first one at once.
 */
export function LongList<Row>({ columns, rows, question, toHtml }: LongListProps<Row>) {
  const site = useSite()
  const first = useRef<HTMLTableSectionElement>(null)
  const answered = useRef<string | null>(null)
  const htmlOf = (at: number): string => {
    const block = rows.slice(at * BLOCK, (at + 1) * BLOCK)
    return toHtml(<SiteContext.Provider value={site}>{rowsOf(columns, block)}</SiteContext.Provider>)
  }
  useLayoutEffect(() => {
    const table = first.current?.parentElement
    if (!(table instanceof HTMLTableElement)) return undefined
    // The page has its whole height before its rows: the place of a reader who comes back, or scrolls, stays.
    table.style.minHeight = `${rows.length * ROW_HEIGHT_PX}px`
    const isFirst = answered.current === null
    if (!isFirst && question !== answered.current) for (const body of table.tBodies) body.hidden = true
    answered.current = question
    const blocks = Math.max(table.tBodies.length, Math.ceil(rows.length / BLOCK))
    let timer: ReturnType<typeof setTimeout> | undefined
    const wait = (at: number) => {
      if (at < blocks) timer = setTimeout(turn, 0, at)
    }
    const turn = (at: number) => {
      fill(table.tBodies[at] ?? table.createTBody(), htmlOf(at))
      wait(at + 1)
    }
    if (isFirst) wait(FIRST_ROWS / BLOCK)
    else turn(0)
    return () => clearTimeout(timer)
  }, [rows, site])
  const bodies = useMemo(() => Array.from({ length: FIRST_ROWS / BLOCK }, (_, at) => htmlOf(at)), [])
  return bodies.map((html, at) => (
    <tbody key={at} ref={at === 0 ? first : null} dangerouslySetInnerHTML={{ __html: html }} />
  ))
}
