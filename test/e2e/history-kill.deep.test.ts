import { readFileSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { newFolder } from '../sample-tree.ts'
import { ended, run, start } from './commands.ts'

/** One asset, as CoinPaprika lists it. */
const ticker = (price: number) => ({
  id: 'btc-bitcoin',
  name: 'Bitcoin',
  symbol: 'BTC',
  rank: 1,
  total_supply: 1000,
  max_supply: 0,
  first_data_at: '2020-01-01T00:00:00Z',
  last_updated: '2026-11-20T11:59:00Z',
  quotes: { USD: { price, volume_24h: 500_000, market_cap: price * 1000, percent_change_24h: 2 } },
})

let asked: () => void = () => {}
let answering = true
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://gateway')
  if (pathname.endsWith('/v1/tickers')) response.end(JSON.stringify([ticker(97_000)]))
  else if (pathname.endsWith('/historical')) {
    asked()
    const start = Number(searchParams.get('start')) * 1000
    const price = { timestamp: new Date(start || Date.UTC(2026, 10, 20)).toISOString(), price: 90_000, volume_24h: 1 }
    if (answering) response.end(JSON.stringify([price]))
  } else response.writeHead(404).end('{}')
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

it('killed while it asks for past prices, a run loses no earlier point, and the next one goes on', async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const at = server.address()
  const gateway = { MKT_UPSTREAM: `http://127.0.0.1:${typeof at === 'object' ? at?.port : 0}` }
  const root = newFolder()
  const args = ['--out', root, '--only', 'coinpaprika', '--accept', 'listings_floor']
  const env = (hour: number) => ({ ...gateway, MKT_NOW: `2026-11-20T${hour}:00:00Z` })
  const histories = () => {
    const folder = join(root, 'api/mkt/history/bitcoin')
    return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
  }
  expect(await run('snapshot', args, env(12))).toMatchObject({ code: 0 })
  const before = histories()

  answering = false
  const child = start('snapshot', args, env(13))
  const end = ended(child)
  await new Promise<void>((told) => {
    asked = told
  })
  child.kill('SIGKILL')
  expect(await end).toMatchObject({ code: null })
  expect(histories()).toEqual(before)

  answering = true
  expect(await run('snapshot', args, env(14))).toMatchObject({ code: 0 })
  expect(histories()['days=7.json']).toContain('{"timestamp":"2026-11-20T12:00:00Z","price_usd":97000,')
  expect(histories()['days=7.json']).toContain('{"timestamp":"2026-11-20T14:00:00Z","price_usd":97000,')
})
