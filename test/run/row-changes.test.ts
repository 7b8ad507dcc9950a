import { describe, expect, it } from 'vitest'
import { CHANGES } from '../../src/core/history/past.ts'
import { HOUR, MINUTE, NOON } from '../history/pasts.ts'
import { type Run, tablesOf } from '../tree/kept.ts'

const [half, hour, fourHours] = (['30m', '1h', '4h'] as const).map((interval) => CHANGES.points('acme', interval))
const day = CHANGES.points('acme', '1d')

/** Returns the series that the last of some runs changed. */
function changedBy(...runs: readonly Run[]): string[] {
  const tables = tablesOf()
  const changed = runs.map((run) => [...(tables.run(run).changed ?? [])].filter((name) => name.startsWith('points/')))
  return changed.at(-1) ?? []
}
const acme = (now: number, price_usd: number | null): Run => ({ now, assets: [{ slug: 'acme', price_usd }] })

describe('a run changes', () => {
  it('no row, at the time of the last one and with the same prices', () => {
    const tables = tablesOf()
    for (const price of [5, 5]) tables.run(acme(NOON, price))
    expect(tables.run(acme(NOON, 5)).changed).toEqual(new Set())
    expect(tables.run(acme(NOON, 6)).changed).toContain(CHANGES.run)
    expect(tables.run(acme(NOON + MINUTE, 6)).changed).toEqual(new Set([CHANGES.run]))
    expect(tables.run({ ...acme(NOON + 2 * MINUTE, 6), cadence_ms: HOUR }).changed).toBe(null)
  })

  it.each([
    ['nothing, by the price of the same half hour', 28 * MINUTE, 5, []],
    ['no slow range, by another price in its bucket', 30 * MINUTE, 6, [half, hour]],
    ['the ranges that have a new bucket, by the same price', 60 * MINUTE, 5, [half, hour]],
    ['the month too, after four hours', 4 * HOUR, 5, [half, hour, fourHours]],
    ['the year too, on the next day', 12 * HOUR, 5, [half, hour, fourHours, day]],
  ])('%s', (_, later, price, names) => {
    const first = NOON + 31 * MINUTE
    expect(changedBy(acme(NOON, 4), acme(first, 5), acme(first + later, price))).toEqual(names)
  })

  it('every range, by a price in the half hour that the slow ones show, that of the first run', () => {
    expect(changedBy(acme(NOON, 5), acme(NOON + 5 * MINUTE, 6))).toEqual([half, hour, fourHours, day])
  })

  it('every range of a listing that gets its first price, or is delisted', () => {
    const all = [half, hour, fourHours, day]
    expect(changedBy(acme(NOON, null), acme(NOON + 5 * MINUTE, 6))).toEqual(all)
    const delisted: Run = { now: NOON + HOUR, assets: [{ slug: 'acme', price_usd: null, listing_status: 'delisted' }] }
    expect(changedBy(acme(NOON, 5), delisted)).toEqual(all)
  })
})

it('keeps the days of all listings that became one', () => {
  const tables = tablesOf()
  const run = (hours: number, ...assets: Run['assets']) => tables.run({ now: NOON + hours * HOUR, assets })
  run(0, { slug: 'acme', price_usd: 5 })
  run(24, { slug: 'acme', price_usd: null }, { slug: 'beta', price_usd: 5 })
  const formers = ['acme', 'beta'].map((slug) => ({ slug, replaced_by: 'both', price_usd: null }))
  const { rows } = run(48, { slug: 'both', aliases: ['acme', 'beta'], price_usd: 5 }, ...formers)
  expect(rows.past.get('both')?.days.buckets('close_usd')).toHaveLength(3)
})
