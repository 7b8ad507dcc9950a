/** A row element, reused for other rows while the list scrolls. */
export interface RowView<Row> {
  readonly element: HTMLElement
  /** Fills the element with another row. */
  readonly fill: (row: Row, index: number) => void
}

interface Options<Row> {
  /** Container of the rows, as high as the whole list. */
  readonly host: HTMLElement
  readonly rowHeightPx: number
  readonly make: () => RowView<Row>
}

/** Number of rows rendered beyond the edges of the screen. */
const SPARE = 12
const REST_MS = 140

/**
 * Virtualizes a list: only as many elements as fit the screen. When scrolling stops they are in the order of the list, so
 * that the Tab key and screen readers follow it.
 *
 * @returns a function that shows another list, or the same list again
 */
export function rowsInSight<Row>({ host, rowHeightPx, make }: Options<Row>): (rows: readonly Row[]) => void {
  let rows: readonly Row[] = []
  let views: RowView<Row>[] = []
  let first = 0
  let due = false
  let rest: ReturnType<typeof setTimeout> | undefined

  const place = (view: RowView<Row>, index: number): void => {
    const row = rows[index]
    view.element.hidden = row === undefined
    if (row === undefined) return
    view.element.style.transform = `translateY(${index * rowHeightPx}px)`
    view.fill(row, index)
  }
  const firstInSight = (): number => {
    const above = Math.floor(-host.getBoundingClientRect().top / rowHeightPx) - SPARE
    return Math.max(0, Math.min(above, rows.length - views.length))
  }
  /** Puts elements into the order of the list. Their order is a rotation of it, so the shorter part is moved. */
  const order = (): void => {
    const elements = [...host.children]
    const begin = elements.findIndex((element) => element === views[0]?.element)
    if (begin * 2 <= elements.length) host.append(...elements.slice(0, Math.max(0, begin)))
    else host.prepend(...elements.slice(begin))
  }
  /** Reuses rows that left one side on the other side. Their elements are moved later: moving them makes frames longer. */
  const follow = (): void => {
    due = false
    const next = firstInSight()
    const moved = next - first
    first = next
    if (Math.abs(moved) >= views.length) views.forEach((view, at) => place(view, first + at))
    else if (moved > 0) {
      const gone = views.splice(0, moved)
      views.push(...gone)
      gone.forEach((view, at) => place(view, first + views.length - moved + at))
    } else if (moved < 0) {
      const gone = views.splice(moved, -moved)
      views.unshift(...gone)
      gone.forEach((view, at) => place(view, first + at))
    }
    clearTimeout(rest)
    rest = setTimeout(order, REST_MS)
  }
  const grow = (): void => {
    const wanted = Math.min(rows.length, Math.ceil(innerHeight / rowHeightPx) + 2 * SPARE)
    while (views.length < wanted) {
      const view = make()
      views.push(view)
      host.append(view.element)
    }
    for (const { element } of views.splice(wanted)) element.remove()
  }
  const all = (): void => {
    host.style.height = `${rows.length * rowHeightPx}px`
    order()
    grow()
    first = firstInSight()
    views.forEach((view, at) => place(view, first + at))
    follow()
  }

  const later = (): void => {
    if (!due) requestAnimationFrame(follow)
    due = true
  }
  addEventListener('scroll', later, { passive: true })
  addEventListener('resize', all)
  return (next) => {
    rows = next
    all()
  }
}
