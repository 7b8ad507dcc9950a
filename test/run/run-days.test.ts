import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import * as fc from 'fast-check'
import { isoOf } from '../../src/contract/time.ts'
import { RUN_DAYS, type RunDay } from '../../src/contract/collector.ts'
import type { LastRun } from '../../src/contract/last-run.ts'
import { keepLastRun, runDays } from '../../src/run/last-run.ts'
import { NOON, copyLeanTree, leanRun, newFolder } from '../sample-tree.ts'
import { Tree } from '../../src/tree/tree.ts'
import { lastPublication } from '../../src/tree/last-publication.ts'

const HALF_HOUR = 1_800_000
const START = Date.parse('2026-05-31T23:10:00Z')
const NOTHING = { runs: [], publishedAt: null, nextBuildAt: null }

/** What the snapshot of `at` publishes. */
const published = (runs: readonly RunDay[], at: number) => ({
  runs,
  publishedAt: isoOf(at),
  nextBuildAt: isoOf(at + HALF_HOUR),
})
const dayOf = (day: string, given: Partial<RunDay> = {}): RunDay => ({
  day,
  published: 0,
  refused: 0,
  failed: 0,
  gap_minutes: 0,
  ...given,
})
const unpublished = (at: number, outcome: LastRun['outcome'] = 'refused') => ({ at: isoOf(at), outcome })

it('counts the first snapshot', () => {
  expect(runDays(NOTHING, [], START)).toEqual([dayOf('2026-05-31', { published: 1 })])
})

it('counts runs that published nothing on their own days, and none of them twice', () => {
  const first = published(runDays(NOTHING, [], START), START)
  const between = [
    unpublished(START - HALF_HOUR),
    unpublished(START + HALF_HOUR),
    unpublished(START + 2 * HALF_HOUR),
    unpublished(START + 2 * HALF_HOUR + 1000, 'no_usable_source'),
  ]
  const runs = runDays(first, between, START + 3 * HALF_HOUR)
  expect(runs).toEqual([
    dayOf('2026-05-31', { published: 1, refused: 1 }),
    dayOf('2026-06-01', { published: 1, refused: 1, failed: 1 }),
  ])
  expect(runDays(published(runs, START + 3 * HALF_HOUR), between, START + 4 * HALF_HOUR)).toEqual([
    dayOf('2026-05-31', { published: 1, refused: 1 }),
    dayOf('2026-06-01', { published: 2, refused: 1, failed: 1 }),
  ])
})

it('divides a gap among its days, and takes a late run for none', () => {
  const first = published(runDays(NOTHING, [], START), START)
  expect(runDays(first, [], START + 3 * HALF_HOUR).every(({ gap_minutes }) => gap_minutes === 0)).toBe(true)
  expect(runDays(first, [], START + 50 * 60 * 60_000)).toEqual([
    dayOf('2026-05-31', { published: 1, gap_minutes: 50 }),
    dayOf('2026-06-01', { gap_minutes: 1440 }),
    dayOf('2026-06-02', { gap_minutes: 1440 }),
    dayOf('2026-06-03', { published: 1, gap_minutes: 70 }),
  ])
})

it('has at most 90 days in order, each once, and as many snapshots as there were', () => {
  const steps = fc.array(fc.integer({ min: 1, max: 40 * 48 }), { minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(steps, (waits) => {
      let [runs, at]: [RunDay[], number] = [runDays(NOTHING, [], START), START]
      for (const wait of waits) {
        const now = at + wait * HALF_HOUR
        runs = runDays(published(runs, at), [], now)
        at = now
      }
      const days = runs.map(({ day }) => day)
      expect(days).toEqual([...new Set(days)].toSorted())
      expect(days.length).toBeLessThanOrEqual(RUN_DAYS)
      expect(runs.every(({ gap_minutes }) => gap_minutes <= 1440)).toBe(true)
      expect(runs.at(-1)?.day).toBe(isoOf(at).slice(0, 10))
      const count = runs.reduce((sum, one) => sum + one.published, 0)
      expect(count).toBeLessThanOrEqual(waits.length + 1)
      if (at - START < RUN_DAYS * 86_400_000 - 86_400_000) expect(count).toBe(waits.length + 1)
    }),
  )
})

it('is published by the snapshot after a refused run, and kept by the one after it', async () => {
  const root = newFolder()
  await copyLeanTree(root)
  mkdirSync(join(root, 'state'))
  const run = async (now: number) => {
    await leanRun(root, { now })
    keepLastRun(root, { outcome: 'published', refusals: [], lifted: [] }, { now, ms: 0 })
  }
  keepLastRun(root, { outcome: 'refused', refusals: [], lifted: [] }, { now: NOON + HALF_HOUR, ms: 0 })
  await run(NOON + 2 * HALF_HOUR)
  await run(NOON + 3 * HALF_HOUR)
  expect(lastPublication(new Tree(root)).runs).toEqual([dayOf('2026-11-20', { published: 3, refused: 1 })])
})
