import * as z from 'zod'
import { DetailedRow } from '../contract/asset.ts'
import { Market } from '../contract/market.ts'
import { readJson } from '../contract/read-json.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { Slug } from '../contract/words.ts'
import type { TableDocuments } from './daily-table.ts'
import type { Cell, ColumnType, Table } from './parquet-file.ts'

const TIMES = new Set(['last_updated', 'ath_date', 'last_traded_at', 'collected_at', 'unchanged_since', 'matched_at'])

type Row = Readonly<Record<string, unknown>>

/** Returns a table of rows with the scalar members of a schema. Texts of a time become times. */
function tableOf(shape: Readonly<Record<string, z.ZodType>>, rows: readonly Row[]): Table {
  const columns = Object.entries(shape).flatMap(([name, schema]) => {
    const type = typeOf(name, schema)
    return type === null ? [] : [{ name, type, description: schema.description ?? '' }]
  })
  return { columns, groups: [columns.map(({ name, type }) => rows.map((row) => cellOf(type, row[name])))] }
}

/** Returns the type of a column; null for lists and objects, which a table has no cell for. */
function typeOf(name: string, schema: unknown): ColumnType | null {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return typeOf(name, schema.unwrap())
  if (schema instanceof z.ZodNumber) return 'number'
  if (schema instanceof z.ZodBoolean) return 'flag'
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum) return TIMES.has(name) ? 'time' : 'text'
  return null
}

function cellOf(type: ColumnType, value: unknown): Cell {
  if (typeof value === 'string') return type === 'time' ? new Date(value) : value
  return typeof value === 'number' || typeof value === 'boolean' ? value : null
}

const Rows = z.object({ rows: z.array(z.record(z.string(), z.unknown())) })

/** Returns every listing with its figures, by rank. */
export function assetTable({ read }: TableDocuments): Table {
  return tableOf(DetailedRow.shape, readJson(read(`${API_FOLDER}/markets.json`), Rows)?.rows ?? [])
}

const OF_ASSET = new RegExp(`^${API_FOLDER}/assets/([a-z0-9-]+)/markets\\.json$`)

/** Returns the market of every listing on every exchange, by slug. */
export function quoteTable({ files, read }: TableDocuments): Table {
  const rows = files.toSorted().flatMap((file) => {
    const slug = OF_ASSET.exec(file)?.[1]
    const own = slug === undefined ? [] : (readJson(read(file), Rows)?.rows ?? [])
    return own.map((row) => ({ slug, ...row }))
  })
  return tableOf({ slug: Slug, ...Market.shape }, rows)
}
