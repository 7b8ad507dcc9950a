/** A row element, reused for other rows while the list scrolls. */
export interface RowView<Row> {
  readonly element: HTMLElement
  /** Fills the element with another row; without what takes long while the row only passes. */
  readonly fill: (row: Row, index: number, isPassing: boolean) => void
}

interface Options<Row> {
  /** Container of the rows, as high as the whole list. */
  readonly host: HTMLElement
  readonly rowHeightPx: number
  readonly make: () => RowView<Row>
}

/** Number of rows rendered beyond the edges of the screen. */
const SPARE = 12
/** Number of them while the list moves by more than {@link SPARE} rows a frame: the others would never be seen. */
const NEAR = 1
/** Number of them rendered in one task, which so stays short on a phone. */
const AT_ONCE = 4
const REST_MS = 140

/**
 * Virtualizes a list: only as many elements as fit the screen. When scrolling stops they are in the order of the list, so
 * that the Tab key and screen readers follow it.
 *
 * @returns a function that shows another list, or the same list again
 */
export function rowsInSight<Row>({ host, rowHeightPx, make }: Options<Row>): (rows: readonly Row[]) => void {
  let rows: readonly Row[] = []
  /** Elements by the index of their row. */
  const shown = new Map<number, RowView<Row>>()
  /** Indexes whose element shows a row of the list before, or a row in part. */
  const stale = new Set<number>()
  let sight = { from: 0, to: 0 }
  let due = false
  let rest: ReturnType<typeof setTimeout> | undefined

  const look = (): void => {
    const height = Math.ceil(innerHeight / rowHeightPx) + 1
    const above = Math.floor(-host.getBoundingClientRect().top / rowHeightPx)
    const from = Math.max(0, Math.min(above, rows.length - height))
    sight = { from, to: Math.min(rows.length, from + height) }
  }
  const isNear = (index: number, spare: number): boolean => index >= sight.from - spare && index < sight.to + spare
  const view = (index: number, unused: number[]): RowView<Row> => {
    const own = shown.get(index)
    if (own) return own
    const other = unused.pop()
    const found = (other === undefined ? undefined : shown.get(other)) ?? make()
    if (other === undefined) host.append(found.element)
    else {
      shown.delete(other)
      stale.delete(other)
    }
    shown.set(index, found)
    found.element.style.transform = `translateY(${index * rowHeightPx}px)`
    return found
  }
  const isFocused = (index: number): boolean => shown.get(index)?.element.contains(document.activeElement) === true
  /** Rows that are neither visible nor focused. */
  const far = (): number[] => [...shown.keys()].filter((index) => !isNear(index, SPARE) && !isFocused(index))
  const remove = (index: number): void => {
    shown.get(index)?.element.remove()
    shown.delete(index)
    stale.delete(index)
  }
  /** Renders the rows in sight and some beyond. Returns whether there was more to render than allowed. */
  const render = (spare: number, { most = Infinity, isPassing = false } = {}): boolean => {
    const unused = far()
    let left = most
    for (let index = Math.max(0, sight.from - spare); index < Math.min(rows.length, sight.to + spare); index++) {
      if (shown.has(index) && !stale.has(index)) continue
      if (left-- === 0) return true
      const row = rows[index]
      if (row !== undefined) view(index, unused).fill(row, index, isPassing)
      if (isPassing) stale.add(index)
      else stale.delete(index)
    }
    return false
  }
  /** Puts the elements into the order of the list, around the focused one: moving it would lose the focus. */
  const order = (): void => {
    const indexes = [...shown.keys()].toSorted((a, b) => a - b)
    const elements = indexes.flatMap((index) => shown.get(index)?.element ?? [])
    const focused = indexes.findIndex(isFocused)
    const anchor = focused === -1 ? elements.length >> 1 : focused
    for (const [at, element] of elements.entries())
      if (at > anchor && element.previousSibling !== elements[at - 1]) elements[at - 1]?.after(element)
    for (const [at, element] of [...elements.entries()].toReversed())
      if (at < anchor && element.nextSibling !== elements[at + 1]) elements[at + 1]?.before(element)
  }
  const settle = (): void => {
    if (render(SPARE, { most: AT_ONCE })) {
      rest = setTimeout(settle)
      return
    }
    far().forEach(remove)
    order()
  }
  const settleLater = (): void => {
    clearTimeout(rest)
    rest = setTimeout(settle, REST_MS)
  }
  const follow = (): void => {
    due = false
    const { from } = sight
    look()
    const isPassing = Math.abs(sight.from - from) > SPARE
    render(isPassing ? NEAR : SPARE, { isPassing })
    settleLater()
  }
  const all = (): void => {
    host.style.height = `${rows.length * rowHeightPx}px`
    look()
    for (const index of shown.keys())
      if (isNear(index, SPARE) && index < rows.length) stale.add(index)
      else remove(index)
    render(NEAR)
    settleLater()
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
