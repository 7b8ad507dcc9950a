import { describe, expect, it } from 'vitest'
import { ratesFile } from '../../src/contract/rates.ts'
import { fileOf } from '../../src/contract/endpoint-spec.ts'
import { print } from '../../src/contract/text.ts'
import { ratesOfYear } from '../../src/endpoints/rates.ts'
import { NOTHING_BEFORE } from '../../src/feed/listing.ts'
import { dueRates, extendedRates } from '../../src/history/past-rates.ts'

const SOURCE = { id: 'bank', first: '1999-01-04' } as const
const NOW = Date.UTC(2026, 10, 20, 17)

/** A tree with these years, each as printed. */
const treeOf = (years: Readonly<Record<string, object>>) => {
  const texts = new Map(
    Object.entries(years).map(([year, members]) => [
      ratesFile(year),
      print({ ok: true, product: 'p', endpoint: 'rates-of-year', year, ...members }),
    ]),
  )
  const read = (file: string) => texts.get(file) ?? null
  return { files: [...texts.keys()], last: { read, head: (file: string) => read(file)?.slice(0, 1000) ?? '' } }
}
const yearTo = (to: string) => ({
  sources: [{ source: 'bank', from: `${to.slice(0, 4)}-01-02`, to }],
  count: 0,
  rows: [],
})
const row = (day: string, rates_usd: Readonly<Record<string, number>>) => ({
  source_id: 'bank',
  kind: 'day-rates' as const,
  day,
  rates_usd: { ...rates_usd },
})

it('has its documents where the endpoint says', () => {
  expect(fileOf(ratesOfYear, { year: '2026' })).toBe(ratesFile('2026'))
})

describe('a run asks', () => {
  it('first for the year so far, up to the newest day', () => {
    expect(dueRates(SOURCE, '2026-11-20', treeOf({}))).toEqual({ from: '2026-01-01', to: '2026-11-20' })
    expect(dueRates(SOURCE, null, treeOf({}))).toBe(null)
  })

  it('for each new day, and those that it missed, over a new year', () => {
    const tree = treeOf({ 2026: yearTo('2026-12-29') })
    expect(dueRates(SOURCE, '2027-01-05', tree)).toEqual({ from: '2026-12-30', to: '2027-01-05' })
  })

  it('for one year before a run, until the first day of the series', () => {
    const newest = '2026-11-20'
    const asked: unknown[] = []
    const years: Record<string, object> = { 2026: yearTo(newest) }
    for (let due = dueRates(SOURCE, newest, treeOf(years)); due; due = dueRates(SOURCE, newest, treeOf(years))) {
      asked.push(due)
      years[due.to.slice(0, 4)] = yearTo(due.to)
    }
    expect(asked).toHaveLength(27)
    expect(asked[0]).toEqual({ from: '2025-01-01', to: '2025-12-31' })
    expect(asked.at(-1)).toEqual({ from: '1999-01-04', to: '1999-12-31' })
  })

  it('again for a year that is lost', () => {
    const tree = treeOf({ 2026: yearTo('2026-11-20'), 2024: yearTo('2024-12-31') })
    expect(dueRates({ ...SOURCE, first: '2024-01-02' }, '2026-11-20', tree)).toEqual({
      from: '2025-01-01',
      to: '2025-12-31',
    })
  })
})

describe('extended by a run', () => {
  const standing = {
    sources: [{ source: 'bank', from: '2026-11-18', to: '2026-11-18' }],
    count: 1,
    rows: [{ day: '2026-11-18', source: 'bank', rates_usd: { EUR: 1.1 } }],
  }
  const previous = {
    rates: new Map(
      (['EUR', 'BTC', 'TRY', 'XYZ'] as const).map((symbol) => [
        symbol,
        {
          symbol,
          price_usd: 1 / 3,
          method: symbol === 'XYZ' ? ('carried' as const) : ('exchanges' as const),
          quotes: 3,
          as_of: '2026-11-19T23:30:00Z',
          inputs: [],
          cross_check: null,
        },
      ]),
    ),
  }

  it('keeps what is published and adds the rest in order', () => {
    const rows = [row('2026-11-19', { EUR: 1.2 }), row('2026-11-18', { EUR: 7 }), row('2026-11-21', { EUR: 8 })]
    const rates = extendedRates({
      ...treeOf({ 2026: standing }),
      fetched: { rows },
      previous: NOTHING_BEFORE,
      now: NOW,
    })
    expect(rates.isChanged('2026')).toBe(true)
    expect(rates.of('2026')).toMatchObject({
      sources: [{ source: 'bank', from: '2026-11-18', to: '2026-11-19' }],
      rows: [standing.rows[0], { day: '2026-11-19', source: 'bank', rates_usd: { EUR: 1.2 } }],
    })
  })

  it('takes what the last run of the day before measured, without coins and carried rates', () => {
    const rates = extendedRates({ ...treeOf({ 2026: standing }), fetched: { rows: [] }, previous, now: NOW })
    const own = { day: '2026-11-19', source: 'rates', rates_usd: { EUR: 0.33333333, TRY: 0.33333333 } }
    expect(rates.of('2026').rows).toEqual([standing.rows[0], own])
  })

  it('changes nothing later in the day, and without anything new', () => {
    const sameDay = extendedRates({
      ...treeOf({ 2026: standing }),
      fetched: { rows: [] },
      previous,
      now: Date.UTC(2026, 10, 19, 23, 59),
    })
    const again = extendedRates({
      ...treeOf({ 2026: standing }),
      fetched: { rows: [row('2026-11-18', { EUR: 7 })] },
      previous: NOTHING_BEFORE,
      now: NOW,
    })
    for (const rates of [sameDay, again]) expect(rates.isChanged('2026')).toBe(false)
    expect(again.keys).toEqual(['2026'])
  })
})
