import { ONE_PRICE } from '../../src/core/sources/source.ts'
import { describe, expect, it } from 'vitest'
import { coinpaprika } from '../../src/core/sources/coinpaprika.ts'
import { fixture, observe, replies } from './replies.ts'

const LIST = '/v1/tickers?quotes=USD'
const bodies = {
  [LIST]: fixture('coinpaprika/tickers.json'),
  '/v1/contracts/eth-ethereum': fixture('coinpaprika/contracts.json'),
  '/v1/contracts/bnb-binance-coin': [],
  '/v1/contracts/sol-solana': [],
  '/v1/coins/btc-bitcoin': fixture('coinpaprika/coin.json'),
}
const byId = async (id: string) =>
  (await observe(coinpaprika, bodies)).find((seen) => seen.kind === 'sighting' && seen.id === id)

describe('its list', () => {
  it('becomes one sighting a row, in dollars and percent', async () => {
    expect(await byId('btc-bitcoin')).toEqual({
      kind: 'sighting',
      id: 'btc-bitcoin',
      slugs: ['bitcoin', 'btc-bitcoin'],
      symbol: 'BTC',
      name: 'Bitcoin',
      rank: 1,
      contracts: [],
      price_usd: 40000.5,
      percent_change_1h: 0.5,
      percent_change_24h: -4,
      percent_change_7d: 8,
      high_24h_usd: null,
      low_24h_usd: null,
      market_cap_usd: 8e11,
      fully_diluted_valuation_usd: null,
      volume_24h_usd: 40000000000.25,
      circulating_supply: 2e7,
      total_supply: 2e7,
      max_supply: 2.1e7,
      ath_usd: 65000,
      ath_at: Date.UTC(2021, 3, 14, 8, 53, 23),
      at: Date.UTC(2021, 7, 12, 19, 6, 4),
    })
  })

  it('makes one sighting of a row that comes twice', async () => {
    const { [LIST]: list } = bodies
    const twice = [list, list].flat()
    const kinds = (await observe(coinpaprika, { ...bodies, [LIST]: twice })).map(({ kind }) => kind)
    const once = (await observe(coinpaprika, bodies)).filter(({ kind }) => kind === 'sighting')
    expect(kinds.filter((kind) => kind === 'sighting')).toHaveLength(once.length)
    expect(kinds).toHaveLength(twice.length)
  })

  it('is read without the circulating supply too, as the free plan gives it', async () => {
    expect(await byId('new-token-of-2026')).toMatchObject({
      price_usd: 0.0025,
      circulating_supply: null,
      total_supply: 1000000,
      max_supply: null,
      percent_change_24h: -0.3700000047683716,
    })
  })

  it('has null, not zero, for what was never measured', async () => {
    expect(await byId('gxs-gxchain')).toMatchObject({
      rank: null,
      price_usd: null,
      volume_24h_usd: null,
      market_cap_usd: null,
      circulating_supply: null,
      total_supply: null,
      percent_change_1h: null,
      percent_change_24h: null,
      percent_change_7d: null,
      ath_usd: null,
      ath_at: null,
    })
  })

  it.each([
    ['btc-bitcoin', ['bitcoin', 'btc-bitcoin']],
    ['new-token-of-2026', ['token-of-2026', 'new-token-of-2026']],
    ['gxs-gxchain', ['gxchain', 'gxs-gxchain']],
    ['dmt-nat-dmt-nat', ['dmt-nat', 'dmt-nat-dmt-nat']],
  ])('makes slugs of %s', async (id, slugs) => {
    expect(await byId(id)).toMatchObject({ slugs })
  })

  it('skips inactive coins and returns invalid rows', async () => {
    const observations = await observe(coinpaprika, bodies)
    expect(observations.filter(({ kind }) => kind !== 'sighting')).toEqual([
      { kind: 'skipped', reason: 'inactive' },
      { kind: 'rejected', reason: 'quotes.USD.price: missing' },
    ])
  })

  it('is cut to the best ranks when fewer are wanted', async () => {
    const { [LIST]: tickers, ...others } = bodies
    const observations = await observe(coinpaprika, { ...others, [`${LIST}&limit=1`]: tickers }, { listings: 1 })
    expect(observations).toMatchObject([{ kind: 'sighting', id: 'btc-bitcoin' }])
  })
})

describe('its contracts', () => {
  it('come by platform, without retired ones', async () => {
    expect(await byId('new-token-of-2026')).toMatchObject({
      contracts: [{ platform: 'eth-ethereum', address: '0x00000000000000000000000000000000000000bb', decimals: null }],
    })
    expect(await byId('btc-bitcoin')).toMatchObject({ contracts: [] })
  })

  it('are left out with a warning when they cannot be requested', async () => {
    const observations = await observe(coinpaprika, { [LIST]: fixture('coinpaprika/tickers.json') })
    expect(observations.filter(({ kind }) => kind === 'sighting')).toHaveLength(4)
    expect(observations.slice(-3)).toMatchObject([
      { kind: 'skipped', reason: expect.stringContaining('no contracts on eth-ethereum: ') },
      { kind: 'skipped', reason: expect.stringContaining('no contracts on bnb-binance-coin: ') },
      { kind: 'skipped', reason: expect.stringContaining('no contracts on sol-solana: ') },
    ])
  })
})

describe('a profile', () => {
  it('is asked for in order of rank, and one that cannot be had costs nothing else', async () => {
    const asked: string[] = []
    const wants = {
      profiles(ids: readonly string[]) {
        asked.push(...ids)
        return ids.slice(0, 2)
      },
    }
    const observations = await observe(coinpaprika, bodies, wants)
    expect(asked.slice(0, 2)).toEqual(['btc-bitcoin', 'old-coin'])
    expect(asked.at(-1)).toBe('gxs-gxchain')
    expect(observations.slice(-2)).toEqual([
      {
        kind: 'profile',
        id: 'btc-bitcoin',
        asset_type: 'coin',
        description: 'A currency.',
        tags: ['Payments'],
        links: {
          website: 'https://bitcoin.example/',
          whitepaper: 'https://papers.example/bitcoin.pdf',
          source_code: 'https://github.com/bitcoin/bitcoin',
          twitter: 'https://twitter.com/bitcoin',
          telegram: 'https://t.me/bitcoin',
          discord: 'https://discord.gg/bitcoin',
        },
        explorers: ['https://explorer.example/a'],
        contracts: [],
      },
      { kind: 'skipped', reason: expect.stringContaining('no profile of old-coin: ') },
    ])
  })
})

it('gives past prices with the rolling volume, in steps of two hours where four are asked for', async () => {
  const path = '/v1/tickers/btc-bitcoin/historical?start=1704412800&end=1704441599&interval=2h&limit=1000'
  const [from, to] = [Date.UTC(2024, 0, 5), Date.UTC(2024, 0, 5, 4)]
  const http = replies({ [path]: fixture('coinpaprika/historical.json') })
  expect(await coinpaprika.candles?.ask(http, { market: 'btc-bitcoin', interval: '4h', from, to })).toEqual([
    { at: from, ...ONE_PRICE, close: 50000.5, volume_base: null, volume_quote: 200 },
    { at: to, ...ONE_PRICE, close: 50100, volume_base: null, volume_quote: null },
  ])
})
