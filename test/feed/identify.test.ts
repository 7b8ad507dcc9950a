import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Asset } from '../../src/core/contract/asset.ts'
import { type Identity, identify } from '../../src/core/feed/identify.ts'
import { NOTHING_BEFORE } from '../../src/core/feed/listing.ts'
import type { Sighting } from '../../src/core/sources/source.ts'
import { NOW, assetOf, basisOf, before, contractOn, entryOf, listOf, registryOf, sightingOf } from './world.ts'

const one = `0x${'1'.repeat(40)}`
const two = `0x${'2'.repeat(40)}`
const registry = registryOf()
const gecko = (...rows: readonly Sighting[]) => listOf('coingecko', ...rows)
const paprika = (...rows: readonly Sighting[]) => listOf('coinpaprika', ...rows)

const told = (identities: readonly Identity[]) =>
  Object.fromEntries(
    identities.map(({ slug, sighted }) => [slug, sighted.map(({ source, sighting }) => `${source.id}:${sighting.id}`)]),
  )
const known = (slug: string, given: Partial<Asset> = {}) => ({ asset: assetOf(slug, given), markets: [] })
const contract = (address: string) => registry.contractsSeen('coingecko', [contractOn('ethereum', address)])

describe('sightings of two sources', () => {
  const weth = { symbol: 'weth', name: 'Wrapped Ether', price_usd: 2000 }
  const onOne = { contracts: [contractOn('ethereum', one)] }
  const onPaprika = { contracts: [contractOn('eth-ethereum', one)] }
  const onTwo = { contracts: [contractOn('eth-ethereum', two)] }
  it.each<[string, Partial<Sighting>, Partial<Sighting>, number]>([
    ['one contract makes one, whatever the names', { name: 'A', ...onOne }, { name: 'B', ...onPaprika }, 1],
    ['symbol and name make one', weth, { ...weth, symbol: 'WETH', name: 'wrapped-ether' }, 1],
    ['the symbol alone keeps two', weth, { ...weth, name: 'Bridged Ether' }, 2],
    ['the name alone keeps two', weth, { ...weth, symbol: 'wbeth' }, 2],
    ['a price a little off makes one', weth, { ...weth, price_usd: 2100 }, 1],
    ['a price ten times off keeps two', weth, { ...weth, price_usd: 20_000 }, 2],
    ['a price ten times under keeps two', weth, { ...weth, price_usd: 200 }, 2],
    ['an unknown price is no objection', weth, { ...weth, price_usd: null }, 1],
    ['another contract on one chain keeps two', { ...weth, ...onOne }, { ...weth, ...onTwo }, 2],
    [
      'a contract on another chain is no objection',
      { ...weth, ...onOne },
      { ...weth, contracts: [contractOn('bnb-binance-coin', two)] },
      1,
    ],
  ])('%s', (_, a, b, count) => {
    const identities = identify([gecko(sightingOf('a', a)), paprika(sightingOf('b', b))], registry, NOTHING_BEFORE, {
      now: NOW,
    })
    expect(identities).toHaveLength(count)
  })

  it.each([
    ['the first has that name twice', [sightingOf('a', weth), sightingOf('b', weth)], [sightingOf('c', weth)]],
    ['the second has that name twice', [sightingOf('a', weth)], [sightingOf('b', weth), sightingOf('c', weth)]],
    [
      'the first has that contract twice',
      [sightingOf('a', onOne), sightingOf('b', onOne)],
      [sightingOf('c', onPaprika)],
    ],
  ])('are not merged when %s', (_, first, second) => {
    expect(identify([gecko(...first), paprika(...second)], registry, NOTHING_BEFORE, { now: NOW })).toHaveLength(3)
  })

  it('never make one listing of two rows of one source', () => {
    const reports = [gecko(sightingOf('a', onOne), sightingOf('b', onOne))]
    expect(Object.keys(told(identify(reports, registry, NOTHING_BEFORE, { now: NOW })))).toEqual(['a', 'b'])
  })

  it('stay two rows of one source, even where the listing had the one id and the registry says the other', () => {
    const reviewed = registryOf(entryOf('acme', { external_ids: { coingecko: 'new' } }))
    const previous = before(known('acme', { external_ids: { coingecko: 'old' } }))
    const identities = identify([gecko(sightingOf('new'), sightingOf('old'))], reviewed, previous, { now: NOW })
    expect(told(identities)).toEqual({ acme: ['coingecko:new'], old: ['coingecko:old'] })
  })
})

