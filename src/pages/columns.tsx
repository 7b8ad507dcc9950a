import type { ComponentChildren } from 'preact'
import { UNKNOWN, count, percent, share } from './format.ts'
import { Change, Money, Price } from './figures.tsx'
import { Badge } from './marks.tsx'
import type { Column } from './table.tsx'

/** Makes columns of one kind of figure, each sorted by that figure. `kind` is a class of the cells besides those of all. */
const figures =
  (of: (value: number | null) => ComponentChildren, all = 'number') =>
  <Row,>(name: string, by: (row: Row) => number | null, kind = ''): Column<Row> => ({
    name,
    by,
    kind: `${all} ${kind}`.trim(),
    of: (row) => of(by(row)),
  })

export const prices = figures((usd) => <Price usd={usd} />, 'number price')
export const amounts = figures((usd) => <Money usd={usd} />)
export const changes = figures((percent) => <Change percent={percent} />)
export const counts = figures((value) => (value === null ? UNKNOWN : count(value)))
export const percents = figures(percent)
export const shares = figures(share)

export const words = <Row,>(name: string, by: (row: Row) => string | null): Column<Row> => ({
  name,
  by,
  of: (row) => by(row) ?? UNKNOWN,
})
export const badges = <Row,>(name: string, by: (row: Row) => string): Column<Row> => ({
  name,
  by,
  of: (row) => <Badge state={by(row)} />,
})
