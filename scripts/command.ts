import { parseArgs } from 'node:util'
import { nearest } from '../src/config/nearest.ts'
import { UsageError } from './usage.ts'

/** One option of a command, with its help text. */
export interface Option {
  readonly type: 'string' | 'boolean'
  readonly about: string
  /** It may be given several times. */
  readonly multiple?: boolean
  readonly default?: string | boolean
}
export type Options = Readonly<Record<string, Option>>

export type Parsed<Table extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; options: Table; allowPositionals: true }>
>

/** What a command declares. */
interface Declaration<Table extends Options> {
  readonly options: Table
  /** Arguments that are no options, as the help shows them; absent: it takes none. */
  readonly operands?: string
  /** Further lines of the help. */
  readonly notes?: string
  /** Returns the exit code. */
  run(given: Parsed<Table>['values'], operands: readonly string[]): number | Promise<number>
}

/** A command of the program. */
export interface Command {
  readonly options: Options
  readonly operands: string | null
  readonly notes: string | null
  /** Runs it with the arguments after its name. Returns the exit code. @throws UsageError in one sentence */
  execute(name: string, args: readonly string[]): number | Promise<number>
}

/** Options of every command. */
export const COMMON = { help: { type: 'boolean', about: 'print this help' } } as const satisfies Options

/** Declares a command. Nothing runs before {@link Command.execute}. */
export const declare = <const Table extends Options>(declared: Declaration<Table>): Command => ({
  options: declared.options,
  operands: declared.operands ?? null,
  notes: declared.notes ?? null,
  execute(name, args) {
    const { values, positionals } = parsed(name, declared.options, args)
    const [stray] = positionals
    if (declared.operands === undefined && stray !== undefined)
      throw new UsageError(`"${stray}" is one argument too many. ${seeHelp(name)}`)
    return declared.run(values, positionals)
  },
})

/** The end of a message about wrong usage. */
export const seeHelp = (name: string): string => `See npx quotetree ${name} --help`

function parsed<const Table extends Options>(name: string, options: Table, args: readonly string[]): Parsed<Table> {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (cause) {
    throw new UsageError(`${reasonOf(cause, options)} ${seeHelp(name)}`, { cause })
  }
}

/** Returns why a command line cannot be parsed, and the nearest option there is. */
function reasonOf(cause: unknown, options: Options): string {
  const message = cause instanceof Error ? cause.message : String(cause)
  const [, unknown] = /^Unknown option '--?([^']+)'/.exec(message) ?? []
  if (unknown === undefined) return `${message.split('\n')[0]?.replace(/\.?$/, '.')}`
  const near = nearest(unknown, Object.keys(options))
  return `There is no option --${unknown}.${near === null ? '' : ` Did you mean --${near}?`}`
}
