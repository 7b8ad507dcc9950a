import { describe, expect, it } from 'vitest'
import { DAYS, gridOf } from '../../src/core/contract/history.ts'
import { GRID } from './pasts.ts'
import { bucketOf, timestampOf, windowOf } from '../../src/core/history/grid.ts'

describe('a window', () => {
  it.each([
    [1, '2024-02-29T12:29:59.999Z', '2024-02-28T12:30:00Z', '2024-02-29T12:00:00Z', 48],
    [1, '2024-02-29T12:30:00.000Z', '2024-02-28T13:00:00Z', '2024-02-29T12:30:00Z', 48],
    [7, '2024-02-29T12:59:59.999Z', '2024-02-22T13:00:00Z', '2024-02-29T12:00:00Z', 168],
    [30, '2024-03-01T03:59:59.999Z', '2024-01-31T04:00:00Z', '2024-03-01T00:00:00Z', 180],
    [30, '2024-03-01T04:00:00.000Z', '2024-01-31T08:00:00Z', '2024-03-01T04:00:00Z', 180],
    [90, '2024-03-01T00:00:00.000Z', '2023-12-03T00:00:00Z', '2024-03-01T00:00:00Z', 90],
    [365, '2024-12-31T23:59:59.999Z', '2024-01-02T00:00:00Z', '2024-12-31T00:00:00Z', 365],
  ] as const)('of %i days at %s is %s to %s', (days, now, from, to, buckets) => {
    const window = windowOf(days, GRID[days], Date.parse(now))
    expect({ ...window, from: timestampOf(window.from), to: timestampOf(window.to) }).toEqual({ from, to, buckets })
  })

  it('lies within that of the next longer range', () => {
    const starts = DAYS.map((days) => windowOf(days, GRID[days], Date.UTC(2024, 4, 5, 6, 7, 8)).from)
    expect(starts).toEqual(starts.toSorted((a, b) => b - a))
  })
})

it.each([
  [5, '15m'],
  [15, '15m'],
  [20, '30m'],
  [30, '30m'],
  [60, '1h'],
])('of runs every %i minutes has buckets of %s in the finest range', (minutes, interval) => {
  expect(gridOf(minutes * 60_000)).toEqual({ 1: interval, 7: '1h', 30: '4h', 90: '1d', 365: '1d' })
})

it('puts a moment into the bucket that begins with it, not into the one that ends with it', () => {
  const noon = Date.UTC(2024, 0, 1, 12)
  expect([noon - 1, noon, noon + 3_599_999].map((ms) => bucketOf(ms, '1h'))).toEqual([noon - 3_600_000, noon, noon])
})

it('prints whole seconds, cut and not rounded', () => {
  expect(timestampOf(Date.UTC(2024, 0, 1, 0, 0, 59, 999))).toBe('2024-01-01T00:00:59Z')
})
