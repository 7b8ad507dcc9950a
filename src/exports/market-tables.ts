import * as z from 'zod'
import { Asset, DetailedRow } from '../contract/asset.ts'
import { dailyFile } from '../contract/daily.ts'
import { Market } from '../contract/market.ts'
import { readJson } from '../contract/read-json.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { textIn } from '../contract/text.ts'
import { dayIn } from '../contract/time.ts'
import { Slug } from '../contract/words.ts'
import type { TableDocuments } from './daily-table.ts'
import type { Cell, Column, ColumnType, Table } from './parquet-file.ts'

const TIMES = new Set(['last_updated', 'ath_date', 'last_traded_at', 'collected_at', 'unchanged_since', 'matched_at'])

type Row = Readonly<Record<string, unknown>>

/** Returns a table of rows with the scalar members of a schema. Texts of a time become times. */
function tableOf(shape: Readonly<Record<string, z.ZodType>>, rows: readonly Row[]): Table {
  const columns = Object.entries(shape).flatMap(([name, schema]) => {
    const type = typeOf(name, schema)
    return type === null ? [] : [{ name, type, description: schema.description ?? '' }]
  })
  return { columns, groups: [rows.map((row) => columns.map(({ name, type }) => cellOf(type, row[name])))] }
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

const LISTING_COLUMNS = [
  { name: 'slug', type: 'text', description: 'Listing, or a former slug of one.' },
  { name: 'symbol', type: 'text', description: 'Its symbol.' },
  { name: 'name', type: 'text', description: 'Its name.' },
  { name: 'first_day', type: 'date', description: 'Its first day in /daily, or else in this API; null: that is lost.' },
  {
    name: 'last_day',
    type: 'date',
    description: 'The last day on which a source listed it; null: it is still listed.',
  },
  { name: 'successor', type: 'text', description: 'The slug that replaces it; null: none does.' },
] as const satisfies readonly Column[]

const PROFILE = new RegExp(`^${API_FOLDER}/assets/[a-z0-9-]+\\.json$`)
const Profile = z.object({
  asset: Asset.pick({
    slug: true,
    symbol: true,
    name: true,
    first_listed: true,
    last_seen: true,
    listing_status: true,
    replaced_by: true,
  }),
})

/** Returns every listing that there ever was, delisted and renamed ones too, with its first and last day, by slug. */
export function listingTable({ files, read }: TableDocuments): Table {
  const dateOf = (day: string | null) => (day === null ? null : new Date(day))
  const rows = files.toSorted().flatMap((file): Cell[][] => {
    const { asset } = (PROFILE.test(file) ? readJson(read(file), Profile) : null) ?? {}
    if (!asset) return []
    const { slug, symbol, name, first_listed, last_seen, listing_status, replaced_by } = asset
    const days = [textIn(read(dailyFile(slug)) ?? '', 'from'), first_listed && dayIn(first_listed)]
    const first = days.filter((day) => day !== null).toSorted()[0] ?? null
    const last = listing_status === 'delisted' && last_seen !== null ? dayIn(last_seen) : null
    return [[slug, symbol, name, dateOf(first), dateOf(last), replaced_by]]
  })
  return { columns: LISTING_COLUMNS, groups: [rows] }
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
