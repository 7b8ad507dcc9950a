import { expect, it } from 'vitest'
import { totalsOf } from '../../src/core/feed/totals.ts'
import { assetOf } from './world.ts'

it('sums caps and volumes to the same cent in any order', () => {
  const assets = [1_257_587_380_000.03, 0.1, 169_341_024_000.31, 0.2, 7_000_000_000_000.07].map((amount, n) =>
    assetOf(`asset-${n}`, { market_cap_usd: amount, volume_24h_usd: amount }),
  )
  const total = { market_cap_usd: 8_426_928_404_000.71, volume_24h_usd: 8_426_928_404_000.71 }
  expect(totalsOf(assets)).toEqual(total)
  expect(totalsOf(assets.toReversed())).toEqual(total)
  expect(totalsOf(assets.toSorted((a, b) => (a.market_cap_usd ?? 0) - (b.market_cap_usd ?? 0)))).toEqual(total)
})
