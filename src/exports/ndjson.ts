import type * as z from 'zod'
import { AssetRow, MarketsRow } from '../contract/asset.ts'
import { printValue } from '../contract/text.ts'
import { TEXT_TABLES } from '../contract/text-tables.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import type { Attachments } from '../endpoints/attachment.ts'
import { marketsRows } from '../endpoints/markets.ts'

const ndjson = (schema: z.ZodObject, rows: readonly unknown[]): string =>
  rows.map((row) => `${printValue(schema.parse(row))}\n`).join('')

/** Exports the lists as NDJSON, for programs that read streams. */
export const ndjsonFiles: Attachments = (world) => {
  const assets = world.listed.map(({ asset }) => asset)
  return [
    { path: API_FOLDER + TEXT_TABLES.assetsNdjson.path, text: ndjson(AssetRow, assets) },
    { path: API_FOLDER + TEXT_TABLES.marketsNdjson.path, text: ndjson(MarketsRow, marketsRows(world)) },
  ]
}
