import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { frankfurter } from '../../src/core/sources/frankfurter.ts'
import type { Http } from '../../src/core/sources/source.ts'
import { observe } from './replies.ts'

const PATH = '/v2/rates?base=USD&providers=ecb'
const row = { date: '2026-11-20', base: 'USD', quote: 'JPY', rate: 150 }

it('turns units for a dollar into dollars for a unit, each of its own day', async () => {
  const rows = [row, { ...row, quote: 'EUR', rate: 0.8, date: '2026-11-19' }]
  expect(await observe(frankfurter, { [PATH]: rows })).toEqual([
    { kind: 'reference', of: { currency: 'JPY' }, price_usd: 1 / 150, at: Date.UTC(2026, 10, 20) },
    { kind: 'reference', of: { currency: 'EUR' }, price_usd: 1.25, at: Date.UTC(2026, 10, 19) },
  ])
})

it('leaves out the dollar itself, and each row that it cannot read', async () => {
  const rows = [
    { ...row, quote: 'USD', rate: 1 },
    { ...row, base: 'EUR' },
    { ...row, rate: 0 },
    { ...row, date: 'soon' },
    { ...row, quote: 'XAU1' },
    row,
  ]
  expect((await observe(frankfurter, { [PATH]: rows })).map(({ kind }) => kind)).toEqual([
    'skipped',
    'rejected',
    'rejected',
    'rejected',
    'rejected',
    'reference',
  ])
})

it('takes an empty list, and the error of an unknown parameter, for no answer', async () => {
  await expect(observe(frankfurter, { [PATH]: [] })).rejects.toMatchObject({ code: 'source_invalid' })
  const error = { status: 422, message: 'invalid currency: XXX' }
  await expect(observe(frankfurter, { [PATH]: error })).rejects.toMatchObject({ code: 'source_invalid' })
})

describe('past rates', () => {
  const RANGE = { from: '2022-12-28', to: '2022-12-31' }
  const past = (date: string, quote: string, rate: number, base = 'EUR') => ({ date, base, quote, rate })
  const asked = (rows: readonly unknown[]) => {
    const http: Http = { json: async <Body extends z.ZodType>(_: string, schema: Body) => schema.parse(rows) }
    return frankfurter.pastRates?.ask(http, RANGE)
  }

  it('are the rates of the bank in dollars, each of its own day', async () => {
    const rows = [
      past('2022-12-30', 'USD', 1.0666),
      past('2022-12-30', 'HRK', 7.5365),
      past('2022-12-29', 'USD', 1.0649),
    ]
    expect(await asked(rows)).toEqual([
      { day: '2022-12-30', rates_usd: { EUR: 1.0666, HRK: 1.0666 / 7.5365 } },
      { day: '2022-12-29', rates_usd: { EUR: 1.0649 } },
    ])
  })

  it('leave out another year, a weekend, a day without the dollar, and a currency that a day has twice', async () => {
    const rows = [
      past('2021-12-30', 'USD', 1.1),
      past('2022-12-31', 'USD', 1.2),
      past('2022-12-29', 'JPY', 140),
      past('2022-12-28', 'GBP', 0.8),
      past('2022-12-28', 'USD', 1.05),
      past('2022-12-28', 'USD', 1.05),
      past('2022-12-28', 'GBP', 0.9),
      past('2022-12-28', 'JPY', 141, 'USD'),
      { date: '28.12.2022' },
    ]
    expect(await asked(rows)).toEqual([{ day: '2022-12-28', rates_usd: { EUR: 1.05 } }])
  })
})
