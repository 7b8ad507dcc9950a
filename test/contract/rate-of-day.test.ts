import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { RATE_OF_DAY, ratesOn, yearsOf } from '../../src/core/contract/rate-of-day.ts'
import { DAY_MS, dayOf } from '../../src/core/contract/time.ts'

const row = (day: string, source: string, rates_usd: Readonly<Record<string, number>>) => ({ day, source, rates_usd })

it('prefers a central bank, even of the day before, to what this feed measured', () => {
  const rows = [row('2024-03-02', 'rates', { EUR: 2, ARS: 3 }), row('2024-03-01', 'bank', { EUR: 1 })]
  expect([...ratesOn(rows, '2024-03-02').values()]).toEqual([
    { symbol: 'ARS', price_usd: 3, source: 'rates', day: '2024-03-02' },
    { symbol: 'EUR', price_usd: 1, source: 'bank', day: '2024-03-01' },
    { symbol: 'USD', price_usd: 1, source: 'definition', day: '2024-03-02' },
  ])
})

it('has the last rate of up to a number of days before, over a leap day and a new year too', () => {
  const day = fc.date({ min: new Date('1999-01-20'), max: new Date('2030-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(day, fc.integer({ min: 0, max: 20 }), fc.constantFrom('bank', 'rates'), (date, age, source) => {
      const [asked, own] = [dayOf(date.getTime()), dayOf(date.getTime() - age * DAY_MS)]
      const found = ratesOn([row(own, source, { EUR: 1.5 })], asked).get('EUR')
      const most = source === 'bank' ? RATE_OF_DAY.bank_days : RATE_OF_DAY.own_days
      expect(found).toEqual(age > most ? undefined : { symbol: 'EUR', price_usd: 1.5, source, day: own })
      if (age <= most) expect(yearsOf(asked)).toContain(own.slice(0, 4))
    }),
  )
})

it('ends with a currency, and has a redenominated one in the unit of its day', () => {
  const ended = row('2022-12-30', 'bank', { HRK: 0.14 })
  expect(ratesOn([ended], '2022-12-31').get('HRK')?.day).toBe('2022-12-30')
  expect(ratesOn([ended], '2023-01-07').has('HRK')).toBe(false)
  // Venezuela cut six zeros on 1 October 2021 and kept the code.
  const rows = [row('2021-09-30', 'rates', { VES: 2.4e-7 }), row('2021-10-01', 'rates', { VES: 0.24 })]
  const rateOn = (day: string) => ratesOn(rows, day).get('VES')?.price_usd
  expect(['2021-09-30', '2021-10-01', '2021-10-02', '2021-10-03'].map(rateOn)).toEqual([2.4e-7, 0.24, 0.24, undefined])
})

it('knows nothing before the first rate and of the future', () => {
  expect(ratesOn([row('1999-01-04', 'bank', { EUR: 1.18 })], '1999-01-03').has('EUR')).toBe(false)
  expect(ratesOn([row('1999-01-04', 'bank', { EUR: 1.18 })], '2199-01-03').has('EUR')).toBe(false)
})
