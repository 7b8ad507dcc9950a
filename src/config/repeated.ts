import { Cron } from 'croner'
import type { InForce } from './check.ts'

/** The workflow that builds snapshots. */
const WORKFLOW = '.github/workflows/snapshot.yml'

/** Conditions of the job that starts collectors: in each run, and only where a variable of the repository names them. */
const STARTS_ALWAYS = "github.event.schedule != '22 */2 * * *'"
const STARTS_BY_VARIABLE = `vars.COLLECTORS != '' && ${STARTS_ALWAYS}`

/** Runs of a cron line that are compared: more than there are in a day, since GitHub starts one every 5 minutes at most. */
const RUNS = 300

/** Returns the minutes between the runs of a cron line; null if they differ, or it is no cron line. */
export function minutesOf(line: string): number | null {
  try {
    const runs = new Cron(line, { timezone: 'UTC', paused: true }).nextRuns(RUNS, new Date(Date.UTC(2026, 0, 1)))
    const gaps = new Set(runs.slice(1).map((run, index) => (run.getTime() - (runs[index]?.getTime() ?? 0)) / 60_000))
    const [gap = null] = gaps
    return gaps.size === 1 ? gap : null
  } catch {
    return null
  }
}

/**
 * Returns what differs between the settings and what the workflow repeats of them, because GitHub reads it without the
 * configuration: a sentence each. A setting that an option or the environment overrides is not compared: that is for one run.
 *
 * @param read returns the text of a file; null if the project has no such file
 */
export function differencesOf({ config, origins }: InForce, read: (file: string) => string | null): readonly string[] {
  const { cadenceMinutes, collectors } = config
  const text = read(WORKFLOW) ?? ''
  const stated = (setting: 'cadenceMinutes' | 'collectors', place: RegExp): string | undefined =>
    ['option', 'environment'].includes(origins.get(setting) ?? '') ? undefined : place.exec(text)?.[1]
  const line = stated('cadenceMinutes', /^ +- cron: '([^']*)/m)
  const condition = stated('collectors', /^ {2}matrix:\n(?: {4}#.*\n)* {4}if: (.*)/m)
  const minutes = line === undefined ? cadenceMinutes : minutesOf(line)
  const starts = minutes === null ? `at "${line}"` : `every ${minutes} minutes`
  const wanted = collectors === null ? STARTS_BY_VARIABLE : STARTS_ALWAYS
  const isRight = condition === wanted || (collectors === null && condition !== STARTS_ALWAYS)
  return [
    ...(minutes === cadenceMinutes
      ? []
      : [
          `cadenceMinutes is ${cadenceMinutes}, but ${WORKFLOW} starts runs ${starts}. Change its cron line or the setting.`,
        ]),
    ...(condition === undefined || isRight
      ? []
      : [
          `collectors is ${collectors === null ? 'not ' : ''}set. Change the condition of the job matrix in ${WORKFLOW} to: if: ${wanted}`,
        ]),
  ]
}
