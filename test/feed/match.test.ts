import { describe, expect, it } from 'vitest'
import {
  type Candidate,
  type KnownSymbols,
  type Match,
  type VenueQuote,
  match as matchAll,
} from '../../src/core/feed/match.ts'
import { openRegistry } from '../../src/core/registry/registry.ts'
import type { Quote } from '../../src/core/sources/source.ts'
import { AT, entryOf, quoteOf, ratesOf, registryOf } from './world.ts'

/** By default, no venue has a list of its own. */
type Known = Pick<KnownSymbols, 'registry' | 'remembered'> & Partial<KnownSymbols>
const matches = (
  quotes: readonly VenueQuote[],
  candidates: ReadonlyMap<string, readonly Candidate[]>,
  given: typeof rates,
  known: Known,
  at: string,
) => matchAll(quotes, candidates, given, { identified: () => null, contradicts: () => false, ...known }, at)
const match = (...given: Parameters<typeof matches>) => matches(...given).matched
const rates = ratesOf({ USD: 1, USDT: 1, BTC: 50_000 })
const candidate = (slug: string, price_usd: number | null, ageHours = 0): Candidate => ({
  slug,
  prices: price_usd === null ? [] : [price_usd],
  ageHours,
})
const from = (venue: string, factor: number, ...quotes: readonly Quote[]) =>
  quotes.map((quote) => ({ venue, factor, quote }))
const NONE: ReadonlyMap<string, Match> = new Map()
const slugs = (matched: ReadonlyMap<string, Match>) =>
  Object.fromEntries([...matched].map(([key, { slug }]) => [key, slug]))
const acme = (...candidates: readonly Candidate[]) => new Map([['ACME', candidates]])

describe('a base symbol', () => {
  const registry = registryOf(
    entryOf('acme-coin', { exchange_symbols: { kraken: 'ACM' } }),
    entryOf('everywhere', { exchange_symbols: { '*': 'EVR' } }),
  )
  const at = (
    venue: string,
    quotes: readonly Quote[],
    candidates: ReadonlyMap<string, readonly Candidate[]>,
    factor = 1,
  ) => slugs(match(from(venue, factor, ...quotes), candidates, rates, { registry, remembered: NONE }, AT))
  const one = [quoteOf('ACME/USD', 2)]

  it.each([
    [
      'is what the registry says of that venue, at any price',
      at('kraken', [quoteOf('ACM/USD', 9)], new Map()),
      { 'kraken ACM': 'acme-coin' },
    ],
    ['means nothing at a venue the registry does not name', at('okx', [quoteOf('ACM/USD', 9)], new Map()), {}],
    [
      'is what the registry says of every venue',
      at('okx', [quoteOf('EVR/USD', 9)], new Map()),
      { 'okx EVR': 'everywhere' },
    ],
    [
      'is the listing of that symbol whose price is near',
      at('okx', one, acme(candidate('acme', 2.15))),
      { 'okx ACME': 'acme' },
    ],
    ['stays unmatched when the price is far', at('okx', one, acme(candidate('acme', 2.3))), {}],
    ['stays unmatched when none has a price', at('okx', one, acme(candidate('acme', null))), {}],
    ['stays unmatched without a listing of that symbol', at('okx', one, new Map()), {}],
    [
      'stays unmatched in a currency without a rate',
      at('okx', [quoteOf('ACME/XYZ', 2)], acme(candidate('acme', 2))),
      {},
    ],
    [
      'is the best ranked of those whose price is near',
      at('okx', one, acme(candidate('far', 20), candidate('first', 2.1), candidate('second', 2))),
      { 'okx ACME': 'first' },
    ],
    [
      'is held less strictly against an old price',
      at('okx', one, acme(candidate('acme', 2.7, 15))),
      { 'okx ACME': 'acme' },
    ],
    ['is held against a price of any age within bounds', at('okx', one, acme(candidate('acme', 3.1, 1000))), {}],
    [
      'is never one that the registry knows by other spellings',
      at('okx', [quoteOf('ACME/USD', 2)], acme(candidate('acme-coin', 2))),
      {},
    ],
    [
      'is told by its busiest pair',
      at(
        'okx',
        [quoteOf('ACME/USD', 50, { volume_24h_base: 1 }), quoteOf('ACME/BTC', 0.00004)],
        acme(candidate('acme', 2)),
      ),
      { 'okx ACME': 'acme' },
    ],
    [
      'is told at a venue that is off as if it were not',
      at('okx', [quoteOf('ACME/USD', 20)], acme(candidate('acme', 2)), 10),
      { 'okx ACME': 'acme' },
    ],
  ])('%s', (_, matched, expected) => {
    expect(matched).toEqual(expected)
  })

  it('may be one thing here and another there', () => {
    const quotes = [...from('okx', 1, quoteOf('ACME/USD', 2)), ...from('bybit', 1, quoteOf('ACME/USDT', 70))]
    const matched = match(
      quotes,
      acme(candidate('acme', 2), candidate('acme-2', 70)),
      rates,
      { registry, remembered: NONE },
      AT,
    )
    expect(slugs(matched)).toEqual({ 'okx ACME': 'acme', 'bybit ACME': 'acme-2' })
  })
})

