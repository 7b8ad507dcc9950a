import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { DAY_MS, dayOf } from '../../src/core/contract/time.ts'
import { type Listening, listen } from '../../src/service/node.ts'
import { copySampleTree, newFolder } from '../sample-tree.ts'
import { onDisk } from './world.ts'

const root = newFolder()
const published = (file: string) => JSON.parse(readFileSync(join(root, `api/mkt/${file}.json`), 'utf8'))
const now = () => Date.parse(published('head').generatedAt)
let server: Listening
beforeAll(async () => {
  await copySampleTree(root)
  server = await listen(onDisk(root, now, { now }), '127.0.0.1', 0)
})
afterAll(() => server.close())

const Chart = z.object({ prices: z.array(z.tuple([z.number(), z.number()])) })
const get = async (path: string) => (await fetch(`${server.url}/api/v3/coins/bitcoin${path}`)).json()
const chart = async (path: string) => Chart.parse(await get(path)).prices

/** How each program asks for the price of a day, and which of the answer it takes: its first price of that day, or its last. */
const PROGRAMS: Readonly<Record<string, (start: number) => Promise<number | undefined>>> = {
  async Ghostfolio(start) {
    const [from, to] = [start / 1000, (start + DAY_MS) / 1000]
    const prices = await chart(`/market_chart/range?vs_currency=usd&from=${from}&to=${to}`)
    return new Map(prices.map(([time, price]) => [dayOf(time), price])).get(dayOf(start))
  },
  async rotki(start) {
    const date = dayOf(start).split('-').toReversed().join('-')
    const Answer = z.object({ market_data: z.object({ current_price: z.object({ usd: z.number() }) }) })
    return Answer.parse(await get(`/history?date=${date}&localization=false`)).market_data.current_price.usd
  },
  async Electrum(start) {
    const prices = await chart('/market_chart?vs_currency=USD&days=max')
    return new Map(prices.map(([time, price]) => [dayOf(time), price])).get(dayOf(start))
  },
  async 'Portfolio Performance'(start) {
    const prices = await chart('/market_chart?vs_currency=usd&days=max&interval=daily')
    return prices.find(([time]) => dayOf(time) === dayOf(start))?.[1]
  },
}

it.each(Object.entries(PROGRAMS))(
  '%s has the price of a day in every quarter since the listing',
  async (_, priceOn) => {
    const { from, columns } = published('daily/bitcoin')
    const closes = new Map<string, number>(
      columns.close_usd.map((close: number, place: number) => [dayOf(Date.parse(from) + (place + 1) * DAY_MS), close]),
    )
    // Of the last month there are several prices a day, of which each program takes another.
    const days = [...closes.keys()].slice(0, -100).filter((_, place) => place % 90 === 0)
    expect(days.length).toBeGreaterThan(3)
    for (const day of days) expect([day, await priceOn(Date.parse(day))]).toEqual([day, closes.get(day)])
  },
)
