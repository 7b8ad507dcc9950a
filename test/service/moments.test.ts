import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Client, createClient, valuesOf } from '../../src/client/client.ts'
import { DAY_MS, dayOf } from '../../src/core/contract/time.ts'
import { type Listening, listen } from '../../src/service/node.ts'
import { copySampleTree, newFolder } from '../sample-tree.ts'
import { scaled } from '../scale.ts'
import { onDisk } from './world.ts'

const root = newFolder()
const now = () => Date.parse('2026-11-20T12:10:00Z')
let server: Listening
let client: Client
let slugs: string[]
let symbols: ReadonlyMap<string, string>

beforeAll(async () => {
  await copySampleTree(root)
  // As of venues whose newest quotes are some minutes old.
  const file = join(root, 'api/mkt/markets.json')
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replaceAll('_updated":"2026-11-20T12:00', '_updated":"2026-11-20T11:50'),
  )
  server = await listen(onDisk(root, now, { now }), '127.0.0.1', 0)
  client = createClient({ mirrors: server.url, now })
  slugs = rowsOf('assets').map(({ slug }: { slug: string }) => slug)
  symbols = new Map(rowsOf('symbols').map(({ slug, key }: { slug: string; key: string }) => [slug, key]))
})
afterAll(() => server.close())

const rowsOf = (file: string) => JSON.parse(readFileSync(join(root, `api/mkt/${file}.json`), 'utf8')).rows
const get = async (path: string) => (await fetch(server.url + path)).json()

it('has one price for a moment at every address, in dollars and in euros', async () => {
  const range = fc.constantFrom('1', '7', '30', '365', 'max')
  const moment = fc.tuple(
    fc.nat(),
    range,
    fc.constantFrom('usd', 'eur', 'btc'),
    fc.double({ min: 0, max: 0.999, noNaN: true }),
    // Seconds after a price was seen: mostly some, within its bucket or beyond.
    fc.oneof(fc.constant(0), fc.nat({ max: 90_000 })),
  )
  await fc.assert(
    fc.asyncProperty(moment, async ([which, days, vs, share, later]) => {
      const slug = slugs[which % slugs.length] ?? ''
      const { prices } = await get(`/api/v3/coins/${slug}/market_chart?vs_currency=usd&days=${days}`)
      const priceOf = new Map<number, number>(prices)
      for (const [end, , , , close] of await get(`/api/v3/coins/${slug}/ohlc?vs_currency=usd&days=${days}`))
        expect([slug, end, priceOf.get(end) ?? close]).toEqual([slug, end, close])
      const [time, price] = prices[Math.floor(share * prices.length)] ?? []
      if (time === undefined) return
      const at = Math.floor(time / 1000 + later)
      const past = await client.priceAt(slug, at * 1000, { vs })
      const [symbol = '', unit] = [symbols.get(slug), vs.toUpperCase()]
      const historical = await get(`/data/pricehistorical?fsym=${symbol}&tsyms=${unit}&ts=${at}`)
      if (symbol !== '') expect([slug, at, historical[symbol]?.[unit] ?? null]).toEqual([slug, at, past?.price ?? null])
      const own = await client.priceAt(slug, time, { vs })
      expect([slug, time, own?.price_usd]).toEqual([slug, time, price])
      const [valued] = await valuesOf(client, [{ slug, amount: 1, time }], { vs, now })
      expect(valued?.price).toBe(own?.price)
      if (time % DAY_MS !== 0) return
      const date = dayOf(time).split('-').toReversed().join('-')
      const { market_data } = await get(`/api/v3/coins/${slug}/history?date=${date}`)
      expect(market_data.current_price.usd).toBe(price)
      expect(market_data.current_price[vs] ?? null).toBe(own?.price)
      const closed = await client.priceAt(slug, time - 1, { method: 'close' })
      expect(closed?.price_usd).toBe(price)
    }),
    { numRuns: scaled(60, 1000) },
  )
})

it('has the close of a day at its midnight in each range of the history', () => {
  type Row = Readonly<{ timestamp: string; price_usd: number }>
  const pricesOf = (slug: string, days: number, perDay: number): (readonly [number, number])[] =>
    rowsOf(`history/${slug}/days=${days}`).map((row: Row) => [
      Date.parse(row.timestamp) + DAY_MS / perDay,
      row.price_usd,
    ])
  for (const slug of slugs) {
    const closes = new Map(pricesOf(slug, 365, 1))
    const finer = [...pricesOf(slug, 1, 48), ...pricesOf(slug, 7, 24), ...pricesOf(slug, 30, 6)]
    expect(finer.filter(([end, price]) => end % DAY_MS === 0 && closes.get(end) !== price)).toEqual([])
  }
})
