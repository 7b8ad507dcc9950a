import { expect, it } from 'vitest'
import type { Asset } from '../../src/core/contract/asset.ts'
import type { PegRow } from '../../src/core/contract/pegs.ts'
import { pegsAfter } from '../../src/core/feed/pegs.ts'
import { NOTHING_BEFORE } from '../../src/core/feed/listing.ts'
import { snapshotOf } from '../../src/core/feed/snapshot.ts'
import { AT, assetOf } from './world.ts'

const BASIS = assetOf('any').price_basis
const rates = [
  ['USD', 1],
  ['EUR', 1.2],
].map(([symbol, price_usd]) => ({
  symbol: String(symbol),
  price_usd: Number(price_usd),
  method: 'definition' as const,
  as_of: AT,
  quotes: 0,
  inputs: [],
  cross_check: null,
}))
const coin = (symbol: string, price_usd: number | null, given: Partial<Asset> = {}) =>
  assetOf(symbol.toLowerCase(), {
    symbol,
    price_usd,
    tags: ['Stablecoins'],
    price_basis: { ...BASIS, method: 'exchanges' },
    ...given,
  })
const after = (assets: readonly Asset[], before: readonly PegRow[] = []) =>
  pegsAfter(
    new Map(before.map((row) => [row.slug, row])),
    snapshotOf(NOTHING_BEFORE, {
      at: AT,
      listings: assets.map((asset) => ({ asset, markets: [] })),
      pairs: [],
      sources: [],
      rates,
    }),
  )
const shown = (rows: readonly PegRow[]) =>
  rows.map(({ symbol, currency, deviation_percent, beyond_since }) => [
    symbol,
    currency,
    deviation_percent,
    beyond_since,
  ])

it.each([
  ['the dollar by default', coin('DAI', 1.001), [['DAI', 'USD', 0.1, null]]],
  ['the currency whose code is in its symbol', coin('EURC', 1.2), [['EURC', 'EUR', 0, null]]],
  ['the currency of its tag', coin('AGE', 1.2, { tags: ['EUR Stablecoin'] }), [['AGE', 'EUR', 0, null]]],
  ['none where a new one is far from it', coin('BRZ', 0.18), []],
  ['none where its price grows by design', coin('SUSD', 1.1, { tags: ['Yield-Bearing Stablecoins'] }), []],
  ['none without the tag', coin('USDX', 1, { tags: ['meme'] }), []],
])('follows %s', (_, asset, expected) => {
  expect(shown(after([asset]))).toEqual(expected)
})

it('is beyond its currency from the first run that sees it so until it is clearly back', () => {
  const first = after([coin('DAI', 0.994)])
  expect(shown(first)).toEqual([['DAI', 'USD', -0.6, AT]])
  const since = first.map((row) => ({ ...row, beyond_since: '2026-11-19T00:00:00Z' }))
  expect(shown(after([coin('DAI', 0.9955)], since))).toEqual([['DAI', 'USD', -0.45, '2026-11-19T00:00:00Z']])
  expect(shown(after([coin('DAI', 0.4)], since))).toEqual([['DAI', 'USD', -60, '2026-11-19T00:00:00Z']])
  expect(shown(after([coin('DAI', 0.9965)], since))).toEqual([['DAI', 'USD', -0.35, null]])
})

it('says nothing of a price that is unknown or carried, and forgets nothing for it', () => {
  const since = after([coin('DAI', 0.994)])
  const carried = coin('DAI', 1, { price_basis: { ...BASIS, method: 'carried' } })
  expect(shown(after([carried], since))).toEqual([['DAI', 'USD', null, AT]])
  expect(shown(after([coin('DAI', null)], since))).toEqual([['DAI', 'USD', null, AT]])
  expect(after([carried])).toEqual([])
})
