import { parseHTML } from 'linkedom'
import { renderToString } from 'preact-render-to-string'
import { expect, it } from 'vitest'
import { NO_BASIS } from '../../src/contract/asset.ts'
import { PriceExplained } from '../../src/pages/price-explained.tsx'
import { assetOf } from '../feed/world.ts'

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
  const { document } = parseHTML(`<main>${renderToString(<PriceExplained asset={asset} markets={[]} />)}</main>`)
  const text = document.querySelector('.basis')?.textContent
  expect(text).toContain('It uses 1 price of 1 source.')
  expect(text).toContain('The result is $2.00, with a confidence of 30.0\u202f%: only one source.')
  const rows = [...document.querySelectorAll('tbody tr')].map(({ textContent }) => textContent)
  expect(rows).toHaveLength(2)
  expect(rows[0]).toContain('coinlore')
  expect(rows[1]).toContain('not used: far from the other prices')
})
