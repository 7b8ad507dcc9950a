import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type ColumnSource, ParquetWriter, fileWriter } from 'hyparquet-writer'
import { makeFolders } from '../tree/folders.ts'
import { syncFiles } from '../tree/sync-files.ts'

/** Types of columns: as Parquet has them. */
export const COLUMN_TYPES = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  date: { type: 'INT32', converted_type: 'DATE' },
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  number: { type: 'DOUBLE' },
  count: { type: 'INT32' },
  flag: { type: 'BOOLEAN' },
} as const
export type ColumnType = keyof typeof COLUMN_TYPES

/** A value of a table; null: unknown. */
export type Cell = string | number | boolean | Date | null

export interface Column {
  readonly name: string
  readonly type: ColumnType
  readonly description: string
}

/** A table: its columns, and its rows in groups. A group has the values of each column. */
export interface Table {
  readonly columns: readonly Column[]
  readonly groups: Iterable<readonly (readonly Cell[])[]>
}

/** A table as it was written. */
export interface WrittenTable {
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
  /** Length of the metadata at its end, so that a reader gets it with one request. */
  readonly metadataBytes: number
}

/** The end of a file: the length of its metadata, and `PAR1`. */
const TAIL_BYTES = 8

/**
 * Writes a table as Parquet with Snappy, group by group, so that only one is held. The file appears when it is complete.
 * Only the first column has statistics: a reader finds groups by it, and the metadata stays short.
 */
export async function writeParquet(root: string, file: string, { columns, groups }: Table): Promise<WrittenTable> {
  makeFolders(root, [file])
  const draft = `${file}.new`
  try {
    const writer = new ParquetWriter({
      writer: fileWriter(join(root, draft)),
      schema: [
        { name: 'root', num_children: columns.length },
        ...columns.map(({ name, type }) => ({ name, ...COLUMN_TYPES[type], repetition_type: 'OPTIONAL' as const })),
      ],
      statisticsTruncateLength: 64,
      createdBy: 'quotetree',
    })
    let rows = 0
    for (const group of groups) {
      const rowGroupSize = group[0]?.length ?? 0
      rows += rowGroupSize
      const columnData = columns.map(({ name }, at): ColumnSource => ({
        name,
        data: [...(group[at] ?? [])],
        statistics: at === 0,
        offsetIndex: false,
      }))
      // eslint-disable-next-line no-await-in-loop -- the groups of a file follow each other
      if (rowGroupSize > 0) await writer.write({ columnData, rowGroupSize })
    }
    await writer.finish()
    syncFiles(root, [draft])
    const written = describe(join(root, draft))
    renameSync(join(root, draft), join(root, file))
    return { rows, ...written }
  } catch (error) {
    rmSync(join(root, draft), { force: true })
    throw error
  }
}

/** Returns length, digest and length of the metadata of a Parquet file. */
function describe(path: string): Omit<WrittenTable, 'rows'> {
  const { size } = statSync(path)
  const hash = createHash('sha256')
  const chunk = Buffer.alloc(2 ** 20)
  const tail = Buffer.alloc(TAIL_BYTES)
  const file = openSync(path, 'r')
  try {
    for (let at = 0; at < size;) {
      const read = readSync(file, chunk, 0, chunk.length, at)
      hash.update(chunk.subarray(0, read))
      at += read
    }
    readSync(file, tail, 0, TAIL_BYTES, size - TAIL_BYTES)
  } finally {
    closeSync(file)
  }
  return { bytes: size, sha256: hash.digest('hex'), metadataBytes: tail.readUInt32LE(0) + TAIL_BYTES }
}
