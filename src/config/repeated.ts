import { API_FOLDER } from '../contract/prefix.ts'
import type { InForce } from './check.ts'
import { CRON_CADENCES, cronOf, minutesOf } from './cron.ts'
import type { Config } from './settings.ts'

/** The workflow that builds snapshots. */
export const SNAPSHOT_WORKFLOW = '.github/workflows/snapshot.yml'
/** The file with the path of the API, which is compiled into everything. */
export const PREFIX_FILE = 'src/contract/prefix.ts'

/** A setting that a file of the project repeats, because what reads that file cannot read the configuration. */
interface Repeated {
  readonly setting: 'prefix' | 'cadenceMinutes' | 'collectors'
  readonly file: string
  /** Where the value stands: what is before it, and the value. */
  readonly place: RegExp
  /** Returns whether the value is that of the settings, the sentence for when it is not, and the value that is. */
  readonly compare: (
    config: Config,
    value: string,
  ) => { readonly isEqual: boolean; readonly sentence: () => string; readonly wanted: string | null }
}

/** Conditions of the job that starts collectors: only where a variable of the repository names them, and in each run. */
const STARTS_BY_VARIABLE = "vars.COLLECTORS != ''"
const STARTS_ALWAYS = '${{ !cancelled() }}'

const REPEATED: readonly Repeated[] = [
  {
    setting: 'prefix',
    file: PREFIX_FILE,
    place: /^(export const PREFIX = '\/)([^']*)/m,
    compare: ({ prefix }, value) => ({
      isEqual: value === prefix,
      sentence: () => `prefix is "${prefix}", but ${PREFIX_FILE} says "${value}".`,
      wanted: prefix,
    }),
  },
  {
    setting: 'cadenceMinutes',
    file: SNAPSHOT_WORKFLOW,
    place: /^( +- cron: ')([^']*)/m,
    compare: ({ cadenceMinutes }, value) => {
      const wanted = cronOf(cadenceMinutes)
      return {
        isEqual: value === wanted || minutesOf(value) === cadenceMinutes,
        sentence: () =>
          `cadenceMinutes is ${cadenceMinutes}, but ${SNAPSHOT_WORKFLOW} starts runs ${everyOf(value)}.` +
          (wanted === null ? ` A cron line can keep ${CRON_CADENCES.join(', ')} minutes.` : ''),
        wanted,
      }
    },
  },
  {
    setting: 'collectors',
    file: SNAPSHOT_WORKFLOW,
    place: /^( {2}matrix:\n(?: {4}#.*\n)* {4}if: )(.*)/m,
    compare: ({ collectors }, value) => ({
      isEqual: (value === STARTS_ALWAYS) === (collectors !== null),
      sentence: () =>
        collectors === null
          ? `collectors is not set, but ${SNAPSHOT_WORKFLOW} starts collectors in each run.`
          : `collectors names machines, but ${SNAPSHOT_WORKFLOW} starts them only if the variable COLLECTORS is set.`,
      wanted: collectors === null ? STARTS_BY_VARIABLE : STARTS_ALWAYS,
    }),
  },
]

/** Returns when the runs of a cron line start, as the end of a sentence. */
function everyOf(line: string): string {
  const minutes = minutesOf(line)
  return minutes === null ? `at "${line}"` : `every ${minutes} minutes`
}

/** A file of the project that differs from the settings. */
export interface Difference {
  readonly file: string
  /** What differs, and what to do. */
  readonly sentence: string
  /** Returns the text of the file as the settings want it; null if no text can follow them. */
  readonly followed: ((text: string) => string) | null
}

/** The command that makes the files follow the settings. */
const APPLY = 'Run npm run config -- --apply, and commit what it writes.'

/**
 * Returns the files of the project that differ from the settings. A setting that an option or the environment overrides is
 * not compared: that is meant for one run.
 *
 * @param read returns the text of a file; null if the project has no such file
 */
export const differencesOf = (
  { config, origins }: InForce,
  read: (file: string) => string | null,
): readonly Difference[] =>
  REPEATED.flatMap(({ setting, file, place, compare }): Difference[] => {
    const origin = origins.get(setting)
    const value = place.exec(read(file) ?? '')?.[2]
    if (value === undefined || origin === 'option' || origin === 'environment') return []
    const { isEqual, sentence, wanted } = compare(config, value)
    if (isEqual) return []
    if (wanted === null) return [{ file, sentence: sentence(), followed: null }]
    const followed = (text: string) => text.replace(place, (_, before: string) => before + wanted)
    return [{ file, sentence: `${sentence()} ${APPLY}`, followed }]
  })

/** Returns the sentence about a program that is compiled for another prefix; null if it is for this one. */
export const prefixFault = ({ prefix }: Config): string | null =>
  prefix === API_FOLDER ? null : `prefix is "${prefix}", but this program publishes below "${API_FOLDER}". ${APPLY}`
