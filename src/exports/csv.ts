import { AssetRow, DetailedRow } from '../contract/asset.ts'
import { csv } from '../contract/csv.ts'
import { TEXT_TABLES } from '../contract/text-tables.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import type { Attachments } from '../endpoints/attachment.ts'

/** Exports the lists as CSV, beside their JSON and in its order. A cell has no room for a sparkline. */
export const csvFiles: Attachments = ({ listed }) => {
  const assets = listed.map(({ asset }) => asset)
  return [
    { path: API_FOLDER + TEXT_TABLES.assetsCsv.path, text: csv(Object.keys(AssetRow.shape), assets) },
    { path: API_FOLDER + TEXT_TABLES.marketsCsv.path, text: csv(Object.keys(DetailedRow.shape), assets) },
  ]
}
