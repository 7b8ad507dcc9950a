import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../src/core/feed/methodology.ts'
import { judgeContracts } from '../../src/core/feed/contract-claims.ts'
import { contractKey } from '../../src/core/feed/contracts.ts'
import { EXCHANGES, NOTHING_BEFORE } from '../../src/core/feed/listing.ts'
import type { Feed } from '../../src/core/feed/feed.ts'
import { identify } from '../../src/core/feed/identify.ts'
import type { Report } from '../../src/core/sources/collect.ts'
import type { ContractSighting } from '../../src/core/sources/source.ts'
import {
  before as listingsBefore,
  assetOf,
  HOUR,
  NOW,
  contractOn,
  entryOf,
  feedFrom,
  listOf,
  publishedBy,
  registryOf,
  sightingOf,
} from './world.ts'

const IDS = ['a', 'b', 'c', 'd', 'e', 'f']
const addressOf = (index: number) => `0x${String(index + 1).padStart(40, '0')}`
const on = (index: number, platform = 'ethereum') => contractOn(platform, addressOf(index))

const list = (source: string, contracts: Readonly<Record<string, readonly ContractSighting[]>>): Report =>
  listOf(
    source,
    ...Object.entries(contracts).map(([id, own], index) =>
      sightingOf(id, { symbol: `s${id}`, name: `Coin ${id}`, price_usd: 10 ** index, contracts: own }),
    ),
  )
const honest = Object.fromEntries(IDS.map((id, index) => [id, [on(index)]]))
const shifted = Object.fromEntries(IDS.map((id, index) => [id, [on((index + 1) % IDS.length)]]))

const contractsIn = ({ snapshot }: Feed) =>
  Object.fromEntries(
    snapshot.listed.map(({ asset }) => [asset.slug, asset.contracts.map(({ address }) => address.slice(-1)).join()]),
  )
const heldIn = ({ snapshot }: Feed) => snapshot.quarantine.filter(({ field }) => field === 'contracts')

function runs(
  reports: readonly (readonly Report[])[],
  hours: number,
  given: Parameters<typeof feedFrom>[1] = {},
): Feed[] {
  const feeds: Feed[] = []
  for (const [index, one] of reports.entries()) {
    const last = feeds.at(-1)
    const previous = last ? publishedBy(last) : NOTHING_BEFORE
    feeds.push(feedFrom(one, { ...given, previous, now: NOW + index * hours * HOUR }))
  }
  return feeds
}
const last = (feeds: readonly Feed[]): Feed => {
  const feed = feeds.at(-1)
  if (!feed) throw new Error('no run')
  return feed
}

describe('contracts that one list shifts by one', () => {
  const calm = [list('coingecko', honest)]
  const wrong = [list('coingecko', shifted)]

  it('stay where they are, and the list says why they are held back', () => {
    const [first, second] = runs([calm, wrong], 0.5)
    expect(first && second && contractsIn(second)).toEqual(first && contractsIn(first))
    expect(second && heldIn(second)).toHaveLength(2 * IDS.length)
    expect(second && heldIn(second)[0]).toMatchObject({
      slug: 'a',
      rule: 'contract_moved',
      source_ids: ['coingecko'],
      since: '2026-11-20T12:30:00Z',
      releases_at: '2026-11-23T12:30:00Z',
    })
  })

  it('are forgotten when the list is right again', () => {
    const feed = last(runs([calm, wrong, calm], 0.5))
    expect(heldIn(feed)).toEqual([])
    expect(contractsIn(feed)).toEqual({ a: '1', b: '2', c: '3', d: '4', e: '5', f: '6' })
  })

  it('move at once with a second source, and none has two listings', () => {
    const both = [list('coingecko', shifted), list('coinpaprika', shiftedOn('eth-ethereum'))]
    const feed = last(runs([[...calm, list('coinpaprika', honestOn('eth-ethereum'))], both], 0.5))
    expect(contractsIn(feed)).toEqual({ a: '2', b: '3', c: '4', d: '5', e: '6', f: '1' })
    expect(heldIn(feed)).toEqual([])
  })

  it(`move when the list repeats them for ${LIMITS.forget_hours} hours, and not before`, () => {
    const steps = LIMITS.forget_hours / 12
    const feeds = runs([calm, ...Array.from({ length: steps + 1 }, () => wrong)], 12)
    expect(contractsIn(feeds[steps] ?? last(feeds))).toEqual(contractsIn(feeds[0] ?? last(feeds)))
    expect(contractsIn(last(feeds))).toEqual({ a: '2', b: '3', c: '4', d: '5', e: '6', f: '1' })
  })

  it('stay while the source is silent in between, however long', () => {
    const feeds = runs([calm, wrong, ...Array.from({ length: 8 }, (): Report[] => []), wrong], 12)
    expect(contractsIn(feeds[9] ?? last(feeds))).toEqual(contractsIn(feeds[0] ?? last(feeds)))
  })

  const shiftedOn = (platform: string) =>
    Object.fromEntries(IDS.map((id, index) => [id, [on((index + 1) % IDS.length, platform)]]))
  const honestOn = (platform: string) => Object.fromEntries(IDS.map((id, index) => [id, [on(index, platform)]]))
})

