import { describe, expect, it } from 'vitest'
import { DOLLARS } from '../../src/pages/format.ts'
import { gridOf } from '../../src/pages/line.ts'
import { candleSeries, historyCsv, historySeries, summaryOf, totalsSeries } from '../../src/pages/series.ts'
import { answer, at, point } from './series-answer.ts'

type Given = Partial<Pick<Parameters<typeof historySeries>[0], 'rows' | 'days' | 'from' | 'missing'>>
const wordsOf = (given: Given = {}): string => summaryOf(historySeries({ ...answer, ...given }), DOLLARS)

describe('a series in words', () => {
  it('that begins late says since when', () => {
    const rows = [point(2, 2), point(3, 4), point(4, 3)]
    expect(wordsOf({ rows, from: '2026-11-19T00:00:00Z' })).toContain(
      'The first price is that of 2026-11-20 02:00 UTC.',
    )
  })

  it('says how long its longest gap is', () =>
    expect(wordsOf({ missing: 22, rows: [point(0, 2), point(1, 2), point(23, 3)] })).toContain(
      '22 of 25 points are missing. The longest gap is 22 h.',
    ))

  it('is one sentence that says what is missing', () => {
    expect(wordsOf()).toBe('7 days: from $2.00 to $3.00; low $2.00, high $4.00. 2 of 5 points are missing. Acme feed.')
    expect(wordsOf({ days: 30, from: at(0) })).toMatch(/^30 days: \+50\.00\u202f%, from \$2\.00/u)
    expect(wordsOf({ days: 30, from: '2026-11-01T00:00:00Z' })).toMatch(/^30 days: from \$2\.00/u)
    expect(wordsOf({ rows: [] })).toBe('No price for the last 7 days is known yet. Each run adds one.')
    expect(wordsOf({ rows: [point(1, 2)] })).toBe(
      'One price for the last 7 days is known: $2.00 at 2026-11-20 01:00 UTC. Each run adds one.',
    )
  })
})

it('of volumes counts the points without one as missing', () => {
  const known = { ...point(1, 4), volume_24h_usd: 7 }
  const { rows, missing } = historySeries({ ...answer, missing: 2, rows: [point(0, 2), known] }, 'volume')
  expect(rows.map(({ timestamp, close, volume }) => [timestamp, close, volume])).toEqual([[at(1), 7, null]])
  expect(missing).toBe(3)
})

it('of totals has a gap for each day without a run, and words of its own', () => {
  const row = { ranked: 2, carried_count: 0, volume_24h_usd: null, largest: 'acme', largest_percent: 50 }
  const rows = [1, 2, 5].map((day) => ({ ...row, day: `2026-11-0${day}`, market_cap_usd: day * 100 }))
  const totals = { ...answer, endpoint: 'totals', group: 'all', rows } as const
  const caps = totalsSeries(totals, 'cap')
  expect(gridOf(caps).at.map((one) => one?.close ?? null)).toEqual([100, 200, null, null, 500])
  expect(summaryOf(caps, DOLLARS)).toContain('5 days: from $100.00 to $500.00; low $100.00, high $500.00. 2 of 5')
  expect(summaryOf(totalsSeries(totals, 'volume'), DOLLARS)).toContain('No volume for the last')
  expect(summaryOf(totalsSeries(totals, 'largest'), DOLLARS)).toContain('from 50.00\u202f%')
})

describe('candles in words', () => {
  const bar = { timestamp: at(0), open_usd: 2, high_usd: 4, low_usd: 1, close_usd: 3, volume_base: null, venues: 1 }
  const rows = [0, 1].map((hour) => ({ ...bar, timestamp: at(hour), inputs: [] }))
  const wordsUntil = (newest: string) => {
    const known = { asOf: at(1), missing: 0, to: at(1), sources: ['okx'], rights: 'unknown', notice: null } as const
    return summaryOf(
      candleSeries({ ...answer, ...known, endpoint: 'candles', rows }, newest, new Map([['okx', 'OKX']])),
      DOLLARS,
    )
  }

  it('have the extremes of all bars, and their sources', () =>
    expect(wordsUntil(at(4))).toBe('7 days: from $2.00 to $3.00; low $1.00, high $4.00. Bars of OKX.'))

  it('say how old the newest is where prices are newer', () =>
    expect(wordsUntil(at(5))).toContain('The newest candle is that of 2026-11-20 01:00 UTC; later ones follow.'))
})

it('is saved as CSV, with an empty cell for an unknown volume', () => {
  const rows = [
    { timestamp: '2026-11-20T11:00:00Z', price_usd: 97_000.5, volume_24h_usd: 4e10 },
    { timestamp: '2026-11-20T12:00:00Z', price_usd: 97_100, volume_24h_usd: null },
  ]
  expect(historyCsv({ rows })).toBe(
    'timestamp,price_usd,volume_24h_usd\r\n2026-11-20T11:00:00Z,97000.5,40000000000\r\n2026-11-20T12:00:00Z,97100,\r\n',
  )
})
