import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Comparison } from '../../src/check/deviation.ts'
import { compareRunDays } from '../../src/check/run-figures.ts'
import type { ChangeEvent } from '../../src/contract/changes.ts'
import type { RunDay } from '../../src/contract/collector.ts'
import { dayIn, isoOf } from '../../src/contract/time.ts'
import { isAfterGap } from '../../src/feed/freshness.ts'
import { runDays } from '../../src/run/last-run.ts'

const HALF_HOUR = 1_800_000
const START = Date.parse('2026-05-31T23:10:00Z')

const gapEvent = (from: number, to: number): ChangeEvent => ({
  at: isoOf(to),
  kind: 'gap',
  subject: 'runs',
  name: null,
  before: isoOf(from),
  after: isoOf(to),
})

/** A publisher that waited so many half hours between its runs: what its tree has of them. */
function publisher(waits: readonly number[]) {
  let [runs, at]: [RunDay[], number] = [runDays({ runs: [], publishedAt: null, nextBuildAt: null }, [], START), START]
  const events = new Map<string, readonly ChangeEvent[]>()
  const seen = new Map([[dayIn(isoOf(START)), 1]])
  for (const wait of waits) {
    const now = at + wait * HALF_HOUR
    const last = { at: isoOf(at), nextAt: isoOf(at + HALF_HOUR) }
    runs = runDays({ runs, publishedAt: last.at, nextBuildAt: last.nextAt }, [], now)
    const day = dayIn(isoOf(now))
    if (isAfterGap(last, now)) events.set(day, [gapEvent(at, now), ...(events.get(day) ?? [])])
    seen.set(day, (seen.get(day) ?? 0) + 1)
    at = now
  }
  const rows = [...seen].map(([day, count]) => ({ day, basis: 'runs' as const, listings: 1, runs: count }))
  return {
    runs,
    now: at,
    events,
    closes: { today: dayIn(isoOf(at)), missing: 0, keptDays: null, olderFrom: null, count: 0, rows },
  }
}

const found = (runs: readonly RunDay[], traces: Omit<ReturnType<typeof publisher>, 'runs'>): string[] => {
  const comparison = new Comparison()
  compareRunDays(runs, traces, comparison)
  return comparison.deviations.map(({ member, severity }) => (severity ? `${member}: ${severity}` : member))
}
const changed = (runs: readonly RunDay[], at: number, given: Partial<RunDay>): RunDay[] =>
  runs.map((one, place) => (place === at ? { ...one, ...given } : one))

describe('the runs by day of a tree', () => {
  // Two days of half hours, a gap of two days, and one more day.
  const { runs, ...traces } = publisher([...Array<number>(96).fill(1), 100, ...Array<number>(48).fill(1)])

  it('follow from its closes and events, however the publisher ran', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 60 }), (waits) => {
        const { runs: own, ...other } = publisher(waits)
        expect(found(own, other)).toEqual([])
      }),
      { numRuns: 50 },
    )
    expect(runs.filter(({ gap_minutes }) => gap_minutes > 0).length).toBe(4)
  })

  it('name a snapshot too few and a gap that is too short', () => {
    expect(found(changed(runs, 1, { published: 47 }), traces)).toEqual(['runs[1].published'])
    expect(found(changed(runs, 3, { gap_minutes: 0 }), traces)).toEqual(['runs[3].gap_minutes'])
  })

  it('name a day that is missing or there twice', () => {
    expect(found(runs.toSpliced(1, 1), traces)).toContain('runs')
    expect(found(runs.toSpliced(1, 0, ...runs.slice(1, 2)), traces)).toContain('runs')
    expect(found(runs.slice(0, -1), traces)).toContain('runs')
    expect(found([], traces)).toEqual(['runs'])
  })

  it('note a gap without an event, since damaged events may be lost', () => {
    expect(found(runs, { ...traces, events: new Map() })).toContain('runs[3].gap_minutes: notice')
  })

  it('are not compared with events that the tree no longer keeps', () => {
    const late = Array.from(
      { length: 30 },
      (_, index) => [isoOf(traces.now + index).slice(0, 7) + `-x${index}`, []] as const,
    )
    expect(found(runs, { ...traces, events: new Map(late) })).toEqual([])
  })
})
