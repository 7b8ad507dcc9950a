import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { WALK_MOST, walkAt } from '../../../src/core/sources/sample/sample.ts'

const DAY = 86_400_000
const time = fc.integer({ min: Date.UTC(2020), max: Date.UTC(2040) })

it('a walk never leaves its bounds, and has no jump', () => {
  fc.assert(
    fc.property(fc.integer(), time, (seed, at) => {
      expect(Math.abs(walkAt(seed, at))).toBeLessThanOrEqual(WALK_MOST)
      expect(Math.abs(walkAt(seed, at + 60_000) - walkAt(seed, at))).toBeLessThan(0.3)
    }),
  )
})

it('its steps of a day have a standard deviation near 1, and lean to neither side', () => {
  const steps = Array.from({ length: 5000 }, (_, day) => walkAt(7, (day + 1) * DAY) - walkAt(7, day * DAY))
  const mean = steps.reduce((sum, step) => sum + step, 0) / steps.length
  const deviation = Math.sqrt(steps.reduce((sum, step) => sum + (step - mean) ** 2, 0) / steps.length)
  expect(Math.abs(mean)).toBeLessThan(0.05)
  expect(deviation).toBeGreaterThan(0.8)
  expect(deviation).toBeLessThan(1.25)
})
