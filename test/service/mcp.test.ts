import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listen } from '../../src/service/node.ts'
import { copySampleTree, newFolder } from '../sample-tree.ts'
import type { Host } from './running.ts'
import { hasTools } from '../tools.ts'
import { workerOver } from './worker.ts'
import { onDisk } from './world.ts'

const root = newFolder()
const NOW = Date.parse('2026-11-20T12:10:00Z')
const now = () => NOW
const HOSTS: Readonly<Record<string, () => Promise<Host>>> = {
  async 'the Node server'() {
    const server = await listen(onDisk(root, now, { now }), '127.0.0.1', 0)
    return { url: server.url, end: () => server.close() }
  },
  async 'the Worker'() {
    const { url, miniflare } = await workerOver(root, {}, NOW)
    return { url, end: () => miniflare.dispose() }
  },
}

beforeAll(() => copySampleTree(root))

it('says of a fault no more than that there was one', async () => {
  const read = () => Promise.reject(new Error('EIO: /srv/feeds/secret'))
  const server = await listen(onDisk(root, now, { now, read }), '127.0.0.1', 0)
  const client = new Client({ name: 'test', version: '1.0.0' })
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)))
    const { content, isError } = await client.callTool({ name: 'sources', arguments: {} })
    expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining('Ask again later.')])
    expect(JSON.stringify(content)).not.toContain('secret')
  } finally {
    await client.close()
    await server.close()
  }
})

describe.each(Object.entries(HOSTS).slice(0, hasTools ? 2 : 1))('%s', (_, start) => {
  let host: Host
  const client = new Client({ name: 'test', version: '1.0.0' })
  beforeAll(async () => {
    host = await start()
    await client.connect(new StreamableHTTPClientTransport(new URL(`${host.url}/mcp`)))
  })
  afterAll(async () => {
    await client.close()
    await host.end()
  })

  const call = async (name: string, args: Record<string, unknown>) => {
    const { content, isError } = await client.callTool({ name, arguments: args })
    const [first] = content
    return { text: first?.type === 'text' ? first.text : '', isError: isError === true }
  }
  const answer = async (name: string, args: Record<string, unknown>) => {
    const { text, isError } = await call(name, args)
    expect([text, isError]).toEqual([text, false])
    return JSON.parse(text)
  }

  it('has eight tools, search first, that only read', async () => {
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(['search', 'price', 'price_at', 'history', 'coin', 'markets', 'market', 'sources'])
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true)
  })

  it('answers each with figures, their times and confidence', async () => {
    const found = await answer('search', { query: 'bitcoin' })
    expect(found.rows[0]).toMatchObject({ coin: 'bitcoin', symbol: 'BTC', confidence: expect.any(Number) })
    const { rows } = await answer('price', { coins: ['BTC', 'ethereum'], vs: 'eur' })
    expect(rows.map((row: { coin: string }) => row.coin)).toEqual(['bitcoin', 'ethereum'])
    expect(rows[0]).toMatchObject({ price: expect.any(Number), as_of: expect.stringMatching(/Z$/) })
    const past = await answer('price_at', { coin: 'bitcoin', time: '2026-11-18' })
    expect(past).toMatchObject({ price: expect.any(Number), seen_at: '2026-11-18T00:00:00Z' })
    const history = await answer('history', { coin: 'bitcoin', days: 7, limit: 5 })
    expect(history.rows).toHaveLength(5)
    expect((await answer('coin', { coin: 'ethereum' })).coin).toBe('ethereum')
    expect((await answer('markets', { coin: 'bitcoin' })).rows[0]).toMatchObject({ exchange: expect.any(String) })
    expect((await answer('market', { list: 'gainers' })).rows[0].percent_change_24h).toBeGreaterThan(0)
    const [inBitcoin] = (await answer('market', { vs: 'btc', limit: 1 })).rows
    expect(inBitcoin).toMatchObject({ coin: 'bitcoin', percent_change_24h: 0 })
    expect(await answer('sources', {})).toMatchObject({ answering: expect.any(Number) })
  })

  it('says what to ask instead where there is no answer', async () => {
    expect((await call('price', { coins: ['bitcoinn'] })).text).toContain('bitcoin')
    expect((await call('price', { coins: ['bitcoin'], vs: 'xyz' })).text).toContain('usd')
    expect((await call('price_at', { coin: 'bitcoin', time: 'soon' })).text).toContain('2026-03-31')
    expect((await call('price_at', { coin: 'bitcoin', time: '2030-01-01' })).text).toContain('future')
    expect((await call('price_at', { coin: 'bitcoin', time: '2009-01-01' })).text).toMatch(
      /begin at 20.* and end at 2026-11-20T/,
    )
  })

  it('keeps every answer within its bound, whatever it is asked', async () => {
    const { tools } = await client.listTools()
    const any = fc.oneof(
      fc.string({ maxLength: 30 }),
      fc.double(),
      fc.constant(null),
      fc.constantFrom('bitcoin', 'btc', '__proto__', '2026-02-29', 'usd'),
      fc.array(fc.constantFrom('bitcoin', 'BTC', '')),
    )
    const names = ['query', 'coin', 'coins', 'time', 'days', 'vs', 'limit', 'list', 'max_bytes']
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...tools.map(({ name }) => name)),
        fc.dictionary(fc.constantFrom(...names), any),
        async (name, args) => {
          const { text } = await call(name, args)
          expect(text).not.toMatch(/\bat .*\.(ts|js):\d|node_modules/)
          expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4000)
        },
      ),
      { numRuns: 100 },
    )
    const all = await call('market', { limit: 50 })
    expect(Buffer.byteLength(all.text)).toBeLessThanOrEqual(2000)
    expect(JSON.parse(all.text).left_out).toBeGreaterThan(0)
  })
})
