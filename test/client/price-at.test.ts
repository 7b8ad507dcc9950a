import { expect, it } from 'vitest'
import { type Reply, envelope, fine, netOf } from './net.ts'

const NOW = Date.UTC(2024, 5, 10, 12, 10)
const INTERVALS = { 1: '30m', 7: '1h', 30: '4h', 90: '1d', 365: '1d' } as const

const historyOf = (
  days: keyof typeof INTERVALS,
  prices: Readonly<Record<string, number>>,
  replacedBy: string | null = null,
  to: string | null = null,
): readonly [string, Reply] => [
  `/api/mkt/history/acme/days=${days}.json`,
  {
    body: envelope('history', {
      timestamp: '2024-06-10T12:10:00Z',
      slug: 'acme',
      days,
      interval: INTERVALS[days],
      replacedBy,
      to,
      rows: Object.entries(prices).map(([timestamp, price_usd]) => ({ timestamp, price_usd, volume_24h_usd: null })),
    }),
  },
]
const closesOf = (day: string, prices: Readonly<Record<string, number>>): readonly [string, Reply] => [
  `/api/mkt/closes/${day}.json`,
  {
    body: envelope('closes-of-day', {
      day,
      basis: 'runs',
      rows: Object.entries(prices).map(([slug, close_usd]) => ({ slug, close_usd })),
    }),
  },
]
const clientOf = (...replies: readonly (readonly [string, Reply])[]) => {
  const { client } = netOf({ a: fine('a', Object.fromEntries(replies)) }, { now: () => NOW })
  return client
}

it('reads the last price at or before the time in the finest series that reaches back to it', async () => {
  const client = clientOf(
    historyOf(1, { '2024-06-10T11:30:00Z': 5 }),
    historyOf(7, { '2024-06-07T09:00:00Z': 6 }),
    historyOf(365, { '2024-01-02T00:00:00Z': 7 }),
  )
  expect(await client.priceAt('acme', NOW - 5 * 60_000)).toEqual({
    price_usd: 5,
    timestamp: '2024-06-10T12:00:00Z',
    interval: '30m',
    source: 'history',
    basis: null,
  })
  expect(await client.priceAt('acme', '2024-06-07T10:59:59Z')).toMatchObject({ price_usd: 6, interval: '1h' })
  expect(await client.priceAt('acme', new Date('2024-01-03T15:00:00Z'))).toMatchObject({ price_usd: 7, interval: '1d' })
})

it('reads the finest series of a listing that left, whose ranges end with its last price', async () => {
  const [to, day] = ['2024-03-01T21:00:00Z', '2024-03-01T00:00:00Z']
  const client = clientOf(historyOf(1, { [to]: 1 }, null, to), historyOf(365, { [day]: 3 }, null, day))
  const found = { price_usd: 1, timestamp: '2024-03-01T21:30:00Z', interval: '30m' }
  expect(await client.priceAt('acme', '2024-03-01T21:40:00Z')).toMatchObject(found)
})

it('reads a coarser series where the finer one has a gap, and then the closes', async () => {
  const empty = ([1, 7, 30, 90, 365] as const).map((days) => historyOf(days, {}))
  const client = clientOf(...empty, historyOf(90, { '2024-06-08T00:00:00Z': 8 }), closesOf('2024-06-09', { acme: 9 }))
  expect(await client.priceAt('acme', '2024-06-09T04:00:00Z')).toMatchObject({ price_usd: 8, interval: '1d' })
  expect(await client.priceAt('acme', '2024-06-10T04:00:00Z')).toEqual({
    price_usd: 9,
    timestamp: '2024-06-10T00:00:00Z',
    interval: '1d',
    source: 'closes',
    basis: 'runs',
  })
})

it('asks only for the closes of a time before all history', async () => {
  const client = clientOf(closesOf('2020-02-29', { acme: 3, other: 4 }))
  expect(await client.priceAt('acme', Date.UTC(2020, 2, 1, 23))).toMatchObject({ price_usd: 3, source: 'closes' })
  expect(await client.priceAt('unknown', Date.UTC(2020, 2, 1))).toBe(null)
  expect(await client.priceAt('acme', Date.UTC(2019, 1, 1))).toBe(null)
})

it('follows an asset to its new slug', async () => {
  const [, next] = historyOf(365, { '2024-01-02T00:00:00Z': 7 })
  const client = clientOf(historyOf(365, {}, 'next'), ['/api/mkt/history/next/days=365.json', next])
  expect(await client.priceAt('acme', '2024-01-03T04:00:00Z')).toMatchObject({ price_usd: 7 })
})

