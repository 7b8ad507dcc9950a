import { parseArgs } from 'node:util'
import { nearest } from '../src/config/nearest.ts'
import { print } from './terminal.ts'
import { UsageError } from './usage.ts'

export interface Option {
  readonly type: 'string' | 'boolean'
  readonly about: string
  readonly multiple?: boolean
  readonly default?: string | boolean
}
export type Options = Readonly<Record<string, Option>>

/** Declares an option with a value. */
export const text = (about: string) => ({ type: 'string', about }) as const

/** Declares an option that is given or not. */
export const flag = (about: string) => ({ type: 'boolean', default: false, about }) as const

/** The option of commands that read a tree on this disk. */
export const TREE = { type: 'string', default: 'dist', about: 'folder of the tree' } as const satisfies Option

export type Parsed<Table extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; options: Table; allowPositionals: true }>
>

/** Where a command tells what it does. Errors and warnings go to standard error, whatever the options. */
export type Output = ReturnType<typeof outputOf>

/** Why a command has no such option; absent: it has it. */
type Without = Readonly<Partial<Record<'json' | 'quiet', string>>>

interface Declaration<Table extends Options> {
  readonly options: Table
  /** Arguments that are no options, as the help shows them; absent: it takes none. */
  readonly operands?: string
  /** Why it has not the options of every command. */
  readonly without?: Without
  readonly notes?: string
  /** Returns the exit code. */
  run(given: Parsed<Table>['values'], operands: readonly string[], output: Output): number | Promise<number>
}

export type Command = ReturnType<typeof declare>

/** Options of every command, unless it says why not. */
const SHARED = {
  json: { type: 'boolean', about: 'print the result as JSON' },
  quiet: { type: 'boolean', about: 'print nothing but errors, and JSON where it is asked for' },
  help: { type: 'boolean', about: 'print this help' },
} as const satisfies Options

/** Returns all options of a command. */
export const optionsOf = ({ options, without }: { readonly options: Options; readonly without: Without }): Options => ({
  ...options,
  ...Object.fromEntries(Object.entries(SHARED).filter(([name]) => !(name in without))),
})

/** Declares a command. Nothing runs before {@link Command.execute}. */
export const declare = <const Table extends Options>({
  operands,
  notes,
  without = {},
  ...declared
}: Declaration<Table>) => ({
  options: declared.options,
  operands: operands ?? null,
  notes: notes ?? null,
  without,
  /** Runs it with the arguments after its name. Returns the exit code. @throws UsageError in one sentence */
  execute(name: string, args: readonly string[]): number | Promise<number> {
    const shared = optionsOf({ options: {}, without })
    const { values, positionals } = parsed(name, declared.options, shared, args)
    const [stray] = positionals
    if (operands === undefined && stray !== undefined)
      throw new UsageError(`"${stray}" is one argument too many. ${seeHelp(name)}`)
    const has = (option: keyof Without) =>
      Object.entries(values).some(([key, value]) => key === option && value === true)
    return declared.run(values, positionals, outputOf(has('json'), has('quiet')))
  },
})

const outputOf = (json: boolean, quiet: boolean) => ({
  /** Prints a line on the way. */
  line(this: void, text: string): void {
    if (!json && !quiet) print(text)
  },
  /** Prints what came of it: as JSON with --json, else as text, unless --quiet is given. */
  result(this: void, value: unknown, text: () => string): void {
    if (json) print(JSON.stringify(value, null, 2))
    else if (!quiet && text() !== '') print(text())
  },
})

/** The end of a message about wrong usage. */
export const seeHelp = (name: string): string => `See npx quotetree ${name} --help`

function parsed<const Table extends Options>(
  name: string,
  options: Table,
  shared: Options,
  args: readonly string[],
): Parsed<Table> {
  try {
    return parseArgs({ args: [...args], options: { ...shared, ...options }, allowPositionals: true })
  } catch (cause) {
    throw new UsageError(`${reasonOf(cause, { ...shared, ...options })} ${seeHelp(name)}`, { cause })
  }
}

/** Returns why a command line cannot be parsed, with the nearest option there is. */
function reasonOf(cause: unknown, options: Options): string {
  const message = cause instanceof Error ? cause.message : String(cause)
  const [, unknown] = /^Unknown option '--?([^']+)'/.exec(message) ?? []
  if (unknown === undefined) return `${message.split('\n')[0]?.replace(/\.?$/, '.')}`
  const near = nearest(unknown, Object.keys(options))
  return `There is no option --${unknown}.${near === null ? '' : ` Did you mean --${near}?`}`
}
