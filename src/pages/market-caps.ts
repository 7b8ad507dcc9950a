import type { TablesAnswer } from '../client/answers.ts'
import { DAY_MS, dayOf } from '../contract/time.ts'
import { type Series, daysSeries } from './series.ts'

type TableOfDays = Pick<TablesAnswer['rows'][number], 'path' | 'bytes' | 'metadataBytes' | 'slugs' | 'days'>

/** The table of the last 365 days, or the part of it that has a listing. */
const DAILY = /^tables\/daily(-\d)?\.parquet$/

/** Returns the table that has the last days of a listing; undefined: none has. */
export const tableOf = (slug: string, tables: readonly TableOfDays[]): TableOfDays | undefined =>
  tables.find(({ path, slugs }) => DAILY.test(path) && slugs !== null && slugs.from <= slug && slug <= slugs.to)

/**
 * Returns the market caps of an asset at the closes of the last days, by their number. Only the table of days has them, of
 * which this reads the metadata and the rows of the asset.
 */
export async function capsOf(
  slug: string,
  table: TableOfDays | undefined,
  root: string | URL,
): Promise<(days: number) => Series> {
  const rows = table ? await rowsOf(slug, table, root) : []
  const newest = Date.parse(table?.days?.to ?? '')
  return (days) => {
    const caps = rows.flatMap(({ day, market_cap_usd: cap }) =>
      day instanceof Date && day.getTime() > newest - days * DAY_MS
        ? [[dayOf(day.getTime()), typeof cap === 'number' ? cap : null] as const]
        : [],
    )
    const head = { name: slug, measure: 'cap', sourceLabel: 'At the close of each day' } as const
    return { ...daysSeries(head, caps), days }
  }
}

async function rowsOf(slug: string, { path, bytes, metadataBytes }: TableOfDays, root: string | URL) {
  const { asyncBufferFromUrl, parquetMetadataAsync, parquetQuery } = await import('hyparquet')
  const file = await asyncBufferFromUrl({ url: new URL(path, root).href, byteLength: bytes })
  const metadata = await parquetMetadataAsync(file, { initialFetchSize: metadataBytes })
  // The filter is found in the columns that are read.
  const columns = ['slug', 'day', 'market_cap_usd']
  return parquetQuery({ file, metadata, columns, filter: { slug: { $eq: slug } } })
}
