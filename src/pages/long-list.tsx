import type { VNode } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { SiteContext, useSite } from './site.tsx'
import { Headings, type HeadingsProps, rowsOf } from './table.tsx'

/** Height of a row of a long list in the style sheet. */
const ROW_HEIGHT_PX = 56

/** Rows that are rendered in one task, which so stays short on a phone. The browser lays a block out when it comes near. */
const BLOCK = 25

/** Shows HTML in a body. The focus stays where it was. */
function fill(body: HTMLTableSectionElement, html: string): void {
  const focused = document.activeElement
  const stops = () => [...body.querySelectorAll<HTMLElement>('a, button')]
  const at = body.contains(focused) ? stops().findIndex((stop) => stop === focused) : -1
  body.innerHTML = html
  body.hidden = false
  if (at >= 0) stops()[at]?.focus({ preventScroll: true })
}

interface LongListProps<Row> extends HeadingsProps<Row> {
  readonly label: string
  readonly rows: readonly Row[]
  /** What was asked for: the rows of another question are hidden at once, those of another snapshot stay until their turn. */
  readonly question: string
  /** Renders components as HTML. It is loaded beside the rows: absent in a document. */
  readonly toHtml?: ((content: VNode) => string) | undefined
  /** Follows the buttons of the rows, which are plain HTML. */
  readonly onClick: (event: Event) => void
}

/**
 * All rows of a long list, where the browser's search, print and screen readers find them. They are plain HTML, because
 * components of thousands of rows take seconds and most of the memory. Each block is rendered in a task of its own; that of
 * a new question at once. The rows of the document stay until then.
 */
export function LongList<Row>({ label, columns, rows, question, toHtml, onClick, ...sorting }: LongListProps<Row>) {
  const site = useSite()
  const place = useRef<HTMLTableElement>(null)
  // Before Preact takes them out, which does not know them.
  const before = useMemo(() => {
    const table = toHtml && document.querySelector<HTMLTableElement>('.listings table')
    return { bodies: [...(table?.tBodies ?? [])], question: table?.dataset['question'] }
  }, [])
  const blockOf = (at: number) => rowsOf(columns, rows.slice(at * BLOCK, (at + 1) * BLOCK))
  useLayoutEffect(() => {
    const { current: table } = place
    if (table === null || toHtml === undefined) return undefined
    table.append(...before.bodies.splice(0))
    // The page has its whole height before its rows: the place of a reader who comes back, or scrolls, stays.
    table.style.minHeight = `${rows.length * ROW_HEIGHT_PX}px`
    const blocks = Math.max(table.tBodies.length, Math.ceil(rows.length / BLOCK))
    let timer: ReturnType<typeof setTimeout> | undefined
    const turn = (at: number) => {
      const html = toHtml(<SiteContext.Provider value={site}>{blockOf(at)}</SiteContext.Provider>)
      fill(table.tBodies[at] ?? table.createTBody(), html)
      wait(at + 1)
    }
    const wait = (at: number) => {
      if (at < blocks) timer = setTimeout(turn, 0, at)
    }
    if (question === before.question) wait(0)
    else {
      for (const body of table.tBodies) body.hidden = true
      before.question = question
      turn(0)
    }
    return () => clearTimeout(timer)
  }, [rows, site])
  return (
    <div class="listings" role="region" aria-label={label} onClick={onClick}>
      <table ref={place} aria-label={label} data-question={question}>
        <Headings columns={columns} {...sorting} />
        {toHtml === undefined &&
          Array.from({ length: Math.ceil(rows.length / BLOCK) }, (_, at) => <tbody>{blockOf(at)}</tbody>)}
      </table>
    </div>
  )
}
