import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Coingecko from '@coingecko/coingecko-typescript'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { type Listening, listen } from '../../src/service/node.ts'
import { copySampleTree, newFolder } from '../sample-tree.ts'
import { onDisk } from './world.ts'

const root = newFolder()
let server: Listening
const json = (file: string) => JSON.parse(readFileSync(join(root, `api/mkt/${file}.json`), 'utf8'))

beforeAll(async () => {
  await copySampleTree(root, 40)
  const now = Date.parse(json('../mkt').generatedAt)
  server = await listen(
    onDisk(root, () => now),
    '127.0.0.1',
    0,
  )
})
afterAll(() => server.close())
beforeEach(() => {
  vi.stubEnv('COINGECKO_BASE_URL', `${server.url}/api/v3`)
  return () => vi.unstubAllEnvs()
})

const sdk = () => new Coingecko({ maxRetries: 0, demoAPIKey: 'any: none is needed' })
const bitcoin = () => json('prices').prices.bitcoin

it("answers every call of CoinGecko's SDK, which reads the address from the environment", async () => {
  const client = sdk()
  expect(client.baseURL).toBe(`${server.url}/api/v3`)
  expect(await client.ping.get()).toHaveProperty('gecko_says')
  expect(await client.simple.price.get({ ids: 'bitcoin', vs_currencies: 'usd' })).toEqual({
    bitcoin: { usd: bitcoin() },
  })
  const { address } = json('contracts/ethereum').rows[0]
  const query = { contract_addresses: address, vs_currencies: 'usd' }
  expect(await client.simple.tokenPrice.getID('ethereum', query)).toHaveProperty([address])
  expect(await client.simple.supportedVsCurrencies.get()).toContain('usd')
  expect(await client.coins.list.get({ include_platform: true })).toHaveLength(json('assets').count)
  const [first] = await client.coins.markets.get({ vs_currency: 'usd', per_page: 1, sparkline: true })
  expect(first).toMatchObject({ id: 'bitcoin', current_price: bitcoin() })
  expect((await client.coins.getID('bitcoin')).market_data?.current_price?.usd).toBe(bitcoin())
  const chart = await client.coins.marketChart.get('bitcoin', { vs_currency: 'usd', days: '7' })
  expect(chart.prices?.length).toBeGreaterThan(160)
  const [from, to] = [chart.prices?.at(0)?.[0] ?? 0, chart.prices?.at(-1)?.[0] ?? 0]
  const range = { vs_currency: 'usd', from: String(from / 1000), to: String(to / 1000) }
  expect((await client.coins.marketChart.getRange('bitcoin', range)).prices).toEqual(chart.prices)
  expect((await client.coins.ohlc.get('bitcoin', { vs_currency: 'usd', days: '7' })).length).toBeGreaterThan(150)
  expect(await client.coins.history.get('bitcoin', { date: '20-11-2026' })).toMatchObject({ id: 'bitcoin' })
  expect((await client.exchangeRates.get()).rates).toHaveProperty('usd')
  expect((await client.search.get({ query: 'bitcoin' })).coins?.[0]?.id).toBe('bitcoin')
  expect((await client.global.get()).data?.active_cryptocurrencies).toBe(json('global').global.listings)
})

it('gives the SDK the error that it expects', async () => {
  await expect(sdk().coins.getID('no-such-coin')).rejects.toMatchObject({ status: 404 })
  await expect(sdk().coins.markets.get({ vs_currency: 'xyz' })).rejects.toMatchObject({ status: 400 })
})
