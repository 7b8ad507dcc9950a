import { DAY_MS } from '../../contract/time.ts'

/** Returns a generator of reproducible numbers between 0 and 1: mulberry32, by Tommy Ettinger, public domain. */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Returns a number between -1 and 1 for a seed and a step: the same for the same, unrelated for any other. */
function drawnAt(seed: number, step: number): number {
  let mixed = Math.imul(seed ^ (step >>> 16), 0x7feb352d) ^ Math.imul(step, 0x846ca68b)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 31 - 1
}

/** Returns a number between -1 and 1 at a time in ms: drawn once a period and joined by straight lines. */
export function noiseAt(seed: number, ms: number, periodMs: number): number {
  const step = Math.floor(ms / periodMs)
  const from = drawnAt(seed, step)
  return from + (drawnAt(seed, step + 1) - from) * (ms / periodMs - step)
}

/** From five minutes to some 70 days, each three times the one before. */
const PERIODS_MS = Array.from({ length: 10 }, (_, index) => 300_000 * 3 ** index)

/**
 * Returns a random walk at a time in ms, whose steps of a day have a standard deviation near 1: noise of ever longer
 * periods, each as high as the square root of its period. It is the same wherever one begins, and does not wander off.
 */
export const walkAt = (seed: number, ms: number): number =>
  PERIODS_MS.reduce(
    (sum, period, octave) => sum + 1.1 * Math.sqrt(period / DAY_MS) * noiseAt(seed + octave, ms, period),
    0,
  )

/** The farthest that a walk can be from zero. */
export const WALK_MOST = PERIODS_MS.reduce((sum, period) => sum + 1.1 * Math.sqrt(period / DAY_MS), 0)
