import { describe, expect, it } from 'vitest'
import { DOLLARS } from '../../src/pages/format.ts'
import { answer, at, point } from './series-answer.ts'
import {
  candlesSummary,
  gridOf,
  isolatedIn,
  seriesCsv,
  summaryOf,
  totalsAsValues,
  volumesOf,
} from '../../src/pages/series.ts'

describe('a series', () => {
  it('has a place for every bucket, and a gap where one is missing', () => {
    const { times, at: rows } = gridOf(answer)
    expect(rows.map((row) => row?.price_usd ?? null)).toEqual([2, 4, null, null, 3])
    expect(times.map((time) => new Date(time * 1000).toISOString())).toEqual(
      [0, 1, 2, 3, 4].map((hour) => at(hour).replace('Z', '.000Z')),
    )
  })

  it('without an observation is empty', () =>
    expect(gridOf({ ...answer, rows: [], to: null })).toEqual({ times: [], at: [] }))

  it('that begins late has no empty frame before it, and says since when', () => {
    const late = { ...answer, missing: 2, from: at(0), rows: [point(2, 2), point(3, 4), point(4, 3)] }
    expect(gridOf(late).at.map((row) => row?.price_usd)).toEqual([2, 4, 3])
    expect(summaryOf({ ...late, from: '2026-11-19T00:00:00Z' })).toContain(
      'The first price is that of 2026-11-20 02:00 UTC.',
    )
  })

  it('says how long its longest gap is', () =>
    expect(summaryOf({ ...answer, missing: 22, rows: [point(0, 2), point(1, 2), point(23, 3)] })).toContain(
      '22 of 25 points are missing. The longest gap is 22 h.',
    ))

  it('is one sentence that says what is missing', () => {
    expect(summaryOf(answer)).toBe(
      '7 days: from $2.00 to $3.00; low $2.00, high $4.00. 2 of 5 points are missing. Acme feed.',
    )
    expect(summaryOf({ ...answer, days: 30, from: at(0) })).toMatch(/^30 days: \+50\.00\u202f%, from \$2\.00/u)
    expect(summaryOf({ ...answer, days: 30, from: '2026-11-01T00:00:00Z' })).toMatch(/^30 days: from \$2\.00/u)
    expect(summaryOf({ ...answer, rows: [] })).toBe('No price for the last 7 days is known yet. Each run adds one.')
    expect(summaryOf({ ...answer, rows: [point(1, 2)] })).toBe(
      'One price for the last 7 days is known: $2.00 at 2026-11-20 01:00 UTC. Each run adds one.',
    )
  })
})

it('of volumes counts the points without one as missing', () => {
  const known = { ...point(1, 4), volume_24h_usd: 7 }
  const { rows, missing } = volumesOf({ ...answer, missing: 2, rows: [point(0, 2), known] })
  expect(rows).toEqual([{ ...point(1, 7), volume_24h_usd: null }])
  expect(missing).toBe(3)
})

it('of totals has a gap for each day without a run, and words of its own', () => {
  const row = { ranked: 2, volume_24h_usd: null, largest: 'acme', largest_percent: 50 }
  const rows = [1, 2, 5].map((day) => ({ ...row, day: `2026-11-0${day}`, market_cap_usd: day * 100 }))
  const values = totalsAsValues({ rows }, 'cap')
  expect(gridOf(values).at.map((one) => one?.price_usd ?? null)).toEqual([100, 200, null, null, 500])
  expect(summaryOf(values)).toContain('5 days: from $100.00 to $500.00; low $100.00, high $500.00. 2 of 5 points')
  expect(summaryOf(totalsAsValues({ rows }, 'volume'), String, 'volume')).toContain('No volume for the last')
})

it('finds the points that have no neighbour', () => {
  expect(isolatedIn([1, 2, null, 3, null, 4, 5, null, 6])).toEqual([3, 8])
  expect(isolatedIn([1])).toEqual([0])
  expect(isolatedIn([null, null])).toEqual([])
})

describe('candles', () => {
  const bar = {
    timestamp: at(0),
    open_usd: 2,
    high_usd: 4,
    low_usd: 1,
    close_usd: 3,
    volume_base: null,
    venues: 1,
    inputs: [],
  }
  const candles = {
    ...answer,
    asOf: at(1),
    missing: 0,
    to: at(0),
    sources: ['okx'],
    rights: 'unknown',
    endpoint: 'candles',
    notice: null,
    rows: [bar],
  } as const

  it('say how old the newest is where prices are newer', () => {
    expect(candlesSummary(candles, at(3), DOLLARS)).not.toContain('newest')
    expect(candlesSummary(candles, at(4), DOLLARS)).toContain(
      'The newest candle is that of 2026-11-20 00:00 UTC; later ones follow.',
    )
  })
})

it('is saved as CSV, with an empty cell for an unknown volume', () => {
  const rows = [
    { timestamp: '2026-11-20T11:00:00Z', price_usd: 97_000.5, volume_24h_usd: 4e10 },
    { timestamp: '2026-11-20T12:00:00Z', price_usd: 97_100, volume_24h_usd: null },
  ]
  expect(seriesCsv({ rows })).toBe(
    'timestamp,price_usd,volume_24h_usd\r\n2026-11-20T11:00:00Z,97000.5,40000000000\r\n2026-11-20T12:00:00Z,97100,\r\n',
  )
})
