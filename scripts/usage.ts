import { parseArgs, type ParseArgsConfig } from 'node:util'
import { ArchiveError } from '../src/archive/archive-error.ts'
import { PackError } from '../src/client/errors.ts'
import { DeliveryError } from '../src/delivery/delivery-error.ts'
import { RegistryError } from '../src/registry/registry.ts'
import { RestoreError } from '../src/tree/restore-error.ts'
import { ChangesError } from '../src/changes/tree-facts.ts'
import { QueueError } from '../src/queue/queue.ts'
import { ReviewError } from '../src/review/decide.ts'
import { TreeError } from '../src/tree/tree-error.ts'
import { print, printError } from './terminal.ts'

/** A mistake of the user. The message says what to do instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Exit codes of all commands. */
export const EXIT = { done: 0, usage: 2, refused: 3, no_source: 4, fault: 1 } as const

/** One option of a command, with its help text. */
export interface Option {
  readonly type: 'string' | 'boolean'
  readonly about: string
  /** It may be given several times, see {@link valuesOf}. */
  readonly multiple?: boolean
}

/** Parses the options of a command line. `--help` prints them and exits. */
export function options(
  command: string,
  about: string,
  table: Readonly<Record<string, Option>>,
): Readonly<Record<string, string | boolean | undefined>> {
  const config = Object.fromEntries(
    Object.entries<Option>({ ...table, help: { type: 'boolean', about: '' } }).map(
      ([name, { type, multiple = false }]) => [name, { type, multiple }],
    ),
  ) satisfies ParseArgsConfig['options']
  const { values } = parsed(command, { options: config })
  if (values['help']) {
    const lines = Object.entries(table).map(([name, { about }]) => `  --${name.padEnd(18)} ${about}`)
    print([`npm run ${command} -- [options]`, about, '', ...lines].join('\n'))
    process.exit(EXIT.done)
  }
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value.join('\n') : value]),
  )
}

/** The values of an option that may be given several times; {@link options} has them one a line. */
export const valuesOf = (given: string | boolean | undefined): string[] =>
  typeof given === 'string' ? given.split('\n').filter((value) => value !== '') : []

/** Parses a command line. @throws UsageError in one sentence */
export function parsed<Config extends ParseArgsConfig>(
  command: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(`${why}\nSee npm run ${command} -- --help`, { cause })
  }
}

/** Returns the whole number of an option, or undefined if the option is not given. */
export function wholeNumber(name: string, text: string | boolean | undefined): number | undefined {
  if (text === undefined) return undefined
  if (typeof text === 'string' && /^(0|[1-9]\d{0,8})$/.test(text)) return Number(text)
  throw new UsageError(`--${name} takes a whole number, not "${text}".`)
}

/** Runs a command. An expected failure prints one sentence and sets an exit code; a bug also prints its stack. */
export async function main(command: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await command()
  } catch (error) {
    const code = codeOf(error)
    const isExpected = code !== EXIT.fault || error instanceof DeliveryError || error instanceof QueueError
    printError(isExpected && error instanceof Error ? error.message : error)
    process.exitCode = code
  }
}

function codeOf(error: unknown): number {
  if (error instanceof UsageError || error instanceof RegistryError || error instanceof ChangesError) return EXIT.usage
  if (error instanceof TreeError || error instanceof RestoreError || error instanceof ReviewError) return EXIT.refused
  if (error instanceof ArchiveError || error instanceof PackError) return EXIT.refused
  return EXIT.fault
}
