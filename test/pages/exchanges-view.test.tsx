import { renderToString } from 'preact-render-to-string'
import { expect, it } from 'vitest'
import type { ExchangeRow } from '../../src/client/answers.ts'
import { Exchange } from '../../src/pages/lists-view.tsx'

const WITHOUT_MARKETS = {
  exchange_id: 'acme',
  exchange_name: 'Acme',
  exchange_type: 'cex',
  market_count: 0,
  asset_count: 0,
  volume_24h_usd: null,
  used_volume_percent: null,
  outlier_percent: null,
  needed_count: 0,
  source_ids: [],
  rights: { class: 'unknown', attribution: null, terms_url: null, read_on: null },
} as const satisfies Omit<ExchangeRow, 'status'>

it.each([
  ['ok', 'None of its markets has a listing.'],
  ['down', 'the exchange gave no answer.'],
] as const)('an exchange that is %s says why it has no markets', (status, text) =>
  expect(renderToString(<Exchange exchange={{ ...WITHOUT_MARKETS, status }} rows={[]} />)).toContain(text),
)
