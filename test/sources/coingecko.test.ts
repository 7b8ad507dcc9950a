import { ONE_PRICE } from '../../src/core/sources/source.ts'
import { describe, expect, it } from 'vitest'
import { coingecko } from '../../src/core/sources/coingecko.ts'
import { fixture, observe, replies } from './replies.ts'

const page = (n: number) =>
  '/api/v3/coins/markets?vs_currency=usd&order=market_cap_desc' +
  `&per_page=250&page=${n}&price_change_percentage=1h,24h,7d&include_rehypothecated=true`
const LIST = '/api/v3/coins/list?include_platform=true'
const detail = (id: string) =>
  `/api/v3/coins/${id}?localization=false&tickers=false&market_data=false&community_data=false&developer_data=false`

const keyless = coingecko({})
const bodies = {
  [page(1)]: fixture('coingecko/markets.json'),
  [page(2)]: [],
  [LIST]: fixture('coingecko/list.json'),
  [detail('1move%20token')]: fixture('coingecko/coin.json'),
}
const row = (id: string) => ({ id, symbol: id, name: id, current_price: null })

describe('its list', () => {
  it('becomes one sighting a row, in dollars and percent', async () => {
    const [bitcoin] = await observe(keyless, bodies)
    expect(bitcoin).toEqual({
      kind: 'sighting',
      id: 'bitcoin',
      slugs: ['bitcoin'],
      symbol: 'BTC',
      name: 'Bitcoin',
      rank: 1,
      contracts: [],
      price_usd: 50000,
      percent_change_1h: 0.25,
      percent_change_24h: 1.5,
      percent_change_7d: -4.5,
      high_24h_usd: 51000,
      low_24h_usd: 49000,
      market_cap_usd: 1e12,
      fully_diluted_valuation_usd: 1.05e12,
      volume_24h_usd: 2e10,
      circulating_supply: 2e7,
      total_supply: 2.1e7,
      max_supply: 2.1e7,
      ath_usd: 60000,
      ath_at: Date.UTC(2021, 10, 10, 14, 0, 0, 500),
      at: Date.UTC(2024, 0, 5, 0, 30, 0, 250),
    })
  })

  it('keeps odd ids, repeated ranks and tiny prices, tidies names, and has null for an unknown supply', async () => {
    const [, move] = await observe(keyless, bodies)
    expect(move).toMatchObject({
      id: '1move token',
      name: '🚀 1Move Token',
      rank: 1,
      price_usd: 5.5e-11,
      market_cap_usd: null,
      circulating_supply: null,
      volume_24h_usd: 0,
      percent_change_1h: null,
      percent_change_24h: null,
      at: null,
    })
  })

  it('keeps a coin without a price', async () => {
    const [, , gone] = await observe(keyless, bodies)
    expect(gone).toMatchObject({ kind: 'sighting', id: '_', price_usd: null, rank: null, market_cap_usd: null })
    const zero = { ...row('a'), current_price: 0, total_volume: 0, price_change_percentage_24h: 0 }
    const [dead] = await observe(keyless, { [page(1)]: [zero], [page(2)]: [], [LIST]: [] })
    expect(dead).toMatchObject({ price_usd: null, volume_24h_usd: null, percent_change_24h: null })
  })

  it('returns invalid rows with the reason', async () => {
    const observations = await observe(keyless, bodies)
    expect(observations).toHaveLength(4)
    expect(observations[3]).toMatchObject({ kind: 'rejected', reason: 'current_price: negative' })
  })

  it('continues after a short page up to the empty one, and lists a coin on two pages once', async () => {
    const pages = { [page(1)]: [row('a'), row('b')], [page(2)]: [row('b'), row('c')], [page(3)]: [], [LIST]: [] }
    const observations = await observe(keyless, pages)
    expect(observations.map((seen) => ('id' in seen ? seen.id : seen.kind))).toEqual(['a', 'b', 'skipped', 'c'])
  })

  it('asks for no page beyond the listings wanted', async () => {
    const observations = await observe(keyless, { [page(1)]: [row('a'), row('b')], [LIST]: [] }, { listings: 1 })
    expect(observations).toMatchObject([{ kind: 'sighting', id: 'a' }])
  })

  it('asks in one request for the ids that suffice', async () => {
    const path = `${page(1)}&ids=a,1move%20token`
    const observations = await observe(keyless, { [path]: [row('a')], [LIST]: [] }, { ids: ['a', '1move token'] })
    expect(observations).toMatchObject([{ kind: 'sighting', id: 'a' }])
  })

  it('fails as a whole when a page does', async () => {
    await expect(observe(keyless, { [page(1)]: [row('a')], [LIST]: [] })).rejects.toThrow(/coins\/markets/)
  })
})