describe('an id at a source', () => {
  it('that the registry knows leads to its entry, under any name', () => {
    const reviewed = registryOf(entryOf('acme', { external_ids: { coingecko: 'old-acme', coinpaprika: 'acm-acme' } }))
    const reports = [gecko(sightingOf('old-acme', { name: 'x' })), paprika(sightingOf('acm-acme', { name: 'y' }))]
    expect(told(identify(reports, reviewed, NOTHING_BEFORE, { now: NOW }))).toEqual({
      acme: ['coingecko:old-acme', 'coinpaprika:acm-acme'],
    })
  })

  it('that was published leads to its listing', () => {
    const previous = before(known('acme', { external_ids: { coingecko: 'acme-id', coinpaprika: 'acm-acme' } }))
    const reports = [gecko(sightingOf('acme-id', { name: 'x' })), paprika(sightingOf('acm-acme', { name: 'y' }))]
    expect(told(identify(reports, registry, previous, { now: NOW }))).toEqual({
      acme: ['coingecko:acme-id', 'coinpaprika:acm-acme'],
    })
  })
})

describe('two listings of the last publication', () => {
  const reviewed = registryOf(entryOf('acme', { external_ids: { coingecko: 'acme', coinpaprika: 'acm-acme' } }))
  const reports = [gecko(sightingOf('acme')), paprika(sightingOf('acm-acme'))]
  const other = known('other', { external_ids: { coinpaprika: 'acm-acme' } })

  it('become one where a review says so, and the other leads to it', () => {
    const previous = before(known('acme', { external_ids: { coingecko: 'acme' } }), other)
    const merged = [{ slug: 'acme', merged: ['other'] }]
    expect(identify(reports, reviewed, previous, { now: NOW })).toMatchObject(merged)
  })

  it('are one that goes back to the slug that it gave up', () => {
    const previous = before(known('acme', { listing_status: 'delisted', replaced_by: 'other' }), other)
    const own = [{ slug: 'acme', before: { asset: { slug: 'other' } }, merged: [] }]
    expect(identify(reports, reviewed, previous, { now: NOW })).toMatchObject(own)
  })
})

