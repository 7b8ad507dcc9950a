import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { convertAmount, convertPrice } from '../../src/core/contract/conversion.ts'
import { answerSchemaOf } from '../../src/core/contract/endpoint-spec.ts'
import { ErrorAnswer } from '../../src/core/contract/envelope.ts'
import { print } from '../../src/core/contract/text.ts'
import { RateOfDay } from '../../src/core/contract/rates.ts'
import { closesOfDay } from '../../src/core/endpoints/series.ts'
import { specs } from '../../src/core/endpoints/table.ts'
import { sharedSampleTree } from '../sample-tree.ts'
import { ask, contextOf } from './world.ts'

let root = ''
beforeAll(async () => {
  root = await sharedSampleTree()
})
const fileText = (file: string): string => readFileSync(join(root, file), 'utf8')
const read = async (file: string) => {
  try {
    return fileText(file)
  } catch {
    return null
  }
}
const got = (path: string, init: RequestInit = {}) => ask(`/api/mkt${path}`, init, contextOf({ read }))

const Rates = z.object({ rows: z.array(z.object({ symbol: z.string(), price_usd: z.number() })) })
const rateOf = (symbol: string): number =>
  Rates.parse(JSON.parse(fileText('api/mkt/rates.json'))).rows.find((row) => row.symbol === symbol)?.price_usd ?? 0
const Prices = z.object({
  count: z.number(),
  prices: z.record(z.string(), z.number()),
  missing: z.array(z.string()).optional(),
})
const Dollars = z.looseObject({
  slug: z.string(),
  price_usd: z.number().nullable(),
  market_cap_usd: z.number().nullable(),
  percent_change_24h: z.number().nullable(),
})
const Euros = z.looseObject({ slug: z.string(), price: z.number().nullable(), market_cap: z.number().nullable() })

describe('vs', () => {
  it('converts every price, with the rate beside them', async () => {
    const answer = await (await got('/prices?vs=eur')).json()
    expect(answer).toMatchObject({ vs: 'eur', rate: { symbol: 'EUR', price_usd: rateOf('EUR') } })
    const dollars = Prices.parse(JSON.parse(fileText('api/mkt/prices.json')))
    const euros = Prices.parse(answer)
    expect(Object.keys(euros.prices)).toEqual(Object.keys(dollars.prices))
    for (const [slug, price] of Object.entries(dollars.prices))
      expect(euros.prices[slug]).toBe(convertPrice(price, { symbol: 'EUR', price_usd: rateOf('EUR') }))
  })

  it.each(
    specs.flatMap((spec) => ('vs' in spec.parameters && !spec.path.includes(':') ? [[spec.name, spec] as const] : [])),
  )('keeps the type of %s, and every member of it', async (_, spec) => {
    const text = await (await got(`${spec.path}?vs=eur`)).text()
    expect(answerSchemaOf(spec).safeParse(JSON.parse(text)).error?.issues).toBeUndefined()
    expect(text).toBe(print(JSON.parse(text)))
    const { timestamp: _timestamp, prices: _prices, ...whole } = await (await got(spec.path)).json()
    expect(JSON.parse(text)).toMatchObject(whole)
  })

  it('adds what it converted, and leaves percentages as they are', async () => {
    const List = z.object({ rows: z.array(Euros) })
    const { rows } = List.parse(await (await got('/assets?vs=eur&limit=3')).json())
    const whole = z.object({ rows: z.array(Dollars) }).parse(JSON.parse(fileText('api/mkt/assets.json')))
    const rate = { symbol: 'EUR', price_usd: rateOf('EUR') }
    expect(rows).toHaveLength(3)
    for (const [place, row] of rows.entries()) {
      const { price_usd, market_cap_usd, percent_change_24h } = Dollars.parse(whole.rows[place])
      expect(row.price).toBe(price_usd === null ? null : convertPrice(price_usd, rate))
      expect(row.market_cap).toBe(market_cap_usd === null ? null : convertAmount(market_cap_usd, rate))
      expect(row['percent_change_24h']).toBe(percent_change_24h)
    }
  })

  it('in dollars changes no price', async () => {
    const pricesIn = (text: string) => text.split('"prices":')[1]
    expect(pricesIn(await (await got('/prices?vs=usd')).text())).toBe(pricesIn(fileText('api/mkt/prices.json')))
  })

  it('has an ETag of its own, by which it is not sent again', async () => {
    const [euros, dollars] = [await got('/prices?vs=eur'), await got('/prices')]
    const etag = euros.headers.get('etag') ?? ''
    expect(etag).not.toBe(dollars.headers.get('etag'))
    expect((await got('/prices?vs=eur', { headers: { 'if-none-match': etag } })).status).toBe(304)
  })

  it('without a published rate is refused with the currencies that have one', async () => {
    const answer = await got('/prices?vs=xyz')
    const { error } = ErrorAnswer.parse(await answer.json())
    expect([answer.status, error.parameter]).toEqual([400, 'vs'])
    expect(error.allowed).toEqual(expect.arrayContaining(['btc', 'eur', 'usd']))
  })

  it('is unavailable where no rates are published', async () => {
    const without = async (file: string) => (file === 'api/mkt/rates.json' ? null : read(file))
    expect((await ask('/api/mkt/prices?vs=eur', {}, contextOf({ read: without }))).status).toBe(503)
  })
})

