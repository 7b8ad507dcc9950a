import type { InForce } from './check.ts'
import { minutesOf } from './cron.ts'
import type { Config } from './settings.ts'

/** The workflow that builds snapshots. */
const SNAPSHOT_WORKFLOW = '.github/workflows/snapshot.yml'

/** A setting that the workflow repeats, because GitHub reads it without the configuration. */
interface Repeated {
  readonly setting: 'cadenceMinutes' | 'collectors'
  /** The value in the workflow. */
  readonly place: RegExp
  /** Returns what differs, and what to write; null if the value is that of the settings. */
  readonly difference: (config: Config, value: string) => string | null
}

/** Conditions of the job that starts collectors: in each run, and only where a variable of the repository names them. */
const STARTS_ALWAYS = "github.event.schedule != '22 */2 * * *'"
const STARTS_BY_VARIABLE = `vars.COLLECTORS != '' && ${STARTS_ALWAYS}`

const REPEATED: readonly Repeated[] = [
  {
    setting: 'cadenceMinutes',
    place: /^ +- cron: '([^']*)/m,
    difference({ cadenceMinutes }, value) {
      const minutes = minutesOf(value)
      if (minutes === cadenceMinutes) return null
      const starts = minutes === null ? `at "${value}"` : `every ${minutes} minutes`
      return `cadenceMinutes is ${cadenceMinutes}, but ${SNAPSHOT_WORKFLOW} starts runs ${starts}. Change its cron line or the setting.`
    },
  },
  {
    setting: 'collectors',
    place: /^ {2}matrix:\n(?: {4}#.*\n)* {4}if: (.*)/m,
    difference({ collectors }, value) {
      const wanted = collectors === null ? STARTS_BY_VARIABLE : STARTS_ALWAYS
      if (value === wanted || (collectors === null && value !== STARTS_ALWAYS)) return null
      return `collectors is ${collectors === null ? 'not ' : ''}set. Change the condition of the job matrix in ${SNAPSHOT_WORKFLOW} to: if: ${wanted}`
    },
  },
]

/**
 * Returns what differs between the settings and the workflow, a sentence each. A setting that an option or the environment
 * overrides is not compared: that is meant for one run.
 *
 * @param read returns the text of a file; null if the project has no such file
 */
export const differencesOf = ({ config, origins }: InForce, read: (file: string) => string | null): readonly string[] =>
  REPEATED.flatMap(({ setting, place, difference }) => {
    const origin = origins.get(setting)
    const value = place.exec(read(SNAPSHOT_WORKFLOW) ?? '')?.[1]
    if (value === undefined || origin === 'option' || origin === 'environment') return []
    return difference(config, value) ?? []
  })