describe('a slug stays', () => {
  it('when upstream gives another id to the same contract', () => {
    const previous = before(known('acme', { external_ids: { coingecko: 'acme' }, contracts: contract(one) }))
    const renamed = sightingOf('acme-v2', { name: 'Acme II', contracts: [contractOn('ethereum', one)] })
    expect(told(identify([gecko(renamed)], registry, previous, { now: NOW }))).toEqual({ acme: ['coingecko:acme-v2'] })
  })

  it('and its history with it when a token is split under another id, symbol and contract', () => {
    const om = { external_ids: { coingecko: 'mantra-dao' }, contracts: contract(one) }
    const previous = before(known('mantra-dao', { symbol: 'OM', name: 'MANTRA', price_usd: 0.0276, ...om }))
    const split = { symbol: 'mantra', name: 'MANTRA', price_usd: 0.0069, contracts: [contractOn('ethereum', two)] }
    expect(told(identify([gecko(sightingOf('mantra', split))], registry, previous, { now: NOW }))).toEqual({
      'mantra-dao': [],
      mantra: ['coingecko:mantra'],
    })
  })

  it('when a better ranked twin of the same name appears', () => {
    const row = { slugs: ['acme'], symbol: 'acme', name: 'Acme' }
    const previous = before(known('acme', { external_ids: { coingecko: 'zzz' } }))
    const twins = [sightingOf('aaa', { ...row, rank: 1 }), sightingOf('zzz', { ...row, rank: 9 })]
    expect(told(identify([gecko(...twins)], registry, previous, { now: NOW }))).toEqual({
      acme: ['coingecko:zzz'],
      aaa: ['coingecko:aaa'],
    })
  })

  it('when the ranks are the other way round', () => {
    const rows = (first: number, second: number) => [
      sightingOf('a', { slugs: ['acme'], rank: first }),
      sightingOf('b', { slugs: ['acme'], rank: second }),
    ]
    const first = told(identify([gecko(...rows(1, 2))], registry, NOTHING_BEFORE, { now: NOW }))
    expect(first).toEqual({ acme: ['coingecko:a'], b: ['coingecko:b'] })
    const previous = before(
      known('acme', { external_ids: { coingecko: 'a' } }),
      known('b', { external_ids: { coingecko: 'b' } }),
    )
    expect(told(identify([gecko(...rows(2, 1))], registry, previous, { now: NOW }))).toEqual(first)
  })

  it('with a listing that no source reports any more', () => {
    const previous = before(known('acme', { external_ids: { coingecko: 'acme' } }))
    const stranger = sightingOf('stranger', { slugs: ['acme'] })
    expect(told(identify([gecko(stranger)], registry, previous, { now: NOW }))).toEqual({
      acme: [],
      stranger: ['coingecko:stranger'],
    })
  })

  it('except where a review gives the asset another: then the listing moves there', () => {
    const reviewed = registryOf(entryOf('acme', { external_ids: { coingecko: 'acme-id' } }))
    const [identity, ...more] = identify(
      [],
      reviewed,
      before(known('acme-id', { external_ids: { coingecko: 'acme-id' } })),
      { now: NOW },
    )
    expect(more).toEqual([])
    expect(identity).toMatchObject({ slug: 'acme', before: { asset: { slug: 'acme-id' } } })
  })

  it('and is not given to a row with its contract that shares neither symbol nor name nor price', () => {
    const previous = before(known('acme', { external_ids: { coingecko: 'acme' }, contracts: contract(one) }))
    const stranger = sightingOf('zeta', { price_usd: 50, contracts: [contractOn('ethereum', one)] })
    expect(told(identify([gecko(stranger)], registry, previous, { now: NOW }))).toEqual({
      acme: [],
      zeta: ['coingecko:zeta'],
    })
  })

  it('not followed to another host', () => {
    const previous = before(known('old', { replaced_by: 'acme', external_ids: { coingecko: 'old' } }))
    expect(told(identify([gecko(sightingOf('old'))], registry, previous, { now: NOW }))).toEqual({
      'old-old': ['coingecko:old'],
    })
  })
})

describe('identities', () => {
  const rows = (source: string) =>
    fc
      .uniqueArray(
        fc.record({
          id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
          symbol: fc.constantFrom('x', 'y'),
          name: fc.constantFrom('One', 'Two', 'Three'),
          rank: fc.constantFrom(null, 1),
          price_usd: fc.constantFrom(null, 1, 1.05, 10),
          address: fc.option(fc.constantFrom(one, two)),
        }),
        { selector: ({ id }) => id, maxLength: 6 },
      )
      .map((rows) =>
        rows.map(({ address, id, ...given }) =>
          sightingOf(id, {
            ...given,
            contracts:
              address === null ? [] : [contractOn(source === 'coingecko' ? 'ethereum' : 'eth-ethereum', address)],
          }),
        ),
      )
  const shuffled = (source: string) =>
    rows(source).chain((list) =>
      fc.shuffledSubarray(list, { minLength: list.length }).map((other) => [list, other] as const),
    )

  it('do not depend on the order of the rows, and lose none', () => {
    fc.assert(
      fc.property(shuffled('coingecko'), shuffled('coinpaprika'), ([a, otherA], [b, otherB]) => {
        const identities = identify([gecko(...a), paprika(...b)], registry, NOTHING_BEFORE, { now: NOW })
        expect(told(identify([gecko(...otherA), paprika(...otherB)], registry, NOTHING_BEFORE, { now: NOW }))).toEqual(
          told(identities),
        )
        expect(identities.flatMap(({ sighted }) => sighted)).toHaveLength(a.length + b.length)
        expect(new Set(identities.map(({ slug }) => slug)).size).toBe(identities.length)
      }),
    )
  })
})

