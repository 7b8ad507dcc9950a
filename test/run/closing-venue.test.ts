import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { DAY_MS, dayOf } from '../../src/core/contract/time.ts'
import { sampleSources } from '../../src/core/sources/sample/sample.ts'
import { venue } from '../../src/core/sources/venue.ts'
import { LEAN_LISTINGS, NOON, leanRun, newFolder } from '../sample-tree.ts'
import { nothingMore, replies } from '../sources/replies.ts'

const since = dayOf(NOON + DAY_MS)
/** BitMart, whose rows are lists of texts. */
const bitmart = venue({
  id: 'bitmart',
  label: 'BitMart',
  host: 'api-cloud.bitmart.com',
  pace: { requests: 5, perSeconds: 1 },
  terms: null,
  closing: { since, source: 'https://example.org/notice' },
  page: 'https://www.bitmart.com/trade?symbol={market}',
  envelope: { ok: ['code', '1000'], rows: 'data' },
  tickers: {
    path: '/spot/quotation/v3/tickers',
    row: { name: '0', last: '1', bid: '8', ask: '10', base: '2', quote: '3' },
    change: { fraction: '7' },
    at: { ms: '12' },
  },
  pair: '_',
})

const row = (pair: string, last: number, at: number) =>
  [pair, last, 5, 5 * last, last, last, last, 0.049, last, 1, last, 1, at].map(String)

/** Runs with BitMart, where Bitcoin has the price of a sample exchange. Returns the events and how often it was asked. */
async function run(root: string, now: number) {
  const sources = sampleSources(now, LEAN_LISTINGS)
  const [exchange] = sources.filter(({ type }) => type === 'exchange')
  const quotes = (await exchange?.observe(replies({}), nothingMore)) ?? []
  const last =
    [...quotes].flatMap((one) => (one.kind === 'quote' && one.base === 'BTC' ? (one.last ?? []) : []))[0] ?? 0
  const body = { code: 1000, message: 'success', data: [row('BTC_USDT', last, now), row('DEAD_USDT', 0, now)] }
  let asked = 0
  const { events } = await leanRun(root, {
    now,
    sources: [...sources, bitmart],
    connect: () => ({
      stats: { requests: 0, retries: 0, bytes: 0 },
      close: async () => {},
      json(path, schema) {
        asked++
        return replies({ '/spot/quotation/v3/tickers': body }).json(path, schema)
      },
    }),
  })
  return { events, asked }
}

const read = (root: string, file: string) => readFileSync(join(root, 'api/mkt', file), 'utf8')
const Points = z.object({ rows: z.array(z.object({ timestamp: z.string() })) })

it('prices of a venue count until it winds down, and its past stays', async () => {
  const root = newFolder()
  expect((await run(root, NOON)).asked).toBe(1)
  expect(read(root, 'assets/bitcoin/markets.json')).toContain('"exchange_id":"bitmart"')
  expect(read(root, 'exchanges.json')).toContain('bitmart')
  const past = Points.parse(JSON.parse(read(root, 'history/bitcoin/days=7.json'))).rows
  expect(past.length).toBeGreaterThan(0)

  const closed = await run(root, NOON + DAY_MS)
  expect(closed.asked).toBe(0)
  expect(closed.events).toContainEqual(
    expect.objectContaining({
      kind: 'source_removed',
      subject: 'bitmart',
      name: 'BitMart',
      after: `closing since ${since}, https://example.org/notice`,
    }),
  )
  for (const file of ['assets/bitcoin.json', 'assets/bitcoin/markets.json', 'exchanges.json', 'collector.json'])
    expect(read(root, file), file).not.toContain('bitmart')
  const now = Points.parse(JSON.parse(read(root, 'history/bitcoin/days=7.json'))).rows.map(({ timestamp }) => timestamp)
  expect(now).toEqual(expect.arrayContaining(past.map(({ timestamp }) => timestamp)))
})
