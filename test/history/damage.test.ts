import { describe, expect, it } from 'vitest'
import { DAYS, type Days } from '../../src/contract/history.ts'
import type { Series } from '../../src/history/series.ts'
import { type Published, nothing, prices, run, seen, watch } from './published.ts'

const NOON = Date.UTC(2024, 5, 10, 12)
const DAY = 86_400_000

describe('a damaged tree', () => {
  let published = nothing
  for (let day = 0; day < 40; day++) published = run(published, NOON - (40 - day) * DAY, day + 1)
  const without = (...gone: readonly Days[]): Published =>
    new Map([...published].filter(([days]) => !gone.includes(days)))
  const next = { now: NOON, observations: [seen(NOON, 41)] }

  it.each([
    ['the finest series', [1] as const, { 1: 1, 7: 7, 30: 30, 90: 41, 365: 41 }],
    ['a coarser series: as far as the finer one reaches', [30] as const, { 1: 1, 7: 7, 30: 7, 90: 41, 365: 41 }],
    ['the 90 days: all of it', [90] as const, { 1: 1, 7: 7, 30: 30, 90: 41, 365: 41 }],
    ['the 365 days: what the 90 hold', [365] as const, { 1: 1, 7: 7, 30: 30, 90: 41, 365: 41 }],
    ['both daily series: what the 30 days hold', [90, 365] as const, { 1: 1, 7: 7, 30: 30, 90: 30, 365: 30 }],
  ])('gets back %s', (_, gone, counts) => {
    const { published: result } = watch(without(...gone), next)
    expect(Object.fromEntries(DAYS.map((days) => [days, result.get(days)?.count]))).toEqual(counts)
    for (const days of DAYS) expect(result.get(days)?.rows.at(-1)?.price_usd).toBe(41)
  })

  const whole = published.get(7)
  if (whole === undefined) throw new Error('no series to damage')
  const [first, second] = whole.rows.slice(-2)
  if (first === undefined || second === undefined) throw new Error('no rows to damage')
  const rowsAt = (...timestamps: readonly string[]): Partial<Series> => ({
    rows: timestamps.map((timestamp) => ({ ...first, timestamp })),
  })
  const damaged: readonly (readonly [string, Partial<Series>])[] = [
    ['of another range', { days: 30 }],
    ['with a row off the grid', rowsAt('2024-06-09T10:30:00Z')],
    ['with a row on no calendar', rowsAt('2024-06-99T11:00:00Z')],
    ['with rows out of order', rowsAt(second.timestamp, first.timestamp)],
    ['with a row twice', rowsAt(second.timestamp, second.timestamp)],
    ['with a row before its window', rowsAt('2024-01-01T00:00:00Z', second.timestamp)],
    ['with a row after its window', rowsAt('2024-06-10T00:00:00Z')],
    ['on a grid that its range never had', { interval: '4h' }],
    ['with an end on no calendar', { to: '2024-06-99T12:00:00Z' }],
    ['with an end off the grid', { to: '2024-06-09T12:15:00Z' }],
    ['with a window of another length', { from: '2024-06-01T12:00:00Z' }],
    ['with rows but no window', { from: null, to: null }],
  ]
  it.each(damaged)('ignores a series %s', (_, damage) => {
    const { published: result } = watch(new Map([...published, [7, { ...whole, ...damage }]]), next)
    // One row of the finest series is left to rebuild from: the runs came once a day.
    expect(prices(result, 7)).toEqual([['2024-06-10T12:00:00Z', 41]])
  })
})
