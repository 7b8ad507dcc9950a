import { describe, expect, it } from 'vitest'
import { type Candidate, match } from '../../src/feed/match.ts'
import { openRegistry } from '../../src/registry/registry.ts'
import type { Quote } from '../../src/sources/source.ts'
import { entryOf, quoteOf, ratesOf, registryOf } from './world.ts'

const rates = ratesOf({ USD: 1, USDT: 1, BTC: 50_000 })
const candidate = (slug: string, price_usd: number | null, ageHours = 0): Candidate => ({ slug, price_usd, ageHours })
const from = (venue: string, factor: number, ...quotes: readonly Quote[]) =>
  quotes.map((quote) => ({ venue, factor, quote }))
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
  ) => Object.fromEntries(match(from(venue, factor, ...quotes), candidates, rates, registry))
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
    ['stays unmatched when nobody has a price', at('okx', one, acme(candidate('acme', null))), {}],
    ['stays unmatched without a listing of that symbol', at('okx', one, new Map()), {}],
    [
      'stays unmatched in a currency nobody can tell',
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
    const matched = match(quotes, acme(candidate('acme', 2), candidate('acme-2', 70)), rates, registry)
    expect(Object.fromEntries(matched)).toEqual({ 'okx ACME': 'acme', 'bybit ACME': 'acme-2' })
  })
})

describe('TRAC', () => {
  const registry = openRegistry()
  const candidates = new Map([['TRAC', [candidate('trac-network', 0.4), candidate('origintrail', 0.4)]]])

  it.each([
    ['kraken', 'origintrail'],
    ['coinbase', 'origintrail'],
    ['bybit', undefined],
  ])('on %s is %s, and Trac Network nowhere', (venue, slug) => {
    const matched = match(from(venue, 1, quoteOf('TRAC/USD', 0.4)), candidates, rates, registry)
    expect(matched.get(`${venue} TRAC`)).toBe(slug)
  })
})
