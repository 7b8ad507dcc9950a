import { parseArgs } from 'node:util'
import { nearest } from '../src/config/nearest.ts'
import { colours, say } from './terminal.ts'
import { UsageError } from './usage.ts'

interface Option {
  readonly type: 'string' | 'boolean'
  readonly about: string
  readonly multiple?: boolean
  readonly default?: string | boolean
}
type Options = Readonly<Record<string, Option>>

export const text = (about: string) => ({ type: 'string', about }) as const

export const texts = (about: string) => ({ type: 'string', multiple: true, about }) as const

export const textOr = (value: string, about: string) => ({ type: 'string', default: value, about }) as const

export const flagOption = (about: string) => ({ type: 'boolean', default: false, about }) as const

export const TREE = textOr('dist', 'folder of the tree')

export type Given<Table extends Options> = ReturnType<
  typeof parseArgs<{ args: string[]; options: Table; allowPositionals: true }>
>['values']

export type Output = ReturnType<typeof outputOf>

interface Declaration<Table extends Options> {
  readonly options: Table
  readonly operands?: string
  readonly notes?: string
  run(given: Given<Table>, operands: readonly string[], output: Output): number | Promise<number>
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
    execute(name: string, args: readonly string[]): number | Promise<number> {
      const { values, positionals } = parsed(name, options, args)
      const [stray] = positionals
      if (operands === undefined && stray !== undefined)
        throw new UsageError(`"${stray}" is one argument too many. ${seeHelp(name)}`)
      const has = (option: string) => new Map<string, unknown>(Object.entries(values)).get(option) === true
      return own.run(values, positionals, outputOf(has('json'), has('quiet')))
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
    const message = cause instanceof Error ? cause.message : String(cause)
    const [, unknown] = /^Unknown option '--?([^']+)'/.exec(message) ?? []
    const near = unknown === undefined ? null : nearest(unknown, Object.keys(options))
    const reason =
      unknown === undefined
        ? message.split('\n')[0]?.replace(/\.?$/, '.')
        : `There is no option --${unknown}.${near === null ? '' : ` Did you mean --${near}?`}`
    throw new UsageError(`${reason} ${seeHelp(name)}`, { cause })
  }
}
