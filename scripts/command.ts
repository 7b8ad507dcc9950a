import { resolve } from 'node:path'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { hint } from '../src/config/nearest.ts'
import { diskFailure } from '../src/core/tree/tree-error.ts'
import { colours, printError, say } from './terminal.ts'

export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export const messageIn = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export const EXIT = { done: 0, usage: 2, refused: 3, no_source: 4, fault: 1 } as const

export function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^(0|[1-9]\d{0,8})$/.test(text)) return Number(text)
  throw new UsageError(`--${name} takes a whole number, not "${text}".`)
}

export function oneOf<const Name extends string>(option: string, names: readonly Name[], given: string): Name {
  const found = names.find((name) => name === given)
  if (found !== undefined) return found
  throw new UsageError(`--${option} takes ${names.join(', ')}, not "${given}".`)
}

/** Returns a path that is written to. @throws UsageError if it is empty, or of the system, where no folder can be made */
export function writable(path: string): string {
  if (path === '') throw new UsageError('A path is empty. Name a file or a folder.')
  if (!/^\/(?:proc|sys)(?:\/|$)/.test(resolve(path))) return path
  throw new UsageError(`${path} is of the system. Name a place on a disk.`)
}

/** Expected failures by exit code. By name, because importing every class would load most of the program. */
const EXPECTED = new Map<number, RegExp>([
  [EXIT.usage, /^(Usage|Config|Port|Selection|Registry|Changes|Verify|NoMirror)Error$/],
  [EXIT.refused, /^(Tree|Restore|Review|Delivery)Error$/],
  [EXIT.fault, /^QueueError$/],
])

/** What a user, a disk or a host can cause: a sentence with the next step, and its exit code. Null: a fault of the program. */
function expectedFailure(error: unknown) {
  for (const [code, names] of EXPECTED)
    if (error instanceof Error && names.test(error.name)) return { message: error.message, code }
  const disk = diskFailure(error)
  if (disk !== null) return { message: disk, code: EXIT.refused }
  const [, reason, path] = /^(?:ENOTDIR|EISDIR|EEXIST): ([^,]+), \w+ '(.+)'$/.exec(String(Object(error).message)) ?? []
  if (reason !== undefined) return { message: `${path} cannot be used: ${reason}. Name another.`, code: EXIT.usage }
  // What fetch rejects with, in Node and in undici.
  if (!(error instanceof TypeError && error.message === 'fetch failed')) return null
  const why = error.cause instanceof Error && error.cause.message !== '' ? `: ${error.cause.message}` : ''
  const message = `A host cannot be reached${why}. Check its address and the network, and run again.`
  return { message, code: EXIT.fault }
}

export async function main(command: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await command()
  } catch (error) {
    const expected = expectedFailure(error)
    printError(expected?.message ?? error)
    process.exitCode = expected?.code ?? EXIT.fault
  }
}

type Option = NonNullable<ParseArgsConfig['options']>[string] & { readonly about: string }
type Options = Readonly<Record<string, Option>>

export const text = (about: string) => ({ type: 'string', about }) as const

export const texts = (about: string) => ({ type: 'string', multiple: true, about }) as const

export const textOr = (value: string, about: string) => ({ type: 'string', default: value, about }) as const

export const flagOption = (about: string) => ({ type: 'boolean', default: false, about }) as const

export const TREE = textOr('dist', 'folder of the tree')

export type Flags<Table extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; options: Table; allowPositionals: true }>
>['values']

export type Output = ReturnType<typeof outputOf>

interface Declaration<Table extends Options> {
  readonly options: Table
  readonly operands?: string
  readonly notes?: string
  /** Returns the exit code; nothing where all went well. */
  run(given: Flags<Table>, operands: readonly string[], output: Output): Promise<number | void>
}

const SHARED: Options = {
  json: flagOption('print the result as JSON'),
  quiet: flagOption('print nothing but errors, and JSON where it is asked for'),
  help: flagOption('print this help'),
}

export function declare<const Table extends Options>({ operands, notes, ...own }: Declaration<Table>) {
  const options = { ...SHARED, ...own.options }
  return {
    options: Object.keys(options),
    operands,
    help: (name: string, about: string): string =>
      [
        `${colours.bold(`npx quotetree ${name}`)}${operands === undefined ? '' : ` ${operands}`} [options]`,
        about,
        '',
        ...Object.entries<Option>({ ...own.options, ...SHARED }).map(optionLine),
        ...(notes === undefined ? [] : ['', notes]),
      ].join('\n'),
    async execute(name: string, args: readonly string[]): Promise<number> {
      const { values, positionals } = parsed(name, options, args)
      const [stray] = positionals
      if (operands === undefined && stray !== undefined)
        throw new UsageError(`"${stray}" is one argument too many. ${seeHelp(name)}`)
      const { json, quiet }: Readonly<Record<string, unknown>> = values
      return (await own.run(values, positionals, outputOf(json === true, quiet === true))) ?? EXIT.done
    },
  }
}

function optionLine([name, { type, about, multiple, default: usual }]: readonly [string, Option]): string {
  const value = type === 'string' ? ' <value>' : ''
  const repeats = multiple ? '; repeatable' : ''
  const withDefault = typeof usual === 'string' && usual !== '' ? ` (default: ${usual})` : ''
  return `  ${colours.cyan(`--${name}${value}`.padEnd(26))} ${about}${repeats}${withDefault}`
}

const outputOf = (json: boolean, quiet: boolean) => ({
  line(this: void, text: string): void {
    if (!json && !quiet) say(text)
  },
  result(this: void, value: unknown, text: () => string): void {
    if (json) say(JSON.stringify(value, null, 2))
    else if (!quiet && text() !== '') say(text())
  },
})

export const seeHelp = (name: string): string => `See npx quotetree ${name} --help`

function parsed<const Table extends Options>(name: string, options: Table, args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (cause) {
    const message = messageIn(cause)
    const [, unknown] = /^Unknown option '--?([^']+)'/.exec(message) ?? []
    const reason =
      unknown === undefined
        ? message.split('\n')[0]?.replace(/\.?$/, '.')
        : `There is no option --${unknown}.${hint(unknown, Object.keys(options), '--')}`
    throw new UsageError(`${reason} ${seeHelp(name)}`, { cause })
  }
}
