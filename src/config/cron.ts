import { Cron } from 'croner'

const DAY_MINUTES = 1440
/** GitHub starts a workflow every 5 minutes at most. */
const SHORTEST_MINUTES = 5

/** Returns the minutes between the runs of a cron line; null if they differ, or it is no cron line for every day. */
export function minutesOf(line: string): number | null {
  const starts = startsOf(line)
  const gaps = new Set(starts.slice(1).map((start, index) => (start - (starts[index] ?? start)) / 60_000))
  const [gap] = gaps
  return gaps.size === 1 && gap !== undefined ? gap : null
}

/** The runs of a day and the first of the next, in ms since 1970; none if it is no cron line for every day. */
function startsOf(line: string): readonly number[] {
  if (!/^\S+ \S+ \* \* \*$/.test(line)) return []
  const from = Date.UTC(2026, 0, 1)
  try {
    const starts = new Cron(line, { timezone: 'UTC', paused: true })
      .nextRuns(DAY_MINUTES / SHORTEST_MINUTES + 1, new Date(from - 1))
      .map((date) => date.getTime())
    const next = starts.findIndex((start) => start >= from + DAY_MINUTES * 60_000)
    return starts.slice(0, next + 1)
  } catch {
    return []
  }
}
