import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Asset } from '../../src/core/contract/asset.ts'
import { SourceRow } from '../../src/core/contract/collector.ts'
import { Market } from '../../src/core/contract/market.ts'
import type { Feed } from '../../src/core/feed/feed.ts'
import { recompute } from '../../src/core/feed/price.ts'
import type { Report } from '../../src/core/sources/collect.ts'
import type { Quote } from '../../src/core/sources/source.ts'
import {
  HOUR,
  NOW,
  entryOf,
  feedFrom,
  listOf,
  publishedBy,
  quoteOf,
  registryOf,
  reportOf,
  sightingOf,
  sourceOf,
  venueOf,
} from './world.ts'

const PRICES: Readonly<Record<string, number>> = {
  btc: 50_000,
  eth: 2500,
  sol: 100,
  xrp: 0.5,
  ada: 0.25,
  dot: 5,
  usdt: 0.999,
}
const slugs = Object.keys(PRICES)
// One that only its price identifies.
const registry = registryOf(
  ...slugs
    .filter((slug) => slug !== 'dot')
    .map((slug) => entryOf(slug, { external_ids: { coingecko: slug }, exchange_symbols: { '*': slug.toUpperCase() } })),
)
const gecko = () =>
  listOf(
    'coingecko',
    ...slugs.map((id, index) =>
      sightingOf(id, { price_usd: PRICES[id] ?? null, rank: index + 1, circulating_supply: 1000 }),
    ),
  )
/** What a venue quotes: all of it off by `factor`, each pair a little by itself. */
const quotesOf = (noise: number, factor = 1): Quote[] =>
  slugs.flatMap((slug, index) => {
    const last = (PRICES[slug] ?? 1) * factor * (1 + noise * (index % 3) * 0.001)
    const symbol = slug.toUpperCase()
    return symbol === 'USDT'
      ? [quoteOf('USDT/USD', last)]
      : [quoteOf(`${symbol}/USD`, last), quoteOf(`${symbol}/USDT`, last / 0.999, { volume_24h_base: 50_000 })]
  })
const VENUES = ['a', 'b', 'c', 'd', 'e']
const reports = (factorOf: (venue: string) => number = () => 1): Report[] => [
  gecko(),
  ...VENUES.map((id, index) => venueOf(id, ...quotesOf(index - 2, factorOf(id)))),
]
const world = feedFrom(reports(), { registry })
const pricesOf = ({ snapshot }: Feed) =>
  new Map(snapshot.listed.map(({ asset }) => [asset.slug, asset.price_usd ?? Number.NaN]))

describe('a feed', () => {
  it('prices what a quorum of venues quotes by the venues', () => {
    expect([...pricesOf(world).keys()]).toEqual(['btc', 'eth', 'sol', 'dot', 'usdt', 'xrp', 'ada'])
    for (const { asset, markets } of world.snapshot.listed) {
      expect(asset).toMatchObject({ listing_status: 'active', exchange_count: 5, price_basis: { method: 'exchanges' } })
      expect(Math.abs((asset.price_usd ?? 0) / (PRICES[asset.slug] ?? 1) - 1)).toBeLessThan(0.005)
      expect(markets.filter(({ used_in_price }) => !used_in_price)).toEqual([])
    }
  })

  it('is equal for equal input', () => {
    expect(feedFrom(reports(), { registry })).toEqual(world)
  })

  it('changes no listing when it is rebuilt from its own result', () => {
    const again = feedFrom(reports(), { registry, previous: publishedBy(world) })
    expect(again.snapshot.listings).toEqual(world.snapshot.listings)
    expect(again.snapshot.sources).toEqual(world.snapshot.sources)
  })

  it('changes no listing half an hour later without new data', () => {
    const later = feedFrom(reports(), { registry, previous: publishedBy(world), now: NOW + HOUR / 2 })
    expect(later.snapshot.listings).toEqual(world.snapshot.listings)
  })
})

