import { describe, expect, it } from 'vitest'
import type { Asset } from '../../src/core/contract/asset.ts'
import { type Sighted, verificationOf } from '../../src/core/feed/identify.ts'
import type { ContractSighting } from '../../src/core/sources/source.ts'
import { assetOf, contractOn, entryOf, registryOf, sightingOf } from './world.ts'

const one = contractOn('ethereum', `0x${'1'.repeat(40)}`)
const two = contractOn('ethereum', `0x${'2'.repeat(40)}`)
const elsewhere = contractOn('polygon-pos', `0x${'2'.repeat(40)}`)
const registry = registryOf(entryOf('acme', { verification_status: 'pending' }))
const [entry = null] = registry.assets

const seenBy = (id: string, ...contracts: readonly ContractSighting[]): Sighted => ({
  source: { id, label: id },
  sighting: sightingOf('acme'),
  contracts: registry.contractsSeen('coingecko', contracts),
})
const published = (given: Partial<Asset>) => ({ asset: assetOf('acme', given), markets: [] })
const status = (sighted: readonly Sighted[], given: Partial<Asset> = {}) =>
  verificationOf({ slug: 'acme', entry: null, before: published(given), sighted, withheld: [] })

describe('a listing', () => {
  const bothIds = { external_ids: { coingecko: 'acme', coinpaprika: 'acme' } }
  it.each([
    ['that one aggregator knows is unverified', status([seenBy('coingecko', one)]), 'unverified'],
    ['that two know is verified', status([seenBy('coingecko', one), seenBy('coinpaprika', one)]), 'verified'],
    [
      'with contracts on different chains is verified',
      status([seenBy('coingecko', one), seenBy('coinpaprika', elsewhere)]),
      'verified',
    ],
    [
      'whose contracts differ on one chain is flagged',
      status([seenBy('coingecko', one), seenBy('coinpaprika', two)]),
      'flagged',
    ],
    [
      'of which one names several contracts on a chain is not flagged',
      status([seenBy('coingecko', one, two), seenBy('coinpaprika', two)]),
      'verified',
    ],
    [
      'whose second and third source differ is flagged',
      status([seenBy('list'), seenBy('coingecko', one), seenBy('coinpaprika', two)]),
      'flagged',
    ],
    [
      'whose first and third source differ is flagged',
      status([seenBy('coingecko', one), seenBy('list'), seenBy('coinpaprika', two)]),
      'flagged',
    ],
    [
      'stays verified while one of two is silent',
      status([seenBy('coingecko')], { ...bothIds, verification_status: 'verified' }),
      'verified',
    ],
    [
      'stays flagged while one of two is silent',
      status([seenBy('coingecko')], { ...bothIds, verification_status: 'flagged' }),
      'flagged',
    ],
    [
      'is not flagged once the two agree',
      status([seenBy('coingecko', one), seenBy('coinpaprika', one)], { ...bothIds, verification_status: 'flagged' }),
      'verified',
    ],
  ])('%s', (_, given, expected) => {
    expect(given).toBe(expected)
  })

  it('is flagged for a source that takes it for another asset, where no other source names it', () => {
    const [other] = [seenBy('coinpaprika', one)]
    const withheld = [seenBy('coingecko', two)]
    const before = published({ ...bothIds, verification_status: 'verified' })
    const given = { slug: 'acme', entry: null, before, withheld }
    expect(verificationOf({ sighted: [], ...given })).toBe('flagged')
    expect(verificationOf({ sighted: [other], ...given })).toBe('verified')
  })

  it('is that of the registry, however the sources differ', () => {
    const sighted = [seenBy('coingecko', one), seenBy('coinpaprika', two)]
    expect(verificationOf({ slug: 'acme', entry, before: null, sighted, withheld: [] })).toBe('pending')
  })
})
