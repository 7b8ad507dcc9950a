import { parseHTML } from 'linkedom'
import { renderToString } from 'preact-render-to-string'
import { expect, it } from 'vitest'
import { NO_BASIS } from '../../src/core/contract/asset.ts'
import { PriceExplained, inputsOf } from '../../src/pages/price-explained.tsx'
import { NO_FACTS, SiteContext, siteAround } from '../../src/pages/site.tsx'
import { assetOf, marketOf } from '../feed/world.ts'

it('a price is explained in sentences, and each source of it has one row', () => {
  const asset = assetOf('acme', {
    price_usd: 2,
    price_confidence: 0.3,
    price_basis: {
      ...NO_BASIS,
      method: 'aggregators',
      sources: [{ source_id: 'coinlore', pair: 'ACM/USD', price_usd: 2, weight: 1 }],
      excluded: [{ source_id: 'gecko', pair: 'ACM/USD', reason: 'disagrees', price_usd: 3 }],
      low_confidence_reason: 'single_witness',
    },
  })
  const site = siteAround({ ...NO_FACTS, sources: { coinlore: 'CoinLore' } }, './', '')
  const explained = (
    <SiteContext.Provider value={site}>
      <PriceExplained asset={asset} markets={[]} />
    </SiteContext.Provider>
  )
  const { document } = parseHTML(`<main>${renderToString(explained)}</main>`)
  const text = document.querySelector('.basis')?.textContent
  expect(text).toContain('It uses 1 price from 1 source.')
  expect(text).toContain('The result is $2.00, with a confidence of 30.0%: only one source.')
  const rows = [...document.querySelectorAll('tbody tr')].map(({ textContent }) => textContent)
  expect(rows).toHaveLength(2)
  expect(rows[0]).toContain('CoinLore')
  expect(rows[1]).toContain('not used: far from the other prices')
  // Nothing is known of a spread, a volume or a share.
  expect([...document.querySelectorAll('thead th')].map(({ textContent }) => textContent)).toEqual([
    'Source',
    'Pair',
    'Price',
    'Weight',
    'Quality',
  ])
})

it('each market has a row, also two pools of one pair, and what is said of it', () => {
  const excluded = [{ source_id: 'swap', pair: 'ACM/USD', reason: 'pool', price_usd: null }]
  const asset = assetOf('acme', { price_basis: { ...NO_BASIS, method: 'exchanges', excluded } })
  const pools = [1, 2].map((volume_24h_usd) => marketOf('swap', 2, { pair: 'ACM/USD', volume_24h_usd, weight: null }))
  expect(inputsOf(asset, pools).map(({ volume_24h_usd, reason }) => [volume_24h_usd, reason])).toEqual([
    [2, 'pool'],
    [1, 'pool'],
  ])
})
