import { asyncBufferFromUrl, parquetMetadataAsync, parquetQuery } from 'hyparquet'
import type { TableRow } from '../../src/contract/tables.ts'

/** Reads rows of a table on a host, as a page does: the metadata first, then the groups that match. */
export async function rowsOn(
  url: string,
  { bytes, metadataBytes }: Pick<TableRow, 'bytes' | 'metadataBytes'>,
  query: { readonly slug: string; readonly columns: readonly string[] },
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<readonly Record<string, unknown>[]> {
  const file = await asyncBufferFromUrl({ url, byteLength: bytes, fetch })
  const metadata = await parquetMetadataAsync(file, { initialFetchSize: metadataBytes })
  return parquetQuery({ file, metadata, columns: [...query.columns], filter: { slug: { $eq: query.slug } } })
}
