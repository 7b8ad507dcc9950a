import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { NO_BASIS } from '../../src/core/contract/asset.ts'
import { CategoryRow, ExchangeMarket, ExchangeRow, Global } from '../../src/core/contract/whole-market.ts'
import { dayOf } from '../../src/core/contract/time.ts'
import { RateRow } from '../../src/core/contract/rates.ts'
import {
  categories,
  categoryListings,
  exchangeMarkets,
  exchanges,
  global,
  totals,
} from '../../src/core/endpoints/whole-market.ts'
import type { PublicationData } from '../../src/core/endpoints/endpoint.ts'
import { rates } from '../../src/core/endpoints/rates.ts'
import type { Rows } from '../../src/core/history/rows.ts'
import { extendTotals } from '../../src/core/history/totals.ts'
import { neededWitnesses } from '../../src/core/feed/feed.ts'
import { AT, assetOf, marketOf } from '../feed/world.ts'
import { brotliBytes, documentsOf, sampleWorld, sourceRowOf, worldOf } from './worlds.ts'

const rowsOf = <Row extends z.ZodType>(row: Row, text: string | undefined): z.infer<Row>[] =>
  z.object({ rows: z.array(row) }).parse(JSON.parse(text ?? '')).rows

const ranked = (slug: string, market_cap_rank: number, market_cap_usd: number, given: object = {}) =>
  assetOf(slug, { market_cap_rank, market_cap_usd, ...given })

describe('global', () => {
  const globalOf = (world: PublicationData) =>
    z.object({ global: Global }).parse(JSON.parse(documentsOf(world, global).get('global') ?? '')).global

  it('counts ranked, unflagged listings alone', () => {
    const found = globalOf(
      worldOf([
        [ranked('one', 1, 300, { volume_24h_usd: 10, asset_type: 'coin' })],
        [ranked('two', 2, 100, { asset_type: 'token' })],
        [ranked('flagged', 3, 999, { verification_status: 'flagged' })],
        [ranked('thin', 4, 999, { market_flag: 'low_turnover' })],
        [assetOf('unranked', { market_cap_usd: 999, price_usd: null })],
      ]),
    )
    expect(found).toMatchObject({
      listings: 5,
      priced: 4,
      ranked: 2,
      venues: 0,
      market_cap_usd: 400,
      volume_24h_usd: 10,
      dominance: [
        { slug: 'one', percent: 75 },
        { slug: 'two', percent: 25 },
      ],
      by_type: [
        { asset_type: 'coin', ranked: 1, market_cap_usd: 300, volume_24h_usd: 10 },
        { asset_type: 'token', ranked: 1, market_cap_usd: 100, volume_24h_usd: null },
        { asset_type: null, ranked: 0, market_cap_usd: null, volume_24h_usd: null },
      ],
    })
  })

  it('computes its change from the caps of a day ago, over listings whose change is known', () => {
    const found = globalOf(
      worldOf([
        [ranked('up', 1, 300, { percent_change_24h: 50 })],
        [ranked('down', 2, 100, { percent_change_24h: -50 })],
        [ranked('unknown', 3, 50)],
      ]),
    )
    // From 200 + 200 to 300 + 100.
    expect(found.percent_change_24h).toBe(0)
    expect(found.market_cap_usd).toBe(450)
  })

  it('has null where nothing is known', () => {
    expect(globalOf(worldOf([[assetOf('one')]]))).toMatchObject({
      market_cap_usd: null,
      volume_24h_usd: null,
      percent_change_24h: null,
      dominance: [],
    })
  })
})

