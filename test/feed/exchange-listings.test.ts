import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../src/core/feed/methodology.ts'
import { type AssetDirectory } from '../../src/core/feed/exchange-listings.ts'
import { groupBy } from '../../src/core/contract/order.ts'
import type { KnownAsset } from '../../src/core/registry/known-assets.ts'
import type { Report } from '../../src/core/sources/collect.ts'
import type { ReportedCurrency } from '../../src/core/sources/source.ts'
import {
  HOUR,
  NOW,
  contractOn,
  feedFrom,
  listOf,
  publishedBy,
  quoteOf,
  registryOf,
  sightingOf,
  venueOf,
} from './world.ts'

const registry = registryOf()
const ON_ETHEREUM = '0x00000000000000000000000000000000000000a1'
const ANOTHER = '0x00000000000000000000000000000000000000b2'

const asset = (symbol: string, name: string, given: { coingecko?: string; address?: string } = {}): KnownAsset => ({
  symbol,
  name,
  coingecko: given.coingecko ?? null,
  contracts:
    given.address === undefined ? [] : registry.contractsSeen('coingecko', [contractOn('ethereum', given.address)]),
})

const currency = (symbol: string, name: string | null, address?: string): ReportedCurrency => ({
  symbol,
  name,
  contracts: address === undefined ? [] : [contractOn('eth', address)],
})

const knowing = (known: readonly KnownAsset[], kucoin: readonly ReportedCurrency[] = []): AssetDirectory => ({
  known: groupBy(known, ({ symbol }) => symbol),
  lists: kucoin.length === 0 ? new Map() : new Map([['kucoin', new Map(kucoin.map((one) => [one.symbol, one]))]]),
})

const venues = (prices: Readonly<Record<string, number>>, symbol = 'ACME'): Report[] =>
  Object.entries(prices).map(([id, price]) => venueOf(id, quoteOf(`${symbol}/USD`, price)))

const listings = (feed: ReturnType<typeof feedFrom>) =>
  feed.snapshot.listed.map(({ asset: { slug, price_usd, source_label }, markets }) => ({
    slug,
    price_usd,
    source_label,
    venues: [...new Set(markets.map(({ exchange_id }) => exchange_id))].toSorted(),
  }))

const ACME = asset('ACME', 'Acme', { coingecko: 'acme-coin', address: ON_ETHEREUM })

describe('without an aggregator', () => {
  it('lists what the directory knows and three venues agree on, unverified and without supply', () => {
    const feed = feedFrom(venues({ a: 2, b: 2.01, c: 1.99 }), { assetDirectory: knowing([ACME]) })
    expect(listings(feed)).toEqual([
      { slug: 'acme-coin', price_usd: 2, source_label: 'exchanges', venues: ['a', 'b', 'c'] },
    ])
    expect(feed.snapshot.listed[0]?.asset).toMatchObject({
      verification_status: 'unverified',
      circulating_supply: null,
      market_cap_usd: null,
      market_cap_rank: null,
      external_ids: { exchanges: 'acme-coin' },
    })
  })

  it.each([
    ['two venues are too few', { a: 2, b: 2 }, [ACME]],
    ['three do not agree', { a: 2, b: 2.08, c: 1.93 }, [ACME]],
    ['one is far off', { a: 2, b: 2, c: 2, d: 4 }, [ACME]],
    ['the directories know two assets', { a: 2, b: 2, c: 2 }, [ACME, asset('ACME', 'Another')]],
  ])('a symbol alone joins nothing: %s', (_, prices, known) => {
    const feed = feedFrom(venues(prices), { assetDirectory: knowing(known) })
    expect(listings(feed).filter(({ price_usd }) => price_usd !== null)).toEqual([])
  })

  it('matches a venue by the contract or the name in its own list', () => {
    for (const row of [currency('ACME', null, ON_ETHEREUM), currency('ACME', 'ACME Protocol')])
      expect(listings(feedFrom(venues({ kucoin: 2 }), { assetDirectory: knowing([ACME], [row]) }))).toMatchObject([
        { slug: 'acme-coin', price_usd: 2, venues: ['kucoin'] },
      ])
  })

  it('follows the venue on which of two assets a symbol is', () => {
    const known = [ACME, asset('ACME', 'Another', { coingecko: 'another' })]
    const assetDirectory = knowing(known, [currency('ACME', 'Another')])
    expect(listings(feedFrom(venues({ kucoin: 2, a: 2, b: 2 }), { assetDirectory }))).toMatchObject([
      { slug: 'another', price_usd: 2, venues: ['a', 'b', 'kucoin'] },
    ])
  })

  it('makes one listing of two names of one contract', () => {
    const known = [ACME, asset('ACME', 'Another')]
    const assetDirectory = knowing(known, [currency('ACME', 'Another', ON_ETHEREUM)])
    expect(listings(feedFrom(venues({ kucoin: 2, a: 2, b: 2 }), { assetDirectory }))).toMatchObject([
      { slug: 'acme-coin', price_usd: 2, venues: ['a', 'b', 'kucoin'] },
    ])
  })

  it('does not price the directory’s asset where a venue lists another one at the same price', () => {
    const assetDirectory = knowing([ACME], [currency('ACME', 'Other Thing', ANOTHER)])
    expect(listings(feedFrom(venues({ kucoin: 2, a: 2, b: 2 }), { assetDirectory }))).toMatchObject([
      { slug: 'other-thing', price_usd: 2 },
    ])
  })

  it('rejects a list that maps a symbol to the contract of another coin', () => {
    const beta = asset('BETA', 'Beta', { coingecko: 'beta', address: ANOTHER })
    const assetDirectory = knowing([ACME, beta], [currency('BETA', 'Beta', ANOTHER), currency('ACME', null, ANOTHER)])
    const reports = [
      ...venues({ a: 2, b: 2, c: 2 }),
      venueOf('kucoin', quoteOf('ACME/USD', 2), quoteOf('BETA/USD', 70)),
    ]
    const feed = feedFrom(reports, { assetDirectory })
    expect(feed.snapshot.bySlug.get('beta')?.markets.map(({ pair }) => pair)).toEqual(['BETA/USD'])
  })

  it('lists nothing of national money', () => {
    const feed = feedFrom(venues({ a: 1.1, b: 1.1, c: 1.1 }, 'EUR'), {
      assetDirectory: knowing([asset('EUR', 'Euro')]),
    })
    expect(listings(feed)).toEqual([])
  })
})

