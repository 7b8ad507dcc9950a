import type { ComponentChildren } from 'preact'
import { UNKNOWN } from './format.ts'
import { Change, Count, Money, Percent, Price, Share } from './figures.tsx'
import { Badge } from './marks.tsx'
import type { Column } from './table.tsx'

/** Makes columns of one kind of figure, each sorted by that figure. `kind` is a class of the cells besides that of all. */
const figures =
  (of: (value: number | null) => ComponentChildren) =>
  <Row,>(name: string, by: (row: Row) => number | null, kind = ''): Column<Row> => ({
    name,
    by,
    kind: `number ${kind}`.trim(),
    of: (row) => of(by(row)),
  })

export const prices = figures((usd) => <Price usd={usd} />)
export const amounts = figures((usd) => <Money usd={usd} />)
export const changes = figures((percent) => <Change percent={percent} />)
export const counts = figures((value) => <Count of={value} />)
export const percents = figures((value) => <Percent of={value} />)
export const shares = figures((value) => <Share of={value} />)

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