describe('exchanges', () => {
  const open = { class: 'open', terms_url: null, read_on: null, attribution: null } as const
  const world = worldOf(
    [
      [
        assetOf('acme'),
        marketOf('binance', 1, { volume_24h_usd: 300, used_in_price: true, weight: 1 }),
        marketOf('binance', 9, { volume_24h_usd: 500, is_outlier: true, pair: 'ACME/EUR' }),
        marketOf('uniswap_v3', 1, { exchange_type: 'dex', volume_24h_usd: null, source_label: 'DEX watch' }),
      ],
      [assetOf('other'), marketOf('binance', 1, { volume_24h_usd: 100, pair: 'OTHER/USD' })],
    ],
    {
      sources: [
        sourceRowOf('binance', { status: 'degraded', failing_since: AT }),
        sourceRowOf('silent', { status: 'down', failing_since: AT }),
        sourceRowOf('aggregator', { source_type: 'aggregator' }),
        sourceRowOf('dex-watch', {
          source_type: 'dex',
          source_label: 'DEX watch',
          rights: { ...open, class: 'non_commercial' },
        }),
      ],
    },
  )
  const texts = documentsOf(world, exchanges, exchangeMarkets)
  const rows = rowsOf(ExchangeRow, texts.get('exchanges'))

  it('lists every venue by volume, one that is silent and those of a DEX watcher too', () => {
    expect(rows.map(({ exchange_id, status, source_ids }) => [exchange_id, status, source_ids])).toEqual([
      ['binance', 'degraded', ['binance']],
      ['silent', 'down', ['silent']],
      ['uniswap_v3', 'ok', ['dex-watch']],
    ])
  })

  it('has the share of its volume that prices use, and the number of outlier markets', () => {
    expect(rows[0]).toMatchObject({
      market_count: 3,
      asset_count: 2,
      volume_24h_usd: 400,
      used_volume_percent: 75,
      outlier_percent: 33.3333,
      rights: { class: 'open' },
    })
    expect(rows[1]).toMatchObject({ market_count: 0, volume_24h_usd: null, outlier_percent: null })
    expect(rows[2]).toMatchObject({
      volume_24h_usd: null,
      used_volume_percent: null,
      rights: { class: 'non_commercial' },
    })
  })

  it('counts the listings that would lose the quorum of their price without it', () => {
    const pricedBy = (slug: string, ...ids: readonly string[]) => {
      const sources = ids.map((source_id) => ({ source_id, pair: 'ACME/USD', price_usd: 1, weight: 1 / ids.length }))
      return assetOf(slug, { price_basis: { ...NO_BASIS, method: 'exchanges', sources } })
    }
    const listings = [
      [pricedBy('three', 'a', 'b', 'c', 'c')],
      [pricedBy('four', 'a', 'b', 'c', 'd')],
      [pricedBy('two', 'a', 'b')],
    ] as const
    expect([...neededWitnesses(listings.map(([asset]) => ({ asset, markets: [] })))]).toEqual([
      ['a', 2],
      ['b', 2],
      ['c', 1],
    ])
  })

  it('has the markets of each, flagged ones last', () => {
    const markets = rowsOf(ExchangeMarket, texts.get('exchanges/binance'))
    expect(markets.map(({ slug, pair }) => `${slug} ${pair}`)).toEqual([
      'acme ACME/USD',
      'other OTHER/USD',
      'acme ACME/EUR',
    ])
    expect(rowsOf(ExchangeMarket, texts.get('exchanges/silent'))).toEqual([])
    expect(JSON.parse(texts.get('exchanges/silent') ?? '')).toMatchObject({ sourceStatus: 'down' })
  })
})

describe('categories', () => {
  const texts = documentsOf(
    worldOf([
      [ranked('one', 1, 300, { tags: ['Layer 1', 'layer-1'], percent_change_24h: 50 })],
      [ranked('two', 2, 100, { tags: ['Layer 1', 'Meme'] })],
      [assetOf('three', { market_cap_usd: 999, tags: ['Meme', '币'] })],
    ]),
    categories,
    categoryListings,
  )

  it('merges tags of one slug, and counts a listing once', () => {
    expect(rowsOf(CategoryRow, texts.get('categories'))).toEqual([
      {
        category_id: 'layer-1',
        name: 'Layer 1',
        listing_count: 2,
        market_cap_usd: 400,
        volume_24h_usd: null,
        percent_change_24h: 50,
      },
      {
        category_id: 'meme',
        name: 'Meme',
        listing_count: 2,
        market_cap_usd: 100,
        volume_24h_usd: null,
        percent_change_24h: null,
      },
    ])
  })

  it('has the listings of each, in the order of assets', () => {
    const slugs = (id: string) =>
      rowsOf(z.object({ slug: z.string() }), texts.get(`categories/${id}`)).map(({ slug }) => slug)
    expect(slugs('layer-1')).toEqual(['one', 'two'])
    expect(slugs('meme')).toEqual(['two', 'three'])
  })
})