describe('its contracts', () => {
  it('come with the list, without empty addresses and nameless platforms', async () => {
    const [, move] = await observe(keyless, bodies)
    expect(move).toMatchObject({
      contracts: [{ platform: 'ethereum', address: '0x00000000000000000000000000000000000000aa', decimals: null }],
    })
  })

  it('are left out with a warning when they cannot be requested', async () => {
    const observations = await observe(keyless, { [page(1)]: [row('a')], [page(2)]: [] })
    expect(observations).toMatchObject([
      { kind: 'sighting', id: 'a', contracts: [] },
      { kind: 'skipped', reason: expect.stringContaining('no contracts: ') },
    ])
  })
})

describe('a profile', () => {
  it('is asked for where it is wanted, and one that cannot be had costs nothing else', async () => {
    const wants = { profiles: (ids: readonly string[]) => ids.slice(0, 2) }
    const observations = await observe(keyless, bodies, wants)
    expect(observations.filter(({ kind }) => kind === 'sighting')).toHaveLength(3)
    expect(observations.slice(-2)).toEqual([
      {
        kind: 'profile',
        id: '1move token',
        asset_type: 'token',
        description: 'Made to move. And to stay.',
        tags: ['Move Ecosystem'],
        links: {
          website: 'https://move.example/',
          whitepaper: null,
          source_code: 'https://github.com/move/move',
          twitter: 'https://x.com/onemove',
          telegram: null,
          discord: 'https://discord.gg/move',
        },
        explorers: ['https://etherscan.io/token/0xaa'],
        contracts: [
          { platform: 'ethereum', address: '0x00000000000000000000000000000000000000aa', decimals: 18 },
          { platform: 'solana', address: 'Saaa', decimals: null },
        ],
      },
      { kind: 'skipped', reason: expect.stringContaining('no profile of bitcoin: ') },
    ])
  })

  it.each([
    ['no platform', { asset_platform_id: null }, 'coin'],
    ['a platform', { asset_platform_id: 'ethereum' }, 'token'],
    ['no word about it', {}, null],
  ])('of an asset with %s', async (_, members, asset_type) => {
    const odd = { id: 'a', links: null, categories: 5, detail_platforms: { eos: 7 }, ...members }
    const wants = { profiles: () => ['a'] }
    const observations = await observe(keyless, { ...bodies, [detail('a')]: odd }, wants)
    expect(observations.at(-1)).toMatchObject({ kind: 'profile', asset_type, description: null, contracts: [] })
  })
})

describe('its key', () => {
  it.each([
    ['none', {}, 'api.coingecko.com', undefined, 10],
    ['demo', { apiKey: 'k' }, 'api.coingecko.com', { header: 'x-cg-demo-api-key', value: 'k' }, 30],
    ['pro', { apiKey: 'k', plan: 'pro' }, 'pro-api.coingecko.com', { header: 'x-cg-pro-api-key', value: 'k' }, 500],
    ['a plan without a key', { plan: 'pro' }, 'api.coingecko.com', undefined, 10],
  ] as const)('%s decides host, header, pace and quota', (_, options, host, key, requests) => {
    const source = coingecko(options)
    expect(source).toMatchObject({ host, pace: { requests, perSeconds: 60 } })
    expect(source.key).toEqual(key)
    // That of a paid plan is not known.
    expect(source.quota?.requests).toBe(source.host === 'pro-api.coingecko.com' ? undefined : 10_000)
  })
})

describe('its charts', () => {
  const chart = (days: number) => `/api/v3/coins/1move%20token/market_chart?vs_currency=usd&days=${days}`
  const ask = { market: '1move token', from: Date.UTC(2024, 0, 4), to: Date.UTC(2024, 0, 5) } as const

  it('give prices with the rolling volume of the same moment, the last one off the grid', async () => {
    const http = replies({ [chart(1)]: fixture('coingecko/chart.json') })
    expect(await keyless.candles?.ask(http, { ...ask, interval: '15m' })).toEqual([
      { at: 1704412800000, ...ONE_PRICE, close: 50000.5, volume_base: null, volume_quote: 200 },
      { at: 1704413700000, ...ONE_PRICE, close: 50100, volume_base: null, volume_quote: 0 },
      { at: 1704413712345, ...ONE_PRICE, close: 50101, volume_base: null, volume_quote: null },
    ])
  })

  it.each([
    ['15m', 1],
    ['1h', 7],
    ['4h', 30],
    ['1d', 365],
  ] as const)('in steps of %s reach back %i days, as far as is published of them', async (interval, days) => {
    const http = replies({ [chart(days)]: fixture('coingecko/chart.json') })
    await expect(keyless.candles?.ask(http, { ...ask, interval })).resolves.toHaveLength(3)
  })
})
