import { group } from 'd3-array'
import type { SourceRow } from '../contract/collector.ts'
import type { Listing } from '../feed/listing.ts'
import type { Comparison } from './deviation.ts'
import { API_FOLDER } from '../contract/prefix.ts'

/** Compares the counts of each exchange in the collector with its market rows and with each other. */
export function compareSources(
  sources: readonly SourceRow[],
  listings: readonly Listing[],
  comparison: Comparison,
): void {
  const rows = listings.flatMap(({ asset: { slug }, markets }) => markets.map((market) => ({ slug, market })))
  const byVenue = group(rows, ({ market }) => market.exchange_id)
  for (const [index, source] of sources.entries()) {
    if (source.source_type !== 'exchange') continue
    const own = byVenue.get(source.source_id) ?? []
    const same = (member: string, published: unknown, recomputed: unknown, rule: string) =>
      comparison.same(
        { document: `${API_FOLDER}/collector.json`, member: `rows[${index}].${member}` },
        { published, recomputed, rule: `${source.source_id}: ${rule}` },
      )
    same('market_count', source.market_count, own.length, 'its market rows')
    same(
      'asset_count',
      source.asset_count,
      new Set(own.map(({ slug }) => slug)).size,
      'assets with a market at the venue',
    )
    const outliers = own.filter(({ market }) => market.is_outlier).length
    same('outlier_count', source.outlier_count, outliers, 'its market rows that are outliers')
    if (source.error !== null) continue
    same('used_count', source.used_count, own.length, 'its market rows')
    const { used_count, unmatched_count, dead_count, quarantined_count } = source
    const sum = used_count + unmatched_count + dead_count + quarantined_count
    same('row_count', source.row_count, sum, 'used, unmatched, dead and quarantined rows')
  }
}