describe('totals', () => {
  const contracts = [
    { chain: 'ethereum', chain_id: 1, address: '0xacme', decimals: null, standard: null, explorer_url: null },
  ]
  const listed = [
    [ranked('one', 1, 300, { volume_24h_usd: 10, tags: ['Meme'] })],
    [ranked('two', 2, 100, { contracts, carried: { market_cap_usd: AT } })],
    [assetOf('unranked', { market_cap_usd: 999, contracts, tags: ['Meme'] })],
  ] as const
  const after = (...times: readonly string[]) => {
    let totalsOf: Rows['totals'] = new Map()
    for (const at of times) totalsOf = extendTotals(totalsOf, { ...worldOf(listed), at })
    return { rowsOf: (group: string) => totalsOf.get(group), all: totalsOf }
  }
  const NOON = '2026-11-20T12:00:00Z'
  const first = {
    ranked: 2,
    carried_count: 1,
    market_cap_usd: 400,
    volume_24h_usd: 10,
    largest: 'one',
    largest_percent: 75,
  }

  it.each([
    ['market', first],
    ['category-meme', { ...first, ranked: 1, carried_count: 0, market_cap_usd: 300, largest_percent: 100 }],
    [
      'chain-ethereum',
      { ...first, ranked: 1, market_cap_usd: 100, volume_24h_usd: null, largest: 'two', largest_percent: 100 },
    ],
  ])('have a day of %s, over ranked, unflagged listings', (group, row) => {
    const { all } = after(NOON)
    const text = documentsOf({ ...worldOf(listed), totals: all }, totals).get(`totals/${group}`)
    expect(z.object(totals.members).parse(JSON.parse(text ?? '')).rows).toEqual([{ day: '2026-11-20', ...row }])
  })

  it('keep the first run of a day, also from a clock that is behind, and leave out days without a run', () => {
    const daysOn = (at: string) =>
      after(NOON, at)
        .rowsOf('market')
        ?.map(({ day }) => day)
    expect(daysOn('2026-11-20T23:00:00Z')).toEqual(['2026-11-20'])
    expect(daysOn('2026-11-19T12:00:00Z')).toEqual(['2026-11-20'])
    expect(daysOn('2026-11-23T00:10:00Z')).toEqual(['2026-11-20', '2026-11-23'])
  })

  it('keep the days of a group that has no listing for a while, and two years of each', () => {
    const row = { day: '2024-01-01', ...first }
    const rows = Array.from({ length: 731 }, (_, at) => ({ ...row, day: dayOf(Date.UTC(2024, 0, 1 + at)) }))
    const known = new Map([
      ['chain-tron', [row]],
      ['market', rows],
    ])
    const next = extendTotals(known, { ...worldOf(listed), at: NOON })
    expect(next.get('chain-tron')).toEqual([row])
    expect(next.get('market')?.map(({ day }) => day)).toEqual([...rows.slice(1).map(({ day }) => day), '2026-11-20'])
  })
})

describe('rates', () => {
  const input = { pair: 'EUR/USD', price: 1.08, volume_24h_usd: 1, weight: 0.5 }
  const rate = { symbol: 'EUR', price_usd: 1.08, method: 'exchanges', quotes: 2, as_of: AT, cross_check: null } as const
  const inputs = ['kraken', 'bitstamp', 'kraken'].map((source_id) => ({ ...input, source_id }))

  it('name their sources, and the time of a rate that was not measured in this run', () => {
    const before = '2026-11-20T07:00:00Z'
    const world = worldOf([], {
      rates: [
        { ...rate, inputs },
        { ...rate, symbol: 'GBP', method: 'carried', as_of: before, inputs: [] },
      ],
    })
    expect(rowsOf(RateRow, documentsOf(world, rates).get('rates'))).toEqual([
      { symbol: 'EUR', price_usd: 1.08, method: 'exchanges', source_ids: ['bitstamp', 'kraken'], carried_since: null },
      { symbol: 'GBP', price_usd: 1.08, method: 'carried', source_ids: [], carried_since: before },
    ])
  })

  it('are equal bytes when measured again with the same result', () => {
    const at = (as_of: string) => worldOf([], { rates: [{ ...rate, as_of, inputs }] })
    const later = documentsOf(at('2026-11-20T12:30:00Z'), rates).get('rates')
    expect(documentsOf(at(AT), rates).get('rates')).toBe(later)
  })
})

describe('on the whole sample', () => {
  let world: PublicationData
  let texts: ReadonlyMap<string, string>
  beforeAll(async () => {
    world = await sampleWorld()
    texts = documentsOf(world, rates, exchanges, exchangeMarkets, categories, global)
  })

  it('needs at most 2 KB for rates and 1 KB for the whole market', () => {
    expect(brotliBytes(texts.get('rates'))).toBeLessThanOrEqual(2000)
    expect(brotliBytes(texts.get('global'))).toBeLessThanOrEqual(1000)
  })

  it('has the rates of the collector digit for digit', () => {
    const found = rowsOf(RateRow, texts.get('rates'))
    expect(found.map(({ symbol, price_usd }) => [symbol, price_usd])).toEqual(
      world.rates.map(({ symbol, price_usd }) => [symbol, price_usd]),
    )
    expect(found.length).toBeGreaterThan(3)
  })

  it('has every market of every listing at its venue', () => {
    const markets = rowsOf(ExchangeRow, texts.get('exchanges')).flatMap(({ exchange_id, market_count }) => {
      const rows = rowsOf(ExchangeMarket, texts.get(`exchanges/${exchange_id}`))
      expect(rows).toHaveLength(market_count)
      return rows
    })
    const all = world.listed.reduce((sum, { markets: own }) => sum + own.length, 0)
    expect(all).toBeGreaterThan(2000)
    expect(markets).toHaveLength(all)
  })
})
