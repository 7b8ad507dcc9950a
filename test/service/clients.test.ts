import { readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import Coingecko from '@coingecko/coingecko-typescript'
import { CoinGeckoClient } from 'coingecko-api-v3'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { listen } from '../../src/service/node.ts'
import { copySampleTree, newFolder } from '../sample-tree.ts'
import type { Host } from './running.ts'
import { hasTools } from '../tools.ts'
import { workerOver } from './worker.ts'
import { onDisk } from './world.ts'

const root = newFolder()
const json = (file: string) => JSON.parse(readFileSync(join(root, `api/mkt/${file}.json`), 'utf8'))
const now = () => Date.parse(json('../mkt').generatedAt)
const HOSTS: Readonly<Record<string, () => Promise<Host>>> = {
  async 'the Node server'() {
    const server = await listen(onDisk(root, now), '127.0.0.1', 0)
    return { url: server.url, end: () => server.close() }
  },
  async 'the Worker'() {
    const { url, miniflare } = await workerOver(root, {}, now())
    return { url, end: () => miniflare.dispose() }
  },
}

beforeAll(() => copySampleTree(root))

/** What every client is asked for. */
const RANGE = { from: Date.UTC(2026, 10, 18) / 1000, to: Date.UTC(2026, 10, 19) / 1000 }
const DATE = '20-11-2026'
const priced = (): { readonly address: string; readonly slug: string } => {
  const { prices } = json('prices')
  return json('contracts/ethereum').rows.find(({ slug }: { slug: string }) => slug in prices)
}
const token = () => priced().address

type Calls = Readonly<Record<string, () => Promise<unknown>>>

const CLIENTS: Readonly<Record<string, (base: string) => Calls>> = {
  "CoinGecko's SDK, with nothing but its variable"(base) {
    vi.stubEnv('COINGECKO_BASE_URL', base)
    const { ping, simple, coins, exchanges, exchangeRates, search, global, assetPlatforms, tokenLists } = new Coingecko(
      { maxRetries: 0, demoAPIKey: 'any' },
    )
    vi.unstubAllEnvs()
    return {
      ping: () => ping.get(),
      price: () => simple.price.get({ ids: 'bitcoin', vs_currencies: 'usd' }),
      token: () => simple.tokenPrice.getID('ethereum', { contract_addresses: token(), vs_currencies: 'usd' }),
      currencies: () => simple.supportedVsCurrencies.get(),
      list: () => coins.list.get({ include_platform: true }),
      markets: () => coins.markets.get({ vs_currency: 'usd', per_page: 1, sparkline: true }),
      coin: () => coins.getID('bitcoin', { localization: false, tickers: false }),
      chart: () => coins.marketChart.get('bitcoin', { vs_currency: 'usd', days: '7' }),
      range: () => coins.marketChart.getRange('bitcoin', { vs_currency: 'usd', from: '2026-11-18', to: '2026-11-19' }),
      ohlc: () => coins.ohlc.get('bitcoin', { vs_currency: 'usd', days: '7' }),
      history: () => coins.history.get('bitcoin', { date: '2026-11-20', localization: false }),
      rates: () => exchangeRates.get(),
      search: () => search.get({ query: 'bitcoin' }),
      global: () => global.get(),
      platforms: () => assetPlatforms.get(),
      categories: () => coins.categories.get(),
      categoryList: () => coins.categories.getList(),
      movers: () => coins.topGainersLosers.get({ vs_currency: 'usd' }),
      tickers: () => coins.tickers.get('bitcoin'),
      contract: () => coins.contract.get(token(), { id: 'ethereum' }),
      contractChart: () => coins.contract.marketChart.get(token(), { id: 'ethereum', vs_currency: 'usd', days: '7' }),
      exchanges: () => exchanges.get(),
      exchangeList: () => exchanges.getList(),
      exchange: () => exchanges.getID('sample-a'),
      exchangeTickers: () => exchanges.tickers.get('sample-a'),
      trending: () => search.trending.get(),
      tokenList: () => tokenLists.getAllJson('ethereum'),
      capChart: () => global.marketCapChart.get({ days: 'max' }),
      unknown: () => coins.getID('no-such-coin'),
    }
  },
  'coingecko-api-v3, with its address'(base) {
    const { hostname, port } = new URL(base)
    // It speaks https on the usual port alone, unless the options of its requests say otherwise.
    const http = { protocol: 'http:', agent: new Agent(), host: hostname, port }
    const client = new CoinGeckoClient({ autoRetry: false, extraHTTPSOptions: http })
    client.baseURL = base
    const [id, vs_currency] = ['bitcoin', 'usd']
    return {
      ping: () => client.ping(),
      price: () => client.simplePrice({ ids: id, vs_currencies: vs_currency }),
      token: () => client.simpleTokenPrice({ id: 'ethereum', contract_addresses: token(), vs_currencies: vs_currency }),
      currencies: () => client.simpleSupportedCurrencies(),
      list: () => client.coinList({ include_platform: true }),
      markets: () => client.coinMarket({ vs_currency, order: 'gecko_desc', per_page: 1, sparkline: true }),
      coin: () => client.coinId({ id, localization: false, tickers: false }),
      chart: () => client.coinIdMarketChart({ id, vs_currency, days: 7 }),
      range: () => client.coinIdMarketChartRange({ id, vs_currency, ...RANGE }),
      ohlc: () => client.coinIdOHLC({ id, vs_currency, days: 7 }),
      history: () => client.coinIdHistory({ id, date: DATE, localization: false }),
      rates: () => client.exchangeRates(),
      search: () => client.search({ query: id }),
      global: () => client.global(),
      unknown: () => client.coinId({ id: 'no-such-coin' }),
    }
  },
  // github.com/man-c/pycoingecko at 3.2.0: `api.py` builds these addresses below `api_base_url`.
  'pycoingecko, by the requests that it sends'(base) {
    const headers = { 'user-agent': 'python-requests/2.32.3', 'accept-encoding': 'gzip, deflate', accept: '*/*' }
    const get = (path: string) => async () => {
      const response = await fetch(`${base}/${path}`, { headers })
      if (!response.ok) throw new Error(String(response.status))
      return response.json()
    }
    return {
      ping: get('ping'),
      price: get('simple/price?ids=bitcoin&vs_currencies=usd'),
      token: get(`simple/token_price/ethereum?contract_addresses=${token()}&vs_currencies=usd`),
      currencies: get('simple/supported_vs_currencies'),
      list: get('coins/list?include_platform=true'),
      markets: get('coins/markets?per_page=1&sparkline=true&vs_currency=usd'),
      coin: get('coins/bitcoin/?localization=false&tickers=false'),
      chart: get('coins/bitcoin/market_chart?vs_currency=usd&days=7'),
      range: get(`coins/bitcoin/market_chart/range?vs_currency=usd&from=${RANGE.from}&to=${RANGE.to}`),
      ohlc: get('coins/bitcoin/ohlc?vs_currency=usd&days=7'),
      history: get(`coins/bitcoin/history?localization=false&date=${DATE}`),
      rates: get('exchange_rates'),
      search: get('search?query=bitcoin'),
      global: get('global'),
      unknown: get('coins/no-such-coin/'),
    }
  },
}

/** What a client gets of each route, by the published documents. */
function expected(): Readonly<Record<string, unknown>> {
  const { prices } = json('prices')
  const { address, slug } = priced()
  const bar = json('candles/bitcoin/days=7').rows.at(-1)
  const pointsOf = (days: number): { readonly timestamp: string; readonly price_usd: number }[] =>
    json(`history/bitcoin/days=${days}`).rows
  const HOUR_MS = 3_600_000
  const series = pointsOf(7).map((row) => [Date.parse(row.timestamp) + HOUR_MS, row.price_usd] as const)
  const within = series.filter(([at]) => at >= RANGE.from * 1000 && at <= RANGE.to * 1000)
  const some = (members: object) => expect.objectContaining(members)
  const isBitcoin = { id: 'bitcoin', symbol: 'btc', name: 'Bitcoin' }
  return {
    ping: { gecko_says: expect.any(String) },
    price: { bitcoin: { usd: prices.bitcoin } },
    token: { [address]: { usd: prices[slug] } },
    currencies: expect.arrayContaining(['usd', 'eur', 'btc']),
    list: expect.arrayContaining([{ ...isBitcoin, platforms: {} }]),
    markets: [some({ ...isBitcoin, current_price: prices.bitcoin, sparkline_in_7d: { price: expect.any(Array) } })],
    coin: some({ ...isBitcoin, market_data: some({ current_price: some({ usd: prices.bitcoin }) }) }),
    chart: some({ prices: expect.arrayContaining(series.slice(1, -2)) }),
    range: some({ prices: within }),
    ohlc: expect.arrayContaining([
      [Date.parse(bar.timestamp) + HOUR_MS, bar.open_usd, ...Array(3).fill(expect.any(Number))],
    ]),
    history: some({
      ...isBitcoin,
      market_data: some({ current_price: some({ usd: new Map(series).get(Date.parse('2026-11-20')) }) }),
    }),
    rates: { rates: some({ usd: some({ unit: 'USD', value: prices.bitcoin }) }) },
    search: some({ coins: expect.arrayContaining([some({ id: 'bitcoin' })]) }),
    platforms: expect.arrayContaining([some({ id: 'ethereum', chain_identifier: 1, name: 'Ethereum' })]),
    categories: expect.arrayContaining([some({ market_cap: expect.any(Number), top_3_coins_id: expect.any(Array) })]),
    categoryList: expect.arrayContaining([{ category_id: expect.any(String), name: expect.any(String) }]),
    movers: some({ top_gainers: expect.arrayContaining([some({ usd_24h_change: expect.any(Number) })]) }),
    tickers: some({ name: 'Bitcoin', tickers: expect.arrayContaining([some({ base: 'BTC' })]) }),
    contract: some({
      contract_address: expect.any(String),
      market_data: some({ current_price: some({ usd: prices[slug] }) }),
    }),
    contractChart: some({ prices: expect.arrayContaining([[expect.any(Number), prices[slug]]]) }),
    exchanges: expect.arrayContaining([some({ id: 'sample-a', trade_volume_24h_btc: expect.any(Number) })]),
    exchangeList: expect.arrayContaining([{ id: 'sample-a', name: expect.any(String) }]),
    exchange: some({ centralized: true, tickers: expect.arrayContaining([some({ coin_id: expect.any(String) })]) }),
    exchangeTickers: some({ tickers: expect.arrayContaining([some({ coin_id: 'bitcoin' })]) }),
    trending: some({ coins: expect.arrayContaining([{ item: some({ id: 'bitcoin' }) }]) }),
    tokenList: some({ tokens: expect.arrayContaining([some({ address, chainId: 1 })]) }),
    capChart: {
      market_cap_chart: { market_cap: [[Date.parse('2026-11-20'), expect.any(Number)]], volume: expect.any(Array) },
    },
    global: { data: some({ active_cryptocurrencies: json('global').global.listings }) },
  }
}

describe.each(Object.entries(HOSTS).slice(0, hasTools ? 2 : 1))('%s', (_, start) => {
  let host: Host
  beforeAll(async () => {
    host = await start()
  })
  afterAll(() => host.end())

  it.each(Object.entries(CLIENTS))('answers every route to %s', async (_, clientOf) => {
    const { unknown, ...calls } = clientOf(`${host.url}/api/v3`)
    const wanted = expected()
    expect(Object.keys(wanted)).toEqual(expect.arrayContaining(Object.keys(calls)))
    for (const [name, call] of Object.entries(calls)) expect(await call(), name).toEqual(wanted[name])
    await expect(unknown?.()).rejects.toThrow('404')
  })
})