describe('an id that is given to another asset', () => {
  const asset = (name: string, address: string, price_usd: number) =>
    ({ symbol: name, name, price_usd, contracts: contract(address) }) as const
  const sighted = (id: string, name: string, address: string, price_usd: number) =>
    sightingOf(id, { symbol: name, name, price_usd, contracts: [contractOn('ethereum', address)] })
  const acme = known('acme', { ...asset('acme', one, 1), external_ids: { coingecko: 'a', coinpaprika: 'a' } })
  const zeta = known('zeta', { ...asset('zeta', two, 50), external_ids: { coingecko: 'z' } })
  const swapped = gecko(sighted('a', 'zeta', two, 50), sighted('z', 'acme', one, 1))
  const withheld = (identities: readonly Identity[]) =>
    identities.flatMap(({ slug, sighted, withheld }) => [[slug, sighted.length, withheld.length]])

  it('moves no listing when two ids are swapped', () => {
    expect(withheld(identify([swapped], registry, before(acme, zeta), { now: NOW }))).toEqual([
      ['acme', 0, 1],
      ['zeta', 0, 1],
    ])
  })

  it('moves no listing when both have the same price', () => {
    const same = gecko(sighted('a', 'zeta', two, 1), sighted('z', 'acme', one, 1))
    const peer = known('zeta', { ...asset('zeta', two, 1), external_ids: { coingecko: 'z' } })
    expect(withheld(identify([same], registry, before(acme, peer), { now: NOW }))).toEqual([
      ['acme', 0, 1],
      ['zeta', 0, 1],
    ])
  })

  it('moves no listing if neither contracts nor prices are known', () => {
    const [a, z] = ['acme', 'zeta'].map((name) =>
      known(name, { symbol: name, price_usd: null, last_updated: null, external_ids: { coingecko: name } }),
    )
    const rows = [
      sightingOf('acme', { symbol: 'zeta', name: 'zeta', price_usd: 5 }),
      sightingOf('zeta', { symbol: 'acme', name: 'acme', price_usd: 1 }),
    ]
    expect(a && z && withheld(identify([gecko(...rows)], registry, before(a, z), { now: NOW }))).toEqual([
      ['acme', 0, 1],
      ['zeta', 0, 1],
    ])
  })

  it('moves no listing when the contracts listed under the ids stay: they come from the same source', () => {
    const rows = gecko(sighted('a', 'zeta', one, 50), sighted('z', 'acme', two, 1))
    expect(withheld(identify([rows], registry, before(acme, zeta), { now: NOW }))).toEqual([
      ['acme', 0, 1],
      ['zeta', 0, 1],
    ])
  })

  it('moves no entry of the registry in the first run', () => {
    const reviewed = registryOf(
      ...['acme', 'zeta'].map((name) => entryOf(name, { symbol: name, external_ids: { coingecko: name[0] } })),
    )
    expect(withheld(identify([swapped], reviewed, NOTHING_BEFORE, { now: NOW }))).toEqual([
      ['acme', 0, 1],
      ['zeta', 0, 1],
    ])
  })

  it('is none where symbol and name changed and the price is the last one of the same source', () => {
    const said = { source_id: 'coingecko', pair: 'ACME/USD', reason: 'not_direct', price_usd: 50 }
    const basis = { ...basisOf('exchanges'), excluded: [said] }
    const moved = known('acme', { ...asset('acme', one, 1), external_ids: { coingecko: 'a' }, price_basis: basis })
    expect(withheld(identify([gecko(sighted('a', 'new', one, 50))], registry, before(moved), { now: NOW }))).toEqual([
      ['acme', 1, 0],
    ])
  })

  it('keeps the names of the other sources', () => {
    const honest = paprika(sightingOf('a', { ...asset('acme', one, 1), contracts: [contractOn('eth-ethereum', one)] }))
    expect(withheld(identify([swapped, honest], registry, before(acme, zeta), { now: NOW }))).toEqual([
      ['acme', 1, 1],
      ['zeta', 0, 1],
    ])
  })

  it.each([
    ['the name alone changed', sightingOf('a', { ...sighted('a', 'new', one, 50), symbol: 'acme' })],
    ['the symbol alone changed', sightingOf('a', { ...sighted('a', 'new', one, 50), name: 'acme' })],
    ['the contract alone changed', sighted('a', 'acme', two, 50)],
    ['name and contract changed and the price did not', sighted('a', 'new', two, 1.02)],
    [
      'nothing is known of contracts, and the symbol stayed',
      sightingOf('a', { symbol: 'acme', name: 'b', price_usd: 9 }),
    ],
  ])('is none where %s', (_, row) => {
    expect(withheld(identify([gecko(row)], registry, before(acme), { now: NOW }))).toEqual([['acme', 1, 0]])
  })

  it('is believed of two sources, and when the last price is too old to compare', () => {
    const both = [
      gecko(sighted('a', 'new', two, 50)),
      paprika(sightingOf('a', { symbol: 'new', name: 'new', price_usd: 50 })),
    ]
    expect(withheld(identify(both, registry, before(acme), { now: NOW }))).toEqual([['acme', 2, 0]])
    const late = identify([gecko(sighted('a', 'new', two, 50))], registry, before(acme), { now: NOW + 25 * 3_600_000 })
    expect(withheld(late)).toEqual([['acme', 1, 0]])
  })
})

