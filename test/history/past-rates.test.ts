import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { DayRatesRow } from '../../src/core/contract/observations.ts'
import { groupBy } from '../../src/core/contract/order.ts'
import { NOTHING_BEFORE } from '../../src/core/feed/listing.ts'
import { dueRates, extendRates, ofYear } from '../../src/core/history/past-rates.ts'
import type { Rows } from '../../src/core/history/rows.ts'

const SOURCE = { id: 'bank', first: '1999-01-04' } as const
const NOW = Date.UTC(2026, 10, 20, 17)

const ratesFor = (...days: readonly string[]): Rows['pastRates'] =>
  groupBy(
    days.map((day) => ({ day, source: 'bank', rates_usd: { EUR: 1.1 } })),
    ({ day }) => day.slice(0, 4),
  )
const row = (day: string, rates_usd: Readonly<Record<string, number>>) => ({
  source_id: 'bank',
  kind: 'day-rates' as const,
  day,
  rates_usd: { ...rates_usd },
})

describe('a run asks', () => {
  it('first for the year so far, up to the newest day', () => {
    expect(dueRates(SOURCE, '2026-11-20', new Map())).toEqual({ from: '2026-01-01', to: '2026-11-20' })
    expect(dueRates(SOURCE, null, new Map())).toBe(null)
  })

  it('for each new day, and those that it missed, over a new year', () => {
    expect(dueRates(SOURCE, '2027-01-05', ratesFor('2026-01-02', '2026-12-29'))).toEqual({
      from: '2026-12-30',
      to: '2027-01-05',
    })
  })

  it('for one year before a run, until the first day of the series, and for one that is lost', () => {
    const newest = '2026-11-20'
    const days = [newest, '2024-12-31']
    const asked: unknown[] = []
    for (
      let due = dueRates(SOURCE, newest, ratesFor(...days));
      due;
      due = dueRates(SOURCE, newest, ratesFor(...days))
    ) {
      asked.push(due)
      days.push(due.to)
    }
    expect(asked).toHaveLength(26)
    expect(asked[0]).toEqual({ from: '2025-01-01', to: '2025-12-31' })
    expect(asked.at(-1)).toEqual({ from: '1999-01-04', to: '1999-12-31' })
  })
})

describe('extended by a run', () => {
  const standing = ratesFor('2026-11-18')
  const [known] = standing.get('2026') ?? []
  const rate = (symbol: 'EUR' | 'BTC' | 'TRY' | 'XYZ') => ({
    symbol,
    price_usd: 1 / 3,
    method: symbol === 'XYZ' ? ('carried' as const) : ('exchanges' as const),
    quotes: 3,
    as_of: '2026-11-19T23:30:00Z',
    inputs: [],
    cross_check: null,
  })
  const before = new Map((['EUR', 'BTC', 'TRY', 'XYZ'] as const).map((symbol) => [symbol, rate(symbol)]))

  const extended = (given: Partial<Parameters<typeof extendRates>[1]>) => {
    const rates = extendRates(standing, { fetched: [], before: NOTHING_BEFORE.rates, now: NOW, ...given })
    const isSame = rates.get('2026') === standing.get('2026')
    return { isSame, year: ofYear('2026', rates.get('2026') ?? []), years: [...rates.keys()] }
  }

  it('keep what is known and add the rest in order, but no day that has not begun', () => {
    const fetched = [row('2026-11-19', { EUR: 1.2 }), row('2026-11-18', { EUR: 7 }), row('2026-11-21', { EUR: 8 })]
    expect(extended({ fetched })).toEqual({
      isSame: false,
      years: ['2026'],
      year: {
        year: '2026',
        sources: [{ source: 'bank', from: '2026-11-18', to: '2026-11-19' }],
        count: 2,
        rows: [known, { day: '2026-11-19', source: 'bank', rates_usd: { EUR: 1.2 } }],
      },
    })
  })

  it('take what the last run of the day before measured, without coins and carried rates', () => {
    const own = { day: '2026-11-19', source: 'rates', rates_usd: { EUR: 0.33333333, TRY: 0.33333333 } }
    expect(extended({ before }).year.rows).toEqual([known, own])
  })

  it('change nothing later in the day, and without anything new', () => {
    expect(extended({ before, now: Date.UTC(2026, 10, 19, 23, 59) }).isSame).toBe(true)
    expect(extended({ fetched: [row('2026-11-18', { EUR: 7 })] }).isSame).toBe(true)
  })

  it('are the same in whichever order rows come, and never lose or change one', () => {
    const day = fc.integer({ min: 1, max: 28 }).map((one) => `2026-10-${String(one).padStart(2, '0')}`)
    const rows = fc.uniqueArray(
      fc.tuple(day, fc.integer({ min: 1, max: 9 })).map(([at, EUR]) => row(at, { EUR })),
      { selector: (one) => one.day },
    )
    const add = (rates: Rows['pastRates'], fetched: readonly DayRatesRow[]) =>
      extendRates(rates, { fetched, before: new Map(), now: NOW })
    fc.assert(
      fc.property(rows, fc.nat(28), (all, cut) => {
        const atOnce = add(standing, all)
        expect(add(add(standing, all.slice(cut)), all.slice(0, cut))).toEqual(atOnce)
        expect(
          add(
            atOnce,
            all.map((one) => row(one.day, { EUR: 99 })),
          ),
        ).toEqual(atOnce)
      }),
    )
  })
})
