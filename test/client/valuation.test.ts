import { expect, it } from 'vitest'
import { valuesOf } from '../../src/client/client.ts'
import { DAY_MS, dayOf } from '../../src/core/contract/time.ts'
import { type Host, envelope, fine, netOf } from './net.ts'

const NOW = Date.UTC(2025, 5, 10, 12)
const FIRST = Date.UTC(2021, 0, 1)

function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
}
const closeOf = (day: string): number => 100 + ((Date.parse(day) / DAY_MS) % 97)
const isWorkday = (day: string): boolean => ![0, 6].includes(new Date(day).getUTCDay()) && !day.endsWith('-05-01')
const euroOf = (day: string): number => 1 + ((Date.parse(day) / DAY_MS) % 13) / 50

/** Closes since 2023, bars before, and a central bank that is closed on weekends and on the first of May. */
const host: Host = (path) => {
  const [, day] = /closes\/(.*)\.json$/.exec(path) ?? []
  if (day !== undefined && day >= '2023-01-01')
    return {
      body: envelope('closes-of-day', {
        day,
        basis: 'runs',
        rows: [{ slug: 'acme', close_usd: closeOf(day), open_usd: closeOf(day) - 1 }],
      }),
    }
  const [, year] = /rates\/years\/(\d+)\.json$/.exec(path) ?? []
  if (year !== undefined) {
    const days = Array.from({ length: 366 }, (_, at) => dayOf(Date.UTC(Number(year), 0, 1) + at * DAY_MS))
    const rows = days.flatMap((one) =>
      one.startsWith(year) && isWorkday(one) ? [{ day: one, source: 'ecb', rates_usd: { EUR: euroOf(one) } }] : [],
    )
    return { body: envelope('rates-of-year', { year, sources: [], count: rows.length, rows }) }
  }
  if (path === '/api/mkt/daily/acme.json') {
    const days = Array.from({ length: 730 }, (_, at) => dayOf(FIRST + at * DAY_MS))
    const columns = { close_usd: days.map(closeOf), open_usd: days.map((one) => closeOf(one) - 1) }
    return { body: envelope('daily', { slug: 'acme', from: dayOf(FIRST), to: days.at(-1), columns }) }
  }
  return fine('a')(path)
}
const now = () => NOW
const clientNow = () => netOf({ a: host }, { now })

it('values 1,000 amounts in euro as the money of their days says', async () => {
  const next = numbers(7)
  const holdings = Array.from({ length: 1000 }, () => {
    const ms = FIRST + next((NOW - FIRST) / 60_000 - 1440) * 60_000
    return { slug: 'acme', amount: next(10_000) / 100, time: new Date(ms).toISOString() }
  })
  const { client, asked } = clientNow()
  const valued = await valuesOf(client, holdings, { vs: 'eur', method: 'close', now })
  const wrong = holdings.filter(({ amount, time }, at) => {
    const day = time.slice(0, 10)
    let rateDay = day
    while (!isWorkday(rateDay)) rateDay = dayOf(Date.parse(rateDay) - DAY_MS)
    const { basis, value } = valued[at] ?? {}
    const isRated = basis?.rate?.day === rateDay && basis.rate.price_usd === euroOf(rateDay)
    const isFrom = basis?.source === (day < '2023-01-01' ? 'daily' : 'closes')
    const off = Math.abs((value ?? 0) - (amount * closeOf(day)) / euroOf(rateDay))
    return !isRated || !isFrom || off > 1e-5 * amount
  })
  expect([valued.length, wrong]).toEqual([1000, []])
  // Each document once, not once for each amount.
  expect(asked.filter((path) => path.endsWith('daily/acme.json'))).toHaveLength(1)
})

it('takes the open of a day, and says why an amount has no value', async () => {
  const values = async (method: 'open' | 'close', ...times: readonly (string | Date)[]) => {
    const holdings = times.map((time) => ({ slug: 'acme', amount: 2, time }))
    return (await valuesOf(clientNow().client, holdings, { method, now })).map(({ value, gap }) => value ?? gap)
  }
  const [old, recent] = ['2021-03-28', '2024-02-29']
  expect(await values('open', new Date(`${recent}T23:59:59Z`), old)).toEqual(
    [recent, old].map((day) => 2 * closeOf(day) - 2),
  )
  // On the night when clocks go forward, the day is that of UTC.
  expect(await values('close', `${old}T01:30:00Z`, `${old}T03:30:00+02:00`, `${old}T00:30:00+01:00`)).toEqual(
    [old, old, '2021-03-27'].map((day) => 2 * closeOf(day)),
  )
  expect(await values('close', '2020-12-31', '2025-06-10', '2030-01-01', 'soon')).toEqual([
    'acme has no close of that day, or is not the slug of a listing.',
    'acme has no close of that day, or is not the slug of a listing.',
    'The time is in the future.',
    'soon is not a time.',
  ])
  const { client } = clientNow()
  const [unknown, none, early] = await valuesOf(
    client,
    [
      { slug: 'other', amount: 1, time: recent },
      { slug: 'acme', amount: Number.NaN, time: recent },
      { slug: 'acme', amount: 1, time: recent },
    ],
    { vs: 'hrk', now },
  )
  expect([unknown?.gap, none?.gap, early?.gap]).toEqual([
    'other has no price of that day, or is not the slug of a listing.',
    'NaN is not an amount.',
    'HRK had no rate then.',
  ])
  // At midnight the day before has its close, and this one has no price yet.
  expect(early?.basis?.price_usd).toBe(closeOf('2024-02-28'))
})