describe('a symbol that a listing no longer goes by', () => {
  const registry = registryOf(
    entryOf('the-open-network', { symbol: 'GRAM', exchange_symbols: { '*': 'GRAM' }, former_symbols: ['TON'] }),
  )
  const gram = new Map([['GRAM', [candidate('the-open-network', 1.5)]]])
  const at = (pair: string, price: number, candidates: ReadonlyMap<string, readonly Candidate[]>) =>
    matches(from('kraken', 1, quoteOf(pair, price)), candidates, rates, { registry, remembered: NONE }, AT)

  it('is still its own where the price agrees', () => {
    expect(slugs(at('TON/USD', 1.56, gram).matched)).toEqual({ 'kraken TON': 'the-open-network' })
  })

  it('is not its own at another price, be it near', () => {
    expect(slugs(at('GRAM/USD', 2.5, gram).matched)).toEqual({ 'kraken GRAM': 'the-open-network' })
    const { matched, held } = at('TON/USD', 2.5, gram)
    expect(matched).toEqual(new Map())
    expect(held).toMatchObject([{ slug: 'the-open-network', venue: 'kraken', symbol: 'TON' }])
  })

  it('is that of a newcomer which has the price', () => {
    const both = new Map([...gram, ['TON', [candidate('newcomer', 2.5)]]])
    expect(slugs(at('TON/USD', 2.5, both).matched)).toEqual({ 'kraken TON': 'newcomer' })
  })
})

it('keeps the time of a match that the registry contradicts and the price decides', () => {
  const registry = registryOf(entryOf('coin', { exchange_symbols: { '*': 'ACME' } }))
  const candidates = new Map([['ACME', [candidate('coin', 900), candidate('other', 2)]]])
  const quotes = from('kraken', 1, quoteOf('ACME/USD', 2))
  const first = matches(quotes, candidates, rates, { registry, remembered: NONE }, AT).matched
  const later = matches(quotes, candidates, rates, { registry, remembered: first }, '2027-01-01T00:00:00Z').matched
  expect(slugs(first)).toEqual({ 'kraken ACME': 'other' })
  expect(later).toEqual(first)
})

it('holds back the one venue of three whose price is far off, where no aggregator names a price', () => {
  const registry = registryOf(entryOf('everywhere', { exchange_symbols: { '*': 'EVR' } }))
  const quotes = [2, 2.1, 200].flatMap((price, n) =>
    from(['kraken', 'okx', 'gate'][n] ?? '', 1, quoteOf('EVR/USD', price)),
  )
  const candidates = new Map([['EVR', [candidate('everywhere', null)]]])
  const { matched, held } = matches(quotes, candidates, rates, { registry, remembered: NONE }, AT)
  expect([...matched.keys()]).toEqual(['kraken EVR', 'okx EVR'])
  expect(held).toMatchObject([{ venue: 'gate' }])
})

