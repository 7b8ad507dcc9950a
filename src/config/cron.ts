import { Cron } from 'croner'

/** Minutes past the hour of the first run: on the hour and the half, schedulers are late. */
const OFFSET = 7
const HOUR = 60
const DAY = 1440
/** GitHub starts a workflow every 5 minutes at most. */
const SHORTEST = 5

const divisors = (of: number, least: number): number[] =>
  Array.from({ length: of - least + 1 }, (_, index) => least + index).filter((number) => of % number === 0)

/** Cadences in minutes that a cron line of GitHub can keep. */
export const CRON_CADENCES: readonly number[] = [
  ...divisors(HOUR, SHORTEST),
  ...divisors(DAY / HOUR, 2).map((hours) => hours * HOUR),
]

/** Returns the cron line that starts a run every so many minutes; null if none can. */
export function cronOf(minutes: number): string | null {
  if (!CRON_CADENCES.includes(minutes)) return null
  if (minutes === DAY) return `${OFFSET} 0 * * *`
  if (minutes > HOUR) return `${OFFSET} */${minutes / HOUR} * * *`
  const starts = Array.from({ length: HOUR / minutes }, (_, index) => ((OFFSET % minutes) + index * minutes) % HOUR)
  return `${starts.join(',')} * * * *`
}

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
      .nextRuns(DAY / SHORTEST + 1, new Date(from - 1))
      .map((date) => date.getTime())
    const next = starts.findIndex((start) => start >= from + DAY * 60_000)
    return starts.slice(0, next + 1)
  } catch {
    return []
  }
}
