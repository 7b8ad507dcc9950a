import { median } from 'd3-array'
import { DAY_MS, MINUTE_MS } from '../contract/time.ts'

export interface Retention {
  /** Days for which one snapshot per half hour is kept. */
  readonly halfHourlyDays: number
  /** Days for which one snapshot per hour is kept. After that one per day is kept, for ever. */
  readonly hourlyDays: number
}

/** A longer time without snapshots is a jump, of a wrong clock or after a feed stood still, where snapshots are usually closer. */
const JUMP_HOURS = 6
/** The same in usual distances between snapshots. */
const JUMP_DISTANCES = 3
/** Snapshots of this many days after a jump are always believed. */
const BELIEVED_DAYS = 2

export const RETENTION: Retention = { halfHourlyDays: 2, hourlyDays: 60 }

/**
 * Returns which of the snapshots to keep, by their times in ms since 1970: the last of each half hour, hour or day, that
 * ends with its full hour or midnight. So whoever asks for such a time later gets the snapshot that was current then.
 * Ages count from the newest snapshot, so that a clock that goes back deletes nothing. The newest is always kept.
 *
 * @param newest time that ages count from
 */
export function keptTimes(
  times: readonly number[],
  { halfHourlyDays, hourlyDays }: Retention,
  newest = Math.max(...times),
): ReadonlySet<number> {
  const slotOf = (time: number, ms: number) => Math.ceil(time / ms)
  const lastOf = (ms: number) => new Map(times.toSorted((a, b) => a - b).map((time) => [slotOf(time, ms), time]))
  const [halfHours, hours, days] = [lastOf(30 * MINUTE_MS), lastOf(60 * MINUTE_MS), lastOf(DAY_MS)]
  const isKept = (time: number): boolean => {
    const age = newest - time
    if (days.get(slotOf(time, DAY_MS)) === time) return true
    if (age > hourlyDays * DAY_MS) return false
    if (hours.get(slotOf(time, 60 * MINUTE_MS)) === time) return true
    return age <= halfHourlyDays * DAY_MS && halfHours.get(slotOf(time, 30 * MINUTE_MS)) === time
  }
  return new Set(times.filter(isKept))
}

/**
 * Returns the time that ages count from: that of the newest snapshot. Snapshots after a jump count when they cover as much time as
 * the jump, or two days. So a run with a clock that is ahead thins nothing, and the thinning goes on after a feed stood still.
 */
export function trustedNewest(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b)
  const timeAt = (place: number) => sorted[place] ?? 0
  const usual = median(sorted.slice(1), (time, at) => time - timeAt(at)) ?? 0
  const jump = Math.min(BELIEVED_DAYS * DAY_MS, Math.max(JUMP_HOURS * 60 * MINUTE_MS, JUMP_DISTANCES * usual))
  let newest = sorted.length - 1
  for (let at = newest; at > 0; at--) {
    const distance = timeAt(at) - timeAt(at - 1)
    const covered = timeAt(newest) - timeAt(at)
    if (distance > jump && covered < Math.min(distance, BELIEVED_DAYS * DAY_MS)) newest = at - 1
  }
  return timeAt(newest)
}