describe('beside an aggregator', () => {
  it('counts the quotes of what too few venues price as unmatched', () => {
    const aggregator = listOf('coingecko', sightingOf('beta', { symbol: 'BETA', name: 'Beta', price_usd: 50 }))
    const assetDirectory = knowing([ACME], [currency('ACME', 'Acme')])
    const feed = feedFrom([aggregator, ...venues({ kucoin: 2 })], { assetDirectory })
    expect(listings(feed).map(({ slug }) => slug)).toEqual(['beta'])
    const row = feed.snapshot.sources.find(({ source_id }) => source_id === 'kucoin')
    expect(row).toMatchObject({ used_count: 0, unmatched_count: 1 })
  })
})

describe('two venues that swap two coins', () => {
  it('put no price on the wrong one', () => {
    const [one, two] = [ACME, asset('BETA', 'Beta', { coingecko: 'beta', address: ANOTHER })]
    const swapped = [currency('ACME', 'Beta', ANOTHER), currency('BETA', 'Acme', ON_ETHEREUM)]
    const lists = new Map(['kucoin', 'gate'].map((id) => [id, new Map(swapped.map((row) => [row.symbol, row]))]))
    const both = (id: string) => venueOf(id, quoteOf('ACME/USD', 2), quoteOf('BETA/USD', 50))
    const reports = ['kucoin', 'gate', 'a', 'b', 'c'].map(both)
    const aggregator = listOf(
      'coingecko',
      sightingOf('acme-coin', { symbol: 'ACME', name: 'Acme', price_usd: 2 }),
      sightingOf('beta', { symbol: 'BETA', name: 'Beta', price_usd: 50 }),
    )
    const feed = feedFrom([aggregator, ...reports], { assetDirectory: { ...knowing([one, two]), lists } })
    const prices = Object.fromEntries(listings(feed).map(({ slug, price_usd }) => [slug, price_usd]))
    expect(prices).toEqual({ 'acme-coin': 2, beta: 50 })
  })
})