describe('a delisted slug', () => {
  const gone = known('acme', {
    listing_status: 'delisted',
    name: 'Acme',
    contracts: contract(one),
    external_ids: { coingecko: 'acme' },
  })
  const slugs = (identities: readonly Identity[]) =>
    identities.map(({ slug, before, entry, sighted }) => [slug, before !== null, entry !== null, sighted.length])

  it('is not taken over by a new coin of its name, nor by one that got its id', () => {
    const coin = sightingOf('other', {
      symbol: 'acme',
      name: 'Acme',
      slugs: ['acme'],
      contracts: [contractOn('ethereum', two)],
    })
    const reused = sightingOf('acme', { symbol: 'zeta', name: 'Zeta', contracts: [contractOn('ethereum', two)] })
    for (const row of [coin, reused])
      expect(slugs(identify([gecko(row)], registry, before(gone), { now: NOW }))).toEqual([
        ['acme', true, false, 0],
        [expect.not.stringMatching(/^acme$/), false, false, 1],
      ])
  })

  it('is not taken over by a reviewed asset that is another', () => {
    const entry = entryOf('acme', {
      symbol: 'ZETA',
      name: 'Zeta',
      contracts: [{ chain: 'ethereum', address: two, decimals: 18 }],
    })
    const identities = identify([gecko()], registryOf(entry), before(gone), { now: NOW })
    expect(slugs(identities)).toEqual([
      ['zeta', false, true, 0],
      ['acme', true, false, 0],
    ])
  })

  it('is given to a reviewed asset that is another by all that is known, where a reviewer decided so', () => {
    const contracts = [{ chain: 'ethereum', address: two, decimals: 18 }]
    const entry = entryOf('acme', { symbol: 'ZETA', name: 'Zeta', contracts, relisted: true })
    const row = sightingOf('zeta', { symbol: 'zeta', name: 'Zeta', contracts: [contractOn('ethereum', two)] })
    const identities = identify([gecko(row)], registryOf(entry), before(gone), { now: NOW })
    expect(slugs(identities)).toEqual([['acme', true, true, 1]])
  })

  it('goes back to its own asset, by id or by contract', () => {
    const entry = entryOf('acme', { symbol: 'ZETA', name: 'Zeta' })
    const rows = [
      sightingOf('acme', { symbol: 'acme', name: 'Acme' }),
      sightingOf('acme-2', { symbol: 'acme', name: 'Acme', contracts: [contractOn('ethereum', one)] }),
    ]
    for (const row of rows) {
      const identities = identify([gecko(row)], registryOf(entry), before(gone), { now: NOW })
      expect(slugs(identities)).toContainEqual(['acme', true, false, 1])
      expect(slugs(identify([gecko(row)], registry, before(gone), { now: NOW }))).toEqual([['acme', true, false, 1]])
    }
  })
})