it('distinguishes the former stablecoin FRAX from the coin that took its symbol by the price', () => {
  const candidates = new Map([['FRAX', [candidate('frax', 0.9987), candidate('frax-share', 0.3366)]]])
  const known = { registry: openRegistry(), remembered: NONE }
  const matched = match(from('htx', 1, quoteOf('FRAX/USDT', 0.3366)), candidates, rates, known, AT)
  expect(slugs(matched)).toEqual({ 'htx FRAX': 'frax-share' })
})

describe('TRAC', () => {
  const registry = openRegistry()
  const candidates = new Map([['TRAC', [candidate('trac-network', 0.4), candidate('origintrail', 0.4)]]])

  it.each([
    ['kraken', 'origintrail'],
    ['coinbase', 'origintrail'],
    ['bybit', undefined],
  ])('on %s is %s, and Trac Network nowhere', (venue, slug) => {
    const matched = match(
      from(venue, 1, quoteOf('TRAC/USD', 0.4)),
      candidates,
      rates,
      { registry, remembered: NONE },
      AT,
    )
    expect(matched.get(`${venue} TRAC`)?.slug).toBe(slug)
  })
})

describe('a match', () => {
  const registry = registryOf()
  const matchAt = (
    prices: Readonly<Record<string, number>>,
    aggregators: readonly number[],
    remembered: ReadonlyMap<string, Match> = NONE,
    others: readonly Candidate[] = [],
  ) =>
    match(
      Object.entries(prices).flatMap(([venue, price]) => from(venue, 1, quoteOf('ACME/USD', price))),
      acme({ slug: 'acme', prices: aggregators, ageHours: 0 }, ...others),
      rates,
      { registry, remembered },
      AT,
    )
  const known = (...venues: readonly string[]) =>
    new Map(
      venues.map(
        (venue) =>
          [`${venue} ACME`, { slug: 'acme', matched_by: 'price', matched_at: '2026-01-01T00:00:00Z' }] as const,
      ),
    )
  const evidence = (matched: ReadonlyMap<string, Match>) => [...matched.values()].map(({ matched_by }) => matched_by)
  const four = { a: 1, b: 1.001, c: 0.999, d: 1 }

  it('is kept with the time it was found, whatever the price is now', () => {
    expect(matchAt({ a: 900 }, [1], known('a')).get('a ACME')).toEqual({
      slug: 'acme',
      matched_by: 'price',
      matched_at: '2026-01-01T00:00:00Z',
    })
  })

  it('is new by agreement with venues and aggregators alike, not with the first aggregator', () => {
    const matched = matchAt({ a: 1, b: 1, c: 1, new: 1 }, [1.9], known('a', 'b', 'c'))
    expect(matched.get('new ACME')).toEqual({ slug: 'acme', matched_by: 'price', matched_at: AT })
    expect(matchAt({ a: 1, b: 1, c: 1, new: 1.9 }, [1.9], known('a', 'b', 'c')).has('new ACME')).toBe(false)
  })

  it('is by four venues that agree with each other where the one aggregator does not', () => {
    expect(evidence(matchAt(four, [1.9]))).toEqual(['venues', 'venues', 'venues', 'venues'])
    expect(evidence(matchAt({ ...four, liar: 1.5 }, [1.9]))).toHaveLength(4)
  })

  it.each([
    ['three venues', matchAt({ a: 1, b: 1, c: 1 }, [1.9])],
    ['venues that do not agree', matchAt({ a: 1, b: 1.2, c: 0.8, d: 1.5 }, [1.9])],
    ['a price that is too far', matchAt(four, [3.1])],
    ['two aggregators that know better', matchAt(four, [1.9, 1.9])],
    ['another listing of the symbol', matchAt(four, [1.9], NONE, [candidate('acme-2', 7)])],
  ])('is none by %s', (_, matched) => {
    expect(matched.size).toBe(0)
  })

  it('against the aggregator is confirmed by price once the two agree', () => {
    const before = new Map([['a ACME', { slug: 'acme', matched_by: 'venues', matched_at: AT } as const]])
    expect(evidence(matchAt({ a: 1 }, [1.9], before))).toEqual(['venues'])
    expect(evidence(matchAt({ a: 1 }, [1.01], before))).toEqual(['price'])
  })

  it('is undone by stronger evidence: the venue’s own list names another contract', () => {
    const matched = match(
      from('a', 1, quoteOf('ACME/USD', 1)),
      acme(candidate('acme', 1)),
      rates,
      { registry, remembered: known('a'), identified: () => ({ slug: 'other', matched_by: 'contract' }) },
      AT,
    )
    expect(matched.get('a ACME')).toEqual({ slug: 'other', matched_by: 'contract', matched_at: AT })
  })
})

