import { describe, expect, it } from 'vitest'
import { sparklineOf } from '../../src/history/sparkline.ts'

const HOUR = 3_600_000
const NOON = Date.UTC(2026, 10, 20, 12)
const at = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z')
const row = (hoursAgo: number, price_usd: number) => ({ timestamp: at(NOON - hoursAgo * HOUR), price_usd })

describe('the sparkline of seven days', () => {
  it('has the last price of each six hours, oldest first, the open ones last', () => {
    const rows = [row(7, 1), row(6, 2), row(5, 3), row(1, 4), row(0, 5)]
    expect(sparklineOf({ rows, to: at(NOON) })).toEqual([...Array(25).fill(null), 1, 4, 5])
  })

  it('begins 162 hours before the open six hours', () => {
    expect(sparklineOf({ rows: [row(163, 1), row(162, 2), row(157, 3)], to: at(NOON) })[0]).toBe(3)
    expect(sparklineOf({ rows: [row(163, 1)], to: at(NOON) }).every((price) => price === null)).toBe(true)
  })

  it('is unknown throughout before the first observation', () => {
    expect(sparklineOf({ rows: [], to: null })).toEqual(Array(28).fill(null))
    expect(sparklineOf(null)).toEqual(Array(28).fill(null))
  })
})
