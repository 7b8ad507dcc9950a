import { CollectorMembers, SourceRow } from '../contract/collector.ts'
import { listOf } from '../contract/envelope.ts'
import { endpoint } from './endpoint.ts'

export const collector = endpoint({
  name: 'collector',
  group: 'Operations',
  path: '/collector',
  description:
    'Health of every source, coverage, freshness, runs by day, reference rates, and the method with all its numbers.',
  example: '/collector',
  parameters: {},
  members: { ...CollectorMembers, ...listOf(SourceRow) },
  stamped: true,
  body: ({ coverage, freshness, methodology, rates, runs, sources, listed, withHistory }) => ({
    coverage: { ...coverage, with_history: withHistory() },
    freshness,
    runs: [...runs],
    referenceRates: rates,
    methodology,
    count: sources.length,
    total: listed.length,
    rows: sources,
  }),
})
