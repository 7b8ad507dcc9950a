import { UNKNOWN, count, percent, share } from './format.ts'
import { Change, Money, Price } from './figures.tsx'
import { Badge } from './marks.tsx'
import type { Column } from './table.tsx'

type Numbered<Row> = (row: Row) => number | null
type Worded<Row> = (row: Row) => string | null

/** Columns of one kind of figure, each sorted by that figure. */
export const prices = <Row,>(name: string, by: Numbered<Row>): Column<Row> => ({
  name,
  by,
  number: true,
  of: (row) => <Price usd={by(row)} />,
})
export const amounts = <Row,>(name: string, by: Numbered<Row>): Column<Row> => ({
  name,
  by,
  number: true,
  of: (row) => <Money usd={by(row)} />,
})
export const changes = <Row,>(name: string, by: Numbered<Row>): Column<Row> => ({
  name,
  by,
  number: true,
  of: (row) => <Change percent={by(row)} />,
})
const texts =
  (text: (value: number) => string) =>
  <Row,>(name: string, by: Numbered<Row>): Column<Row> => {
    const of = (row: Row) => {
      const value = by(row)
      return value === null ? UNKNOWN : text(value)
    }
    return { name, by, number: true, of }
  }
export const counts = texts(count)
export const percents = texts(percent)
export const shares = texts(share)
export const words = <Row,>(name: string, by: Worded<Row>): Column<Row> => ({
  name,
  by,
  of: (row) => by(row) ?? UNKNOWN,
})
export const badges = <Row,>(name: string, by: (row: Row) => string): Column<Row> => ({
  name,
  by,
  of: (row) => <Badge state={by(row)} />,
})
