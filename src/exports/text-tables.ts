import type * as z from 'zod'
import { AssetRow, DetailedRow, MarketsRow } from '../core/contract/asset.ts'
import { csv } from '../core/contract/csv.ts'
import { declaredMembers } from '../core/contract/declared-members.ts'
import { API_FOLDER } from '../core/contract/prefix.ts'
import { printValue } from '../core/contract/text.ts'
import type { Attachments, PublicationData } from '../core/endpoints/endpoint.ts'

const assetsOf = ({ listed }: PublicationData) => listed.map(({ asset }) => asset)

const csvOf = (name: string, schema: z.ZodObject, note = '') => ({
  id: `${name}Csv`,
  path: `/${name}.csv`,
  contentType: 'text/csv',
  description: `The rows of /${name} as CSV${note}: RFC 4180, with a header. Lists in a cell are separated by spaces.`,
  textOf: (world: PublicationData) => csv(Object.keys(schema.shape), assetsOf(world)),
})

const lineOf = (schema: z.ZodObject) => {
  const declared = declaredMembers(schema)
  return (row: object) => `${printValue(declared({ ...row }))}\n`
}

const ndjsonOf = (name: string, schema: z.ZodObject, rowsOf: (world: PublicationData) => readonly object[]) => ({
  id: `${name}Ndjson`,
  path: `/${name}.ndjson`,
  contentType: 'application/x-ndjson',
  description: `The rows of /${name} as NDJSON. One JSON object per line, with the members of the JSON rows.`,
  textOf: (world: PublicationData) => rowsOf(world).map(lineOf(schema)).join(''),
})

/** The lists as CSV, whose cells have no room for a sparkline, and as NDJSON, for programs that read streams. */
export const TEXT_TABLES = [
  csvOf('assets', AssetRow),
  csvOf('markets', DetailedRow, ', without sparklines'),
  ndjsonOf('assets', AssetRow, assetsOf),
  ndjsonOf('markets', MarketsRow, ({ marketsRows }) => marketsRows),
]

export const textTables: Attachments = (world) =>
  TEXT_TABLES.map(({ path, textOf }) => ({ path: API_FOLDER + path, text: textOf(world) }))
