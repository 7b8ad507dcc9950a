import { max } from 'd3-array'
import { METRICS_FILE, metricsText, oneMetric, secondsOf } from '../core/contract/metrics.ts'
import type { Attachments } from '../core/endpoints/endpoint.ts'

/**
 * Exports the figures of a tree in the Prometheus text format. Its only times are those of data, so that a run without
 * changes does not rewrite it; the server adds age and runs.
 */
export const metrics: Attachments = ({ listed, coverage, freshness, quarantine, sources }, { rows }) => {
  const changed = max(rows, ({ timestamp }) => timestamp) ?? null
  const ofSource = (name: string, help: string, valueOf: (row: (typeof sources)[number]) => number | null) => ({
    name: `source_${name}`,
    help,
    samples: sources.map((row) => ({ labels: { source: row.source_id }, value: valueOf(row) })),
  })
  const text = metricsText([
    oneMetric('data_changed_timestamp_seconds', 'When a published figure last changed.', secondsOf(changed)),
    oneMetric('listings', 'Listings in the feed.', listed.length),
    oneMetric('listings_priced', 'Listings with a price.', coverage.priced),
    oneMetric(
      'listings_carried',
      'Listings whose price is carried forward from an earlier run.',
      freshness.carriedForward,
    ),
    oneMetric('figures_held', 'Figures that are held back.', quarantine.length),
    ofSource('up', 'Whether the source gave a usable answer in the last published run.', ({ status }) =>
      Number(status === 'ok' || status === 'degraded'),
    ),
    ofSource(
      'failing_since_timestamp_seconds',
      'Time of the first of the consecutive failures of the source; absent while it answers.',
      ({ failing_since }) => secondsOf(failing_since),
    ),
    // What a reference covers depends on what it was asked for.
    ofSource('listings', 'Listings that the source covers.', ({ source_type, asset_count }) =>
      source_type === 'reference' ? null : asset_count,
    ),
    ofSource('markets', 'Markets of the source in the feed.', ({ market_count }) => market_count),
  ])
  return [{ path: METRICS_FILE, text }]
}