describe('a venue that is off by a factor', () => {
  const factors = fc.oneof(fc.constantFrom(10, 0.1, 1000), fc.double({ min: 1.1, max: 1e6, noNaN: true }))

  it('moves no price by more than half a percent, and all its rows are outliers', () => {
    fc.assert(
      fc.property(fc.constantFrom(...VENUES), factors, (bad, factor) => {
        const { snapshot } = feedFrom(
          reports((id) => (id === bad ? factor : 1)),
          { registry },
        )
        const before = pricesOf(world)
        for (const { asset, markets } of snapshot.listed) {
          expect(Math.abs((asset.price_usd ?? 0) / (before.get(asset.slug) ?? 0) - 1)).toBeLessThanOrEqual(0.005)
          const own = markets.filter(({ exchange_id }) => exchange_id === bad)
          expect(own.length).toBeGreaterThan(0)
          expect(own.every(({ is_outlier, used_in_price }) => is_outlier && !used_in_price)).toBe(true)
        }
        const row = snapshot.sources.find(({ source_id }) => source_id === bad)
        expect(row).toMatchObject({ row_count: 13, used_count: 13, outlier_count: 13, status: 'ok' })
      }),
      { numRuns: 30 },
    )
  })
})

describe('a venue that is not believed', () => {
  it('prices no asset and measures no currency where it is alone either', () => {
    const alone = registryOf(...registry.assets, entryOf('ltc', { exchange_symbols: { '*': 'LTC' } }))
    const bad = venueOf(
      'bad',
      ...quotesOf(0, 10),
      quoteOf('LTC/USD', 800),
      quoteOf('EUR/USD', 12),
      quoteOf('LTC/EUR', 80),
    )
    const { bySlug, rates } = feedFrom([...reports(), bad], { registry: alone }).snapshot
    expect(bySlug.get('ltc')).toMatchObject({
      asset: { price_usd: null, price_basis: { method: 'none' } },
      markets: [
        { pair: 'LTC/USD', is_outlier: true },
        { pair: 'LTC/EUR', price_usd: null },
      ],
    })
    expect(rates.map(({ symbol }) => symbol)).toEqual(['USD', 'USDT'])
  })
})

describe('whatever the venues report', () => {
  const symbols = [...slugs.map((slug) => slug.toUpperCase()), 'USD', 'UNKNOWN']
  // The sources let no larger number through.
  const number = fc.option(
    fc.oneof(fc.double({ min: 1e-30, max: 1e30, noNaN: true }), fc.constantFrom(0.5, 1, 100, 50_000)),
  )
  const amount = fc.oneof(number, fc.constant(0))
  const quote = fc
    .record({
      base: fc.constantFrom(...symbols),
      quote: fc.constantFrom('USD', 'USDT', 'BTC', 'XYZ'),
      last: number,
      bid: number,
      ask: number,
      volume_24h_base: amount,
      volume_24h_quote: amount,
      at: fc.constantFrom(null, NOW, NOW - 9 * HOUR),
    })
    .map((given) => quoteOf(`${given.base}/${given.quote}`, given.last, given))
  const left = fc.constantFrom('a future', 'unreadable')
  const venue = (id: string) =>
    fc
      .record({
        quotes: fc.array(quote, { maxLength: 12 }),
        skipped: fc.array(
          left.map((reason) => ({ reason, count: 2 })),
          { maxLength: 3 },
        ),
        rejected: fc.array(
          left.map((reason) => ({ reason, count: 1 })),
          { maxLength: 3 },
        ),
      })
      .map((given) => reportOf(sourceOf(id), given))
  const said = fc.tuple(...VENUES.map(venue))

  it('each of a venue’s rows is counted once', () => {
    fc.assert(
      fc.property(said, (venues) => {
        for (const row of feedFrom([gecko(), ...venues], { registry }).snapshot.sources) {
          if (row.source_type !== 'exchange') continue
          expect(row.used_count + row.unmatched_count + row.dead_count + row.quarantined_count).toBe(row.row_count)
          const reasons = row.quarantine_reasons.reduce((sum, { count }) => sum + count, 0)
          expect(reasons).toBe(row.quarantined_count)
        }
      }),
    )
  })

  it('the published feed keeps the contract, and each price follows from its basis', () => {
    fc.assert(
      fc.property(said, (venues) => {
        const { listings, sources } = feedFrom([gecko(), ...venues], { registry }).snapshot
        for (const { asset, markets } of listings) {
          expect(Asset.safeParse(asset).error).toBeUndefined()
          for (const market of markets) expect(Market.safeParse(market).error).toBeUndefined()
          expect(recompute(asset.price_basis)).toBe(asset.price_usd)
        }
        for (const row of sources) expect(SourceRow.safeParse(row).error).toBeUndefined()
      }),
    )
  })
})
