import * as fc from 'fast-check'
import { expect } from 'vitest'
import type { Observed } from '../../src/history/extend.ts'
import { type Run, direct } from './direct.ts'
import { type Published, asSeen, nothing, watch } from './published.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
const START = Date.UTC(2024, 1, 27, 22, 3, 7)

/** A price that no other observation has, with no more digits than are published. */
const observed = (at: number, serial: number): Observed => ({
  at,
  price_usd: 1 + serial,
  volume_24h_usd: serial % 7 === 0 ? null : serial,
})

const restarted = (published: Published): Published => new Map(structuredClone([...published]))

/** What is left to chance in a run: its clock against that of the run before, and what it brings. All times in ms. */
interface Step {
  readonly wait: number
  readonly silent: boolean
  readonly restart: boolean
  readonly repeat: boolean
  readonly late: readonly number[]
}

const step = (cadence: number): fc.Arbitrary<Step> =>
  fc.record({
    wait: fc.oneof(
      { weight: 12, arbitrary: fc.constant(cadence) },
      { weight: 3, arbitrary: fc.integer({ min: 0, max: 2 * cadence }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 40 * cadence }) },
      { weight: 1, arbitrary: fc.integer({ min: -30 * cadence, max: 0 }) },
    ),
    silent: fc.integer({ min: 0, max: 9 }).map((value) => value === 0),
    restart: fc.boolean(),
    repeat: fc.integer({ min: 0, max: 4 }).map((value) => value === 0),
    late: fc.array(fc.oneof(...[HOUR, 3 * HOUR, 10 * DAY].map((max) => fc.integer({ min: 1, max }))), { maxLength: 2 }),
  })

const history = fc
  .constantFrom(5 * MINUTE, HOUR, 7 * HOUR, DAY)
  .chain((cadence) => fc.array(step(cadence), { minLength: 1, maxLength: 120 }))

function* runsOf(steps: readonly Step[]): Generator<Run & { readonly restart: boolean }> {
  let now = START
  let serial = 0
  let before: readonly Observed[] = []
  for (const { wait, silent, restart, repeat, late } of steps) {
    now += wait
    const fresh = silent ? [] : [observed(now, serial++)]
    const observations = [...fresh, ...late.map((age) => observed(now - age, serial++)), ...(repeat ? before : [])]
    yield { now, observations: observations.filter(({ at }) => at <= now), restart }
    before = observations
  }
}

/** Holds that the runs give the series that one direct pass over all observations gives. */
export function expectDirectSeries(numRuns: number): void {
  fc.assert(
    fc.property(history, (steps) => {
      const runs = [...runsOf(steps)]
      // Two observations of the same second have no order of their own.
      const seconds = new Map<number, number>()
      for (const { at, price_usd } of runs.flatMap(({ observations }) => observations)) {
        const second = Math.floor(at / 1000)
        fc.pre((seconds.get(second) ?? price_usd) === price_usd)
        seconds.set(second, price_usd)
      }
      let published = nothing
      for (const run of runs) published = watch(run.restart ? restarted(published) : published, run).published
      expect(asSeen(published)).toEqual(direct(runs))
    }),
    { numRuns },
  )
}

/** Holds that it is the same whether observations come one by one or all at once. */
export function expectSameAtOnce(numRuns: number): void {
  const times = fc.uniqueArray(fc.integer({ min: 0, max: 4 * 24 * 60 }), { minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(times, (minutes) => {
      const now = START + 5 * DAY
      const all = minutes.toSorted((a, b) => a - b).map((minute, serial) => observed(START + minute * MINUTE, serial))
      const atOnce = watch(nothing, { now, observations: all }).published
      let oneByOne = nothing
      for (const value of all) oneByOne = watch(oneByOne, { now: value.at, observations: [value] }).published
      expect(asSeen(watch(oneByOne, { now }).published)).toEqual(asSeen(atOnce))
    }),
    { numRuns },
  )
}

/** Holds that 400 days of runs give the series that one direct pass gives. Gaps and jumps of the clock follow from a seed. */
export function expectDirectYear(cadence: number, seed = 20240227): void {
  // A plain congruential sequence: the same 400 days every time.
  let state = seed
  const chance = (): number => (state = (state * 1103515245 + 12345) % 2 ** 31) / 2 ** 31
  const runs: Run[] = []
  let published = nothing
  let now = START
  for (let serial = 0; now < START + 400 * DAY; serial++) {
    const jump = chance()
    if (jump < 0.001) now += Math.floor(chance() * 3 * DAY)
    else if (jump < 0.003) now -= Math.floor(chance() * 12 * HOUR)
    else now += cadence
    const run = { now, observations: chance() < 0.02 ? [] : [observed(now, serial)] }
    runs.push(run)
    published = watch(chance() < 0.001 ? restarted(published) : published, run).published
  }
  expect(asSeen(published)).toEqual(direct(runs))
}
