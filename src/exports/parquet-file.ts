import { closeSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type ColumnSource, ParquetWriter, fileWriter } from 'hyparquet-writer'
import { hashing } from '../contract/digest.ts'
import { makeFolders, syncFiles } from '../tree/folders.ts'

/** Types of columns: as Parquet has them. */
const COLUMN_TYPES = {
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

/** A table: its columns, and its rows in groups. A row has a cell for each column. */
export interface Table {
  readonly columns: readonly Column[]
  readonly groups: Iterable<readonly (readonly Cell[])[]>
}

type WrittenFile = Awaited<ReturnType<ReturnType<typeof openFile>['finish']>>

/** Where a table is written. */
interface TablePlace {
  readonly root: string
  /** Returns the file of a part, the first one being 1, relative to the root. */
  readonly fileOf: (part: number) => string
  /** Bytes after which a table goes on in another file; {@link MOST_BYTES} by default. */
  readonly mostBytes?: number | undefined
}

/** Cloudflare refuses files of more than 25 MiB. A group and the metadata come after these bytes. */
const MOST_BYTES = 24 * 2 ** 20

/** The end of a file: the length of its metadata, and `PAR1`. */
const TAIL_BYTES = 8

/**
 * Writes a table as Parquet with Snappy, group by group, so that only one is held, in as many files as its size needs. A file
 * appears when it is complete. Only the first column has statistics: a reader finds groups by it, and the metadata stays short.
 */
export async function writeParquet(
  { root, fileOf, mostBytes = MOST_BYTES }: TablePlace,
  { columns, groups }: Table,
): Promise<readonly WrittenFile[]> {
  const files: WrittenFile[] = []
  const rest = groups[Symbol.iterator]()
  let next = rest.next()
  do {
    const path = fileOf(files.length + 1)
    const file = openFile(root, path, columns)
    try {
      do {
        // eslint-disable-next-line no-await-in-loop -- the groups of a file follow each other
        if (next.done !== true) await file.add(next.value)
        next = rest.next()
      } while (next.done !== true && file.bytes() < mostBytes)
      // eslint-disable-next-line no-await-in-loop -- so do the files
      files.push(await file.finish())
    } catch (error) {
      file.discard()
      throw error
    }
  } while (next.done !== true)
  return files
}

/** Begins a file, which appears at its path when it is finished. */
function openFile(root: string, path: string, columns: readonly Column[]) {
  makeFolders(root, [path])
  const draft = `${path}.new`
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
  let [first, last]: Cell[] = [null, null]
  return {
    bytes: () => writer.writer.offset,
    async add(group: readonly (readonly Cell[])[]): Promise<void> {
      const rowGroupSize = group.length
      if (rowGroupSize === 0) return
      if (rows === 0) first = group[0]?.[0] ?? null
      last = group.at(-1)?.[0] ?? null
      rows += rowGroupSize
      const columnData = columns.map(({ name }, at): ColumnSource => ({
        name,
        data: group.map((row) => row[at] ?? null),
        statistics: at === 0,
        offsetIndex: false,
      }))
      await writer.write({ columnData, rowGroupSize })
    },
    /** Returns its path, its size, and the first and last value of the first column. */
    async finish() {
      await writer.finish()
      syncFiles(root, [draft])
      const written = describe(join(root, draft))
      renameSync(join(root, draft), join(root, path))
      return { path, rows, ...written, first: first ?? null, last: last ?? null }
    },
    discard: () => rmSync(join(root, draft), { force: true }),
  }
}

/** Returns length, digest and length of the metadata of a Parquet file, which a reader gets with one request. */
function describe(path: string) {
  const { size } = statSync(path)
  const hash = hashing()
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
