import { expect, it } from 'vitest'
import { seriesCsv } from '../../src/pages/series-csv.ts'

it('prints a series as CSV, with an empty cell for an unknown volume', () => {
  const rows = [
    { timestamp: '2026-11-20T11:00:00Z', price_usd: 97_000.5, volume_24h_usd: 4e10 },
    { timestamp: '2026-11-20T12:00:00Z', price_usd: 97_100, volume_24h_usd: null },
  ]
  expect(seriesCsv({ rows })).toBe(
    'timestamp,price_usd,volume_24h_usd\r\n2026-11-20T11:00:00Z,97000.5,40000000000\r\n2026-11-20T12:00:00Z,97100,\r\n',
  )
})
