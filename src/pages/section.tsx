import { Table, type TableProps } from './table.tsx'

interface SectionProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  readonly id?: string
  /** Null: they could not be loaded. */
  readonly rows: readonly Row[] | null
}

/** A table below a heading of its own. */
export const Section = <Row,>({ id, rows, ...table }: SectionProps<Row>) =>
  rows === null ? null : (
    <>
      <h2 id={id}>{table.label}</h2>
      <Table {...table} rows={rows} />
    </>
  )