describe('ids', () => {
  it('selects prices in the order of the document, and names those without one', async () => {
    const answer = Prices.parse(await (await got('/prices?ids=nothing,ethereum,bitcoin')).json())
    expect(Object.keys(answer.prices)).toEqual(['bitcoin', 'ethereum'])
    expect([answer.count, answer.missing]).toEqual([2, ['nothing']])
  })

  it('selects rows beyond the limit of the list, and limits the selected ones', async () => {
    const { rows } = z.object({ rows: z.array(Dollars) }).parse(JSON.parse(fileText('api/mkt/assets.json')))
    const last = rows.at(-1)
    const answer = await (await got(`/assets?ids=bitcoin,${last?.slug}&limit=1`)).json()
    expect(answer).toMatchObject({ count: 1, rows: [{ slug: 'bitcoin' }], missing: [] })
    expect(await (await got(`/assets?ids=${last?.slug}`)).json()).toMatchObject({ rows: [last] })
  })

  it('keeps the order of prices whose slugs are numbers', async () => {
    const prices = print({ timestamp: '2026-11-20T12:00:00Z', count: 3, prices: { b: 2, a: 1, 42: 3 } }, [
      'b',
      '42',
      'a',
    ])
    const context = contextOf({ read: async (file) => (file === 'api/mkt/prices.json' ? prices : read(file)) })
    const answer = await ask('/api/mkt/prices?limit=2', {}, context)
    expect(await answer.text()).toContain('"count":2,\n"prices":{\n"b":2,\n"42":3\n}}')
  })

  it('converts what it selects', async () => {
    const answer = await (await got('/prices?ids=bitcoin&vs=btc')).json()
    expect(answer).toMatchObject({ vs: 'btc', prices: { bitcoin: expect.closeTo(1, 1) } })
  })
})

describe('amounts', () => {
  it.each([
    ['EUR', 2, 1234.57],
    ['JPY', 0, 1235],
    ['KWD', 3, 1234.568],
    ['BTC', 8, 1234.56789012],
  ])('of %s have %i decimals', (symbol, _, amount) => {
    expect(convertAmount(1234.567890123, { symbol, price_usd: 1 })).toBe(amount)
  })

  it('are larger in a currency that is worth less', () => {
    expect(convertAmount(10, { symbol: 'JPY', price_usd: 0.0065 })).toBe(1538)
    expect(convertPrice(0.00001234567891, { symbol: 'EUR', price_usd: 2 })).toBe(0.0000061728395)
  })
})

describe('the money of a day', () => {
  const Rates = z.object({
    rows: z.array(z.object({ symbol: z.string(), price_usd: z.number(), source: z.string(), day: z.string() })),
  })
  const Closes = z.object({
    day: z.string(),
    rows: z.array(z.looseObject({ slug: z.string(), close_usd: z.number() })),
  })
  const closes = () => {
    const today = z.object({ today: z.string() }).parse(JSON.parse(fileText('api/mkt/closes.json'))).today
    return Closes.parse(JSON.parse(fileText(`api/mkt/closes/${today}.json`)))
  }

  it('has every currency with the day of its rate, and coins by their closes', async () => {
    const { day, rows: closed } = closes()
    const response = await got(`/rates/${day}`)
    const { rows } = Rates.parse(await response.json())
    expect(rows).toContainEqual({ symbol: 'USD', price_usd: 1, source: 'definition', day })
    expect(rows.find(({ symbol }) => symbol === 'EUR')?.source).toBe('sample-reference')
    const bitcoin = closed.find(({ slug }) => slug === 'bitcoin')?.close_usd
    expect(rows).toContainEqual({ symbol: 'BTC', price_usd: bitcoin, source: 'closes', day })
    expect((await got('/rates/1998-01-05')).status).toBe(404)
    expect((await got('/rates/2199-01-05')).status).toBe(404)
    const tomorrow = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
    expect((await got(`/rates/${tomorrow}`)).status).toBe(404)
    expect((await got('/rates/2026-02-30')).status).toBe(404)
  })

  it('converts the closes of a day by the rate of that day, and says which', async () => {
    const { day, rows } = closes()
    const answer = await (await got(`/closes/${day}?vs=eur`)).json()
    const converted = z
      .object({
        vs: z.literal('eur'),
        rate: Rates.shape.rows.element,
        rows: z.array(z.looseObject({ close: z.number() })),
      })
      .parse(answer)
    expect(converted.rows.map(({ close }) => close)).toEqual(
      rows.map(({ close_usd }) => convertPrice(close_usd, converted.rate)),
    )
    expect(answerSchemaOf(closesOfDay).safeParse(answer).error?.issues).toBeUndefined()
    expect((await got(`/closes/${day}?vs=xyz`)).status).toBe(400)
    const [head, first = ''] = (await (await got(`/closes/${day}?vs=eur&format=csv`)).text()).split('\r\n')
    expect(head).toMatch(/,rights,close,.*vs,rate_usd,rate_day,rate_source$/)
    const { price_usd, day: rateDay, source } = RateOfDay.parse(answer.rate)
    expect(first).toMatch(new RegExp(`,eur,${price_usd},${rateDay},${source}$`))
  })
})