it('knows no price of an asset that is replaced by itself, and does not ask for ever', async () => {
  const client = clientOf(...([1, 7, 30, 90, 365] as const).map((days) => historyOf(days, {}, 'acme')))
  expect(await client.priceAt('acme', NOW - 60_000)).toBe(null)
})

it.each(['"1w"', '"constructor"', 'null', '[[1]]'])(
  'passes over a series whose interval is none: %s',
  async (interval) => {
    const series = ([1, 7, 30, 90, 365] as const).map((days) => {
      const body = envelope('history', { slug: 'acme', days, interval: 0, replacedBy: null, rows: [] })
      const text = JSON.stringify(body).replace('"interval":0', `"interval":${interval}`)
      return [`/api/mkt/history/acme/days=${days}.json`, { body: text }] as const
    })
    const client = clientOf(...series, closesOf('2024-06-09', { acme: 9 }))
    expect(await client.priceAt('acme', '2024-06-10T04:00:00Z')).toMatchObject({ source: 'closes' })
  },
)

it('reads a time without a zone in UTC', async () => {
  const client = clientOf(historyOf(1, { '2024-06-10T04:00:00Z': 3, '2024-06-10T06:00:00Z': 4 }))
  for (const time of ['2024-06-10T04:40', '2024-06-10 04:40:00', '2024-06-10T06:40:00+02:00'])
    expect(await client.priceAt('acme', time)).toMatchObject({ price_usd: 3 })
})

it.each(['yesterday', '11/10/2024', '2024', ''])('refuses "%s", which is no time', async (time) => {
  await expect(clientOf().priceAt('acme', time)).rejects.toThrow(new TypeError(`${time} is not a time`))
})

const ratesOf = (
  year: string,
  rows: readonly {
    readonly day: string
    readonly source: string
    readonly rates_usd: Readonly<Record<string, number>>
  }[],
): readonly [string, Reply] => [
  `/api/mkt/rates/years/${year}.json`,
  { body: envelope('rates-of-year', { year, sources: [], count: rows.length, rows }) },
]
const bank = (day: string, rates_usd: Readonly<Record<string, number>>) => ({ day, source: 'bank', rates_usd })

it('gives the money of that day, and the last rate before it on a weekend', async () => {
  const client = clientOf(
    historyOf(365, {}),
    closesOf('2023-12-29', { acme: 3 }),
    closesOf('2024-01-01', { acme: 4 }),
    ratesOf('2023', [bank('2023-12-29', { EUR: 1.5 }), bank('2023-12-28', { EUR: 9, HRK: 0.1 })]),
    ratesOf('2024', [bank('2024-01-02', { EUR: 7 })]),
  )
  const asked = { vs: 'eur' }
  const rate = { symbol: 'EUR', price_usd: 1.5, source: 'bank', day: '2023-12-29' }
  expect(await client.priceAt('acme', '2023-12-30T10:00:00Z', asked)).toMatchObject({ price: 2, vs: 'eur', rate })
  expect(await client.priceAt('acme', '2024-01-02', asked)).toMatchObject({ price: 2.6666667, rate })
})

it('has no rate of a currency that ended, has not begun or is none, and still the price in dollars', async () => {
  const client = clientOf(
    ...([1, 7, 30, 90, 365] as const).map((days) => historyOf(days, {})),
    closesOf('2023-01-20', { acme: 3 }),
    closesOf('1999-01-01', { acme: 3 }),
    ratesOf('2023', [bank('2023-01-02', { HRK: 0.14 }), bank('2023-01-19', { EUR: 1.1 })]),
    ratesOf('1999', [bank('1999-01-04', { EUR: 1.18 })]),
  )
  const none = { price_usd: 3, price: null, rate: null }
  expect(await client.priceAt('acme', '2023-01-21', { vs: 'HRK' })).toMatchObject(none)
  expect(await client.priceAt('acme', '2023-01-21', { vs: 'constructor' })).toMatchObject(none)
  expect(await client.priceAt('acme', '1999-01-02', { vs: 'eur' })).toMatchObject(none)
  expect(await client.priceAt('acme', '2031-01-01', { vs: 'eur' })).toBe(null)
})

it('gives a price in a coin by the price of the coin at that time', async () => {
  const client = clientOf(closesOf('2020-02-29', { acme: 3, bitcoin: 6 }))
  expect(await client.priceAt('acme', '2020-03-01', { vs: 'btc' })).toMatchObject({
    price: 0.5,
    rate: { symbol: 'BTC', price_usd: 6, source: 'closes', day: '2020-03-01' },
  })
})
