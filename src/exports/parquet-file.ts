import { ByteWriter, type ColumnSource, ParquetWriter } from 'hyparquet-writer'

const COLUMN_TYPES = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  date: { type: 'INT32', converted_type: 'DATE' },
  number: { type: 'DOUBLE' },
  count: { type: 'INT32' },
} as const

export type Cell = string | number | Date | null

export interface ParquetColumn {
  readonly name: string
  readonly type: keyof typeof COLUMN_TYPES
  readonly description: string
}

export type Groups = Iterable<readonly (readonly Cell[])[]>

/**
 * Returns a table as a Parquet file with Snappy. Only the first column has statistics: a reader finds groups by it, and the
 * metadata stays short.
 */
export function parquetOf(columns: readonly ParquetColumn[], groups: Groups): Uint8Array {
  const bytes = new ByteWriter()
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name, type }) => ({ name, ...COLUMN_TYPES[type], repetition_type: 'OPTIONAL' as const })),
    ],
    statisticsTruncateLength: 64,
    createdBy: 'quotetree',
  })
  for (const group of groups) {
    const columnData = columns.map(({ name }, at): ColumnSource => ({
      name,
      data: group.map((row) => row[at] ?? null),
      statistics: at === 0,
      offsetIndex: false,
    }))
    if (group.length > 0) void writer.write({ columnData, rowGroupSize: group.length })
  }
  void writer.finish()
  return new Uint8Array(bytes.getBuffer())
}
