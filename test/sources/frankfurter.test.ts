import { expect, it } from 'vitest'
import { frankfurter } from '../../src/sources/frankfurter.ts'
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
