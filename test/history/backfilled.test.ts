import { describe, expect, it } from 'vitest'
import { DAYS, type Days } from '../../src/contract/history.ts'
import type { Backfill, Observed } from '../../src/history/extend.ts'
import { OWN, type Published, nothing, watch } from './published.ts'

const NOON = Date.UTC(2024, 5, 10, 12)
const HOUR = 3_600_000

const seen = (at: number, price_usd: number) => ({ at, price_usd, volume_24h_usd: 1 })
const hours = (label: string, price_usd: number, ...ago: readonly number[]): Backfill => ({
  interval: '1h',
  label,
  points: { buckets: ago.map((hours) => NOON - hours * HOUR), prices_usd: ago.map(() => price_usd) },
})

const run = (
  published: Published,
  now: number,
  observations: readonly Observed[],
  ...backfills: readonly Backfill[]
): Published => watch(published, { now, observations, backfills }).published

const rows = (published: Published, days: Days) =>
  published
    .get(days)
    ?.rows.map(({ timestamp, price_usd, volume_24h_usd }) => [timestamp.slice(5, 16), price_usd, volume_24h_usd])

const once = run(nothing, NOON, [seen(NOON - 2 * HOUR, 5), seen(NOON, 6)])

describe('a backfilled value', () => {
  it('fills closed buckets without a value and never one that a run of ours saw', () => {
    expect(rows(run(once, NOON, [], hours('Kraken', 9, 3, 2, 1, 0)), 7)).toEqual([
      ['06-10T09:00', 9, null],
      ['06-10T10:00', 5, 1],
      ['06-10T11:00', 9, null],
      ['06-10T12:00', 6, 1],
    ])
  })

  it('stays when another source is asked later', () => {
    const twice = run(run(once, NOON, [], hours('Kraken', 9, 3)), NOON, [], hours('Binance', 8, 4, 3))
    expect(rows(twice, 7)?.slice(0, 2)).toEqual([
      ['06-10T08:00', 8, null],
      ['06-10T09:00', 9, null],
    ])
    expect(twice.get(7)?.sourceLabel).toBe(`${OWN}; backfilled from Binance, Kraken`)
  })

  it('has no volume: a series has that of all markets, and a source knows its own', () => {
    const filled = run(nothing, NOON + HOUR, [seen(NOON, 6)], hours('Kraken', 9, 3, 2, 1))
    expect(filled.get(7)?.rows.map(({ volume_24h_usd }) => volume_24h_usd)).toEqual([null, null, null, 1])
  })

  it('is rounded to the published digits', () => {
    expect(rows(run(once, NOON, [], hours('Kraken', 0.123456789, 3)), 7)?.[0]?.[1]).toBe(0.12345679)
  })

  it('goes on into the closed empty buckets of coarser ranges, the last of each, and says so there', () => {
    const filled = run(once, NOON, [], hours('Kraken', 8, 7, 6), hours('Kraken', 9, 5))
    expect(rows(filled, 30)).toEqual([
      ['06-10T04:00', 9, null],
      ['06-10T08:00', 5, 1],
      ['06-10T12:00', 6, 1],
    ])
    expect(filled.get(30)?.sourceLabel).toBe(`${OWN}; backfilled from Kraken`)
    expect(filled.get(365)?.sourceLabel).toBe(OWN)
    expect(filled.get(1)?.sourceLabel).toBe(OWN)
  })

  it('does not stand for the later part of a coarser bucket that a run of ours saw', () => {
    const filled = run(once, NOON + 6 * HOUR, [seen(NOON + 6 * HOUR, 7)], hours('Kraken', 9, -1, -2, -3))
    expect(rows(filled, 30)?.find(([at]) => at === '06-10T12:00')).toEqual(['06-10T12:00', 6, 1])
  })

  it('does not stand for it either when the coarser series is made anew', () => {
    const filled = run(once, NOON + 6 * HOUR, [seen(NOON + 6 * HOUR, 7)], hours('Kraken', 9, -1, -2, -3))
    const lost = new Map([...filled].filter(([days]) => days !== 30))
    const remade = run(lost, NOON + 7 * HOUR, [seen(NOON + 7 * HOUR, 8)])
    expect(rows(remade, 30)?.find(([at]) => at === '06-10T12:00')).toEqual(['06-10T12:00', 6, 1])
  })

  it('never fills the open bucket', () => {
    expect(
      run(once, NOON + 2 * HOUR, [], hours('Kraken', 9, -1, -2))
        .get(7)
        ?.rows.at(-1)?.timestamp,
    ).toBe('2024-06-10T13:00:00Z')
  })

  it('takes its source with it out of the label when it leaves the window', () => {
    const filled = run(once, NOON, [], hours('Kraken', 9, 3))
    expect(run(filled, NOON + 164 * HOUR, []).get(7)?.sourceLabel).toBe(`${OWN}; backfilled from Kraken`)
    expect(run(filled, NOON + 165 * HOUR, []).get(7)?.sourceLabel).toBe(OWN)
  })

  it('alone makes a series that names no index of ours', () => {
    const filled = run(nothing, NOON, [], hours('Kraken', 9, 3))
    const series = { sourceLabel: 'backfilled from Kraken', count: 1, to: '2024-06-10T12:00:00Z' }
    expect(filled.get(7)).toMatchObject(series)
    for (const days of DAYS) expect(filled.has(days)).toBe(true)
  })
})