describe('a contract that no listing has', () => {
  const without = [list('coingecko', { a: [] })]
  it.each([
    ['is accepted from one list for a coin without contracts', [without, [list('coingecko', { a: [on(7)] })]], '8', 0],
    [
      'is held back on a chain where the coin has another',
      [[list('coingecko', { a: [on(0)] })], [list('coingecko', { a: [on(0), on(7)] })]],
      '1',
      1,
    ],
    [
      'is accepted on another chain',
      [[list('coingecko', { a: [on(0)] })], [list('coingecko', { a: [on(0), on(7, 'binance-smart-chain')] })]],
      '1,8',
      0,
    ],
  ] as const)('%s', (_, reports, contracts, held) => {
    const feed = last(runs(reports, 0.5))
    expect(contractsIn(feed)).toEqual({ a: contracts })
    expect(heldIn(feed)).toHaveLength(held)
  })

  it('is accepted where a venue’s list names it too', () => {
    const kucoin = new Map([['SA', { symbol: 'SA', name: 'Coin A', contracts: [contractOn('eth', addressOf(7))] }]])
    const assetDirectory = { known: new Map(), lists: new Map([['kucoin', kucoin]]) }
    const reports = [[list('coingecko', { a: [on(0)] })], [list('coingecko', { a: [on(0), on(7)] })]]
    expect(contractsIn(last(runs(reports, 0.5, { assetDirectory })))).toEqual({ a: '1,8' })
  })
})

it('is never taken from an entry of the registry, by any number of lists', () => {
  const registry = registryOf(
    entryOf('a', {
      external_ids: { coingecko: 'a' },
      contracts: [{ chain: 'ethereum', address: addressOf(0), decimals: 18 }],
    }),
  )
  const claim = [
    list('coingecko', { a: [], b: [on(0)] }),
    list('coinpaprika', { b: [contractOn('eth-ethereum', addressOf(0))] }),
  ]
  const feed = last(
    runs(
      Array.from({ length: 9 }, () => claim),
      12,
      { registry },
    ),
  )
  expect(contractsIn(feed)).toEqual({ a: '1', b: '' })
  expect(heldIn(feed)).toMatchObject([{ slug: 'b', releases_at: null }])
})

const evidence = { registry: registryOf(), lists: new Map(), isSilent: () => false, now: NOW }
const { registry } = evidence

it('an asset that exchanges alone know has the venues’ lists as its sources, each as one', () => {
  const asset = assetOf('a', { symbol: 'SA', name: 'Coin A', contracts: registry.contractsSeen('coingecko', [on(0)]) })
  const contracts = registry.contractsSeen('coingecko', [on(7)])
  const sighting = sightingOf('a', { symbol: 'SA', name: 'Coin A' })
  const identity = {
    slug: 'a',
    entry: null,
    before: { asset, markets: [] },
    sighted: [{ source: { id: EXCHANGES, label: EXCHANGES }, sighting, contracts }],
  }
  const listed = (platform: string) =>
    new Map([['SA', { symbol: 'SA', name: 'Coin A', contracts: [contractOn(platform, addressOf(7))] }]])
  const added = (platforms: Readonly<Record<string, string>>) => {
    const lists = new Map(Object.entries(platforms).map(([venue, platform]) => [venue, listed(platform)]))
    return judgeContracts([identity], { ...evidence, lists })
      .get('a')
      ?.held.find(({ offered_value }) => offered_value !== null)
  }
  expect(added({ kucoin: 'eth' })).toMatchObject({ source_ids: ['kucoin'] })
  expect(added({ kucoin: 'eth', gate: 'ETH' })).toBeUndefined()
})

it('contracts and what is held back do not depend on the order of rows and of sources’ contracts', () => {
  const row = fc.array(fc.nat(5), { maxLength: 3 })
  const world = fc.tuple(...IDS.map(() => row))
  fc.assert(
    fc.property(world, world, world, fc.infiniteStream(fc.nat()), (before, gecko, paprika, random) => {
      const contracts = (rows: readonly (readonly number[])[], platform: string) =>
        Object.fromEntries(IDS.map((id, at) => [id, [...new Set(rows[at])].map((index) => on(index, platform))]))
      const first = listingsBefore(
        ...IDS.map((id, at) => ({
          asset: assetOf(id, {
            external_ids: { coingecko: id },
            contracts: registry.contractsSeen(
              'coingecko',
              [...new Set(before[at])].map((index) => on(index)),
            ),
          }),
          markets: [],
        })),
      )
      const next = [
        list('coingecko', contracts(gecko, 'ethereum')),
        list('coinpaprika', contracts(paprika, 'eth-ethereum')),
      ]
      const shuffled = next.map((report) => ({
        ...report,
        sightings: report.sightings
          .map((sighting) => ({ sighting, key: random.next().value }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ sighting }) => sighting),
      }))
      const judged = (reports: readonly Report[]) =>
        new Map(
          [...judgeContracts(identify(reports, registry, first, { now: NOW }), evidence)].map(
            ([slug, { contracts, held }]) => [slug, [contracts.map(contractKey).toSorted(), held]],
          ),
        )
      expect(judged(shuffled)).toEqual(judged(next))
    }),
    { numRuns: 40 },
  )
})
