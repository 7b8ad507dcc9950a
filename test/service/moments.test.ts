import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { DAY_MS, dayOf } from '../../src/core/contract/time.ts'
import { randomOf } from '../../src/core/sources/sample/sample.ts'
import { type Listening, listen } from '../../src/service/node.ts'
import { copySampleTree, newFolder } from '../sample-tree.ts'
import { scaled } from '../scale.ts'
import { onDisk } from './world.ts'

const root = newFolder()
let now = 0
let server: Listening
beforeAll(async () => {
  await copySampleTree(root)
  now = Date.parse(published('head').generatedAt) + 60_000
  server = await listen(
    onDisk(root, () => now, { now: () => now }),
    '127.0.0.1',
    0,
  )
})
afterAll(() => server.close())

const published = (file: string) => JSON.parse(readFileSync(join(root, `api/mkt/${file}.json`), 'utf8'))
const answer = async (path: string) => (await fetch(server.url + path)).json()

it('gives one price for one moment, in one currency, at every address', async () => {
  const random = randomOf(7)
  const pick = <T>(of: readonly T[]): T => {
    const one = of[Math.floor(random() * of.length)]
    if (one === undefined) throw new Error('there is nothing to pick from')
    return one
  }
  const client = createClient({ mirrors: [server.url], now: () => now })
  const symbols = new Map<string, string>(
    published('symbols').rows.map(({ key, slug }: { key: string; slug: string }) => [slug, key]),
  )
  const first = new Map<string, number>(
    published('daily').rows.map(({ slug, from }: { slug: string; from: string }) => [slug, Date.parse(from)]),
  )
  const priced: string[] = published('assets').rows.flatMap(
    ({ slug, price_usd }: { slug: string; price_usd: number }) => (price_usd === null ? [] : [slug]),
  )
  let compared = 0
  for (let round = 0; round < scaled(60, 1000); round++) {
    const [slug, vs] = [pick(priced), pick(['usd', 'usd', 'eur', 'jpy', 'btc'])]
    const span = pick([DAY_MS, 7 * DAY_MS, 30 * DAY_MS, 365 * DAY_MS, now - (first.get(slug) ?? now - DAY_MS)])
    const any = Math.floor((now - random() * span) / 1000) * 1000
    const chart = await answer(`/api/v3/coins/${slug}/market_chart?vs_currency=usd&days=${pick([1, 7, 30, 90, 'max'])}`)
    const [seen, shown] = pick<[number, number]>(chart.prices)
    const moment = pick([any, any - (any % DAY_MS), seen])
    const past = await client.priceAt(slug, moment, { vs })
    const prices = new Map<string, unknown>()
    if (moment === seen && vs === 'usd') prices.set('chart', shown)
    const historical = await answer(
      `/data/pricehistorical?fsym=${symbols.get(slug)}&tsyms=${vs.toUpperCase()}&ts=${moment / 1000}`,
    )
    const own = historical[symbols.get(slug) ?? '']
    if (own) prices.set('pricehistorical', own[vs.toUpperCase()])
    if (moment % DAY_MS === 0) {
      const date = dayOf(moment).split('-').toReversed().join('-')
      const history = await answer(`/api/v3/coins/${slug}/history?date=${date}`)
      if (history.market_data) prices.set('history', history.market_data.current_price[vs] ?? null)
      const closes = await answer(`/api/mkt/closes/${dayOf(moment - DAY_MS)}`)
      const row = closes.rows?.find((one: { slug: string }) => one.slug === slug)
      if (row && vs === 'usd') prices.set('closes', row.close_usd)
    }
    for (const [address, price] of prices)
      expect([slug, vs, new Date(moment).toISOString(), address, price]).toEqual([
        slug,
        vs,
        new Date(moment).toISOString(),
        address,
        past?.price,
      ])
    compared += prices.size
  }
  expect(compared).toBeGreaterThan(scaled(40, 800))
})