describe('a symbol that changes hands', () => {
  const SINCE = '2026-01-01T00:00:00Z'
  const [old, fresh] = [candidate('old', 1), candidate('new', 20)]
  const play = (
    prices: Readonly<Record<string, number>>,
    candidates: ReadonlyMap<string, readonly Candidate[]>,
    given: Partial<Known> = {},
  ) => {
    const remembered = new Map(
      Object.keys(prices).map((venue) => [
        `${venue} ACME`,
        { slug: 'old', matched_by: 'price', matched_at: SINCE } as const,
      ]),
    )
    const quotes = Object.entries(prices).flatMap(([venue, price]) => from(venue, 1, quoteOf('ACME/USD', price)))
    const { matched, held } = matches(quotes, candidates, rates, { registry: registryOf(), remembered, ...given }, AT)
    return { matched: slugs(matched), held: held.map(({ venue, slug }) => `${venue} ${slug}`) }
  }
  const given = new Map([
    ['ACME', [fresh]],
    ['ACMEC', [old]],
  ])
  const registry = registryOf(entryOf('old', { exchange_symbols: { '*': 'ACME' } }))

  it.each([
    [
      'goes to the listing whose price each venue has',
      play({ a: 20, b: 1 }, given),
      { 'a ACME': 'new', 'b ACME': 'old' },
      [],
    ],
    ['is held back where no listing has the price', play({ a: 5 }, given), {}, ['a old']],
    ['is held back while the new coin is not listed', play({ a: 20 }, new Map([['ACMEC', [old]]])), {}, ['a old']],
    [
      'stays with a listing that is renamed, at its price',
      play({ a: 1 }, new Map([['ACMEC', [old]]])),
      { 'a ACME': 'old' },
      [],
    ],
    [
      'goes to a rival at its price, though the old coin keeps the symbol',
      play({ a: 20 }, acme(old, fresh)),
      { 'a ACME': 'new' },
      [],
    ],
    ['stays where the price is off and no other listing has it', play({ a: 20 }, acme(old)), { 'a ACME': 'old' }, []],
    [
      'leaves an entry of the registry for a rival at its price',
      play({ a: 20 }, acme(old, fresh), { registry }),
      { 'a ACME': 'new' },
      [],
    ],
    [
      'is not an entry of the registry at the one venue whose price is another',
      play({ a: 1, b: 1, c: 20 }, acme(old), { registry }),
      { 'a ACME': 'old', 'b ACME': 'old' },
      ['c old'],
    ],
    [
      'stays with an entry of the registry where all venues move and the aggregator does not',
      play({ a: 4, b: 4, c: 4 }, acme(old), { registry }),
      { 'a ACME': 'old', 'b ACME': 'old', 'c ACME': 'old' },
      [],
    ],
  ])('%s', (_, played, matched, held) => {
    expect(played).toEqual({ matched, held })
  })

  it('is held back where the list that named the old coin names another', () => {
    const remembered = new Map([['a ACME', { slug: 'old', matched_by: 'name', matched_at: SINCE } as const]])
    expect(play({ a: 20 }, acme(old), { remembered, contradicts: () => true })).toEqual({
      matched: {},
      held: ['a old'],
    })
  })

  it('is released once the price is that of a listing', () => {
    const remembered = new Map([
      ['a ACME', { slug: 'old', matched_by: 'price', matched_at: SINCE, isHeld: true } as const],
    ])
    expect(play({ a: 20 }, acme(old), { remembered }).held).toEqual(['a old'])
    expect(play({ a: 1 }, acme(old), { remembered }).matched).toEqual({ 'a ACME': 'old' })
  })
})