describe('beside an aggregator', () => {
  const other = listOf('coingecko', sightingOf('bitcoin', { symbol: 'BTC', name: 'Bitcoin', price_usd: 90_000 }))

  it('lists what it does not name when enough venues price it, and nothing without a price', () => {
    const assetDirectory = knowing([ACME, asset('BETA', 'Beta', { coingecko: 'beta' })])
    const reports = [other, ...venues({ a: 2, b: 2, c: 2 }), ...venues({ d: 5 }, 'BETA')]
    expect(listings(feedFrom(reports, { assetDirectory })).map(({ slug }) => slug)).toEqual(['acme-coin', 'bitcoin'])
    expect(LIMITS.sources).toBe(2)
  })

  it('makes no twin of a listing that has the symbol', () => {
    const named = listOf('coingecko', sightingOf('acme', { symbol: 'ACME', name: 'Acme Corporation', price_usd: 2 }))
    const feed = feedFrom([named, ...venues({ a: 2, b: 2, c: 2 })], { assetDirectory: knowing([ACME]) })
    expect(listings(feed).map(({ slug }) => slug)).toEqual(['acme'])
  })
})

describe('a listing of exchanges that an aggregator names later', () => {
  const assetDirectory = knowing([ACME])
  const first = feedFrom(venues({ a: 2, b: 2, c: 2 }), { assetDirectory })
  const then = (...reports: readonly Report[]) =>
    feedFrom([...reports, ...venues({ a: 2, b: 2, c: 2 })], {
      assetDirectory,
      previous: publishedBy(first),
      now: NOW + HOUR / 2,
    })

  it.each([
    ['by the directory’s id', sightingOf('acme-coin', { symbol: 'acme', name: 'Acme (new)', price_usd: 2.05 })],
    [
      'by its contract',
      sightingOf('x', { symbol: 'acme', name: 'X', price_usd: 2, contracts: [contractOn('ethereum', ON_ETHEREUM)] }),
    ],
    ['by its name', sightingOf('x', { symbol: 'acme', name: 'ACME', price_usd: 2.1 })],
    [
      'by its name and price, though the directory has an older contract',
      sightingOf('x', { symbol: 'acme', name: 'Acme', price_usd: 2, contracts: [contractOn('ethereum', ANOTHER)] }),
    ],
    ['by its symbol and price', sightingOf('x', { symbol: 'acme', name: 'Something else', price_usd: 2.01 })],
  ])('is that listing, %s', (_, sighting) => {
    expect(listings(then(listOf('coingecko', sighting)))).toEqual([
      { slug: 'acme-coin', price_usd: 2, source_label: 'COINGECKO', venues: ['a', 'b', 'c'] },
    ])
  })

  it('stays apart from another asset of its symbol', () => {
    const stranger = sightingOf('x', { symbol: 'acme', name: 'Something else', price_usd: 9 })
    expect(listings(then(listOf('coingecko', stranger))).map(({ slug }) => slug)).toEqual(['acme-coin', 'x'])
  })

  it('stays unchanged while no source reports it', () => {
    expect(listings(then())).toEqual(listings(first))
  })
})

it('keeps one listing each when an aggregator comes back with renamed ids', () => {
  const named = (suffix: string) =>
    listOf(
      'coingecko',
      ...Array.from({ length: 40 }, (_, index) =>
        sightingOf(`coin-${index}${index < 2 ? suffix : ''}`, {
          symbol: `C${index}`,
          name: `Coin ${index}`,
          price_usd: index + 1,
        }),
      ),
    )
  const first = feedFrom([named('')])
  const next = feedFrom([named('-2')], { previous: publishedBy(first), now: NOW + HOUR })
  expect(next.snapshot.listed.map(({ asset: { slug } }) => slug)).toEqual(
    first.snapshot.listed.map(({ asset: { slug } }) => slug),
  )
  expect(next.snapshot.bySlug.get('coin-0')?.asset.external_ids).toEqual({ coingecko: 'coin-0-2' })
})

it('leaves an entry of the registry alone that the directory knows otherwise', () => {
  const reviewed = registryOf({
    slug: 'reviewed',
    symbol: 'ACME',
    name: 'Reviewed',
    asset_type: null,
    verification_status: 'verified',
    ecosystem: null,
    max_supply: null,
    external_ids: {},
    exchange_symbols: { a: 'ACME' },
    contracts: [],
    tags: [],
    links: { website: null, whitepaper: null, source_code: null, twitter: null, telegram: null, discord: null },
    description: null,
    notice: null,
  })
  const feed = feedFrom(venues({ a: 2, b: 2, c: 2 }), { registry: reviewed, assetDirectory: knowing([ACME]) })
  expect(listings(feed)).toMatchObject([{ slug: 'reviewed', venues: ['a'] }])
})
