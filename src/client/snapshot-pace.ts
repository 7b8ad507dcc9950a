import { DAY_MS } from '../contract/time.ts'

/** A publication needs this long at the least until it has been written and has left the caches. */
const PUBLISHED_AFTER_MS = 60_000
/** Clients spread their requests over this time, so that they do not all ask at once. */
const JITTER_MS = 60_000
/** First pause after a request without news, or after a failure. Each further one doubles it. */
const FIRST_PAUSE_MS = 60_000
const LONGEST_PAUSE_MS = 15 * 60_000
/** Longest wait for a snapshot. */
const LONGEST_WAIT_MS = DAY_MS
/** The index is read again after so many requests without news: two snapshots may have equal prices. */
const INDEX_AFTER = 3

/** When snapshots are built, as the index says. */
export interface BuildTimes {
  readonly generatedAt: string
  readonly nextBuildAt: string
}

/** Decides when the next request for a snapshot is worth making. */
export interface SnapshotPace {
  /** Whether the index should be read: nothing is known of the schedule, or it is outdated. */
  readonly needsIndex: () => boolean
  readonly scheduled: (times: BuildTimes) => void
  /** Data of a time arrived, for the first time or again. */
  readonly arrived: (timestamp: string, isNews: boolean) => void
  readonly failed: () => void
  /** Returns how long to wait from a time on, in ms. */
  readonly pauseAt: (now: number) => number
}

/** @param random returns a number between 0 and 1 */
export function snapshotPace(random: () => number): SnapshotPace {
  let cadenceMs: number | null = null
  let dueAt = Number.NEGATIVE_INFINITY
  let fruitless = 0
  let failures = 0

  /** Half of a growing pause, and a random share of the other half. */
  const backOff = (times: number): number =>
    Math.min(FIRST_PAUSE_MS * 2 ** (times - 1), LONGEST_PAUSE_MS) * (0.5 + random() / 2)

  return {
    needsIndex: () => cadenceMs === null || fruitless >= INDEX_AFTER,
    scheduled({ generatedAt, nextBuildAt }) {
      dueAt = Date.parse(nextBuildAt)
      cadenceMs = Math.max(FIRST_PAUSE_MS, dueAt - Date.parse(generatedAt))
      fruitless = 0
    },
    arrived(timestamp, isNews) {
      failures = 0
      if (!isNews) fruitless++
      else if (cadenceMs !== null) {
        fruitless = 0
        dueAt = Date.parse(timestamp) + cadenceMs
      }
    },
    failed() {
      failures++
    },
    pauseAt(now) {
      if (failures > 0) return backOff(failures)
      const untilDue = dueAt + PUBLISHED_AFTER_MS + random() * JITTER_MS - now
      const least = backOff(fruitless + 1)
      // A host may state a time that is none, or one that no timer waits for.
      return untilDue > least ? Math.min(untilDue, LONGEST_WAIT_MS) : least
    },
  }
}
