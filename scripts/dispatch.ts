import { nearest } from '../src/config/nearest.ts'
import { COMMANDS, type Entry } from './commands.ts'
import { printColoured, colours } from './terminal.ts'
import { EXIT, UsageError } from './usage.ts'
import { type Command, type Option, optionsOf } from './command.ts'

/** Runs the command that the arguments name. Returns the exit code. */
export async function dispatch(args: readonly string[]): Promise<number> {
  const line = readCommandLine(args)
  if (line.name === null) {
    printColoured(programHelp())
    return EXIT.done
  }
  const entry = Object.entries(COMMANDS).find(([name]) => name === line.name)?.[1]
  if (!entry) throw new UsageError(closestCommand(line.name, Object.keys(COMMANDS)))
  const { command } = await entry.load()
  if (line.wantsHelp) {
    printColoured(commandHelp(line.name, entry, command))
    return EXIT.done
  }
  return command.execute(line.name, line.rest)
}

/**
 * Returns the command that a command line names, null for the help of the program, and its arguments. `quotetree help snapshot` is
 * `quotetree snapshot --help`.
 */
export function readCommandLine(args: readonly string[]) {
  const [first, ...rest] = args
  if (first === undefined || isHelp(first)) return { name: null, wantsHelp: true, rest: [] }
  if (first === 'help') return { name: rest[0] ?? null, wantsHelp: true, rest: [] }
  const end = rest.indexOf('--')
  const options = end < 0 ? rest : rest.slice(0, end)
  return { name: first, wantsHelp: options.some(isHelp), rest }
}

const isHelp = (arg: string): boolean => arg === '--help' || arg === '-h'

/** Returns the message about a command that does not exist. */
export function closestCommand(name: string, names: readonly string[]): string {
  const near = nearest(name, names)
  return `There is no command "${name}".${near === null ? '' : ` Did you mean ${near}?`} See npx quotetree --help`
}

/** Returns the help of the program: its commands by group. */
export function programHelp(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length))
  const groups = [...new Set(Object.values(COMMANDS).map(({ group }) => group))]
  return [
    `${colours.bold('npx quotetree')} <command> [options], or npm run <command> -- [options]`,
    '',
    ...groups.flatMap((group) => [
      colours.bold(group),
      ...Object.entries(COMMANDS).flatMap(([name, entry]) =>
        entry.group === group ? [`  ${colours.cyan(name.padEnd(width))}  ${firstSentence(entry)}`] : [],
      ),
      '',
    ]),
    'npx quotetree <command> --help prints the options of a command.',
  ].join('\n')
}

/** Returns the first sentence of what a command does. */
export const firstSentence = ({ about }: Pick<Entry, 'about'>): string => /^.*?\.(?= |$)/.exec(about)?.[0] ?? about

/** Returns the help of one command. */
export function commandHelp(name: string, { about }: Entry, command: Command): string {
  const { operands, notes, without } = command
  const lines = Object.entries(optionsOf(command)).map(([option, one]) => optionLine(option, one))
  const reasons = Object.entries(without).map(([option, why]) => `It has no option ${option}: ${why}.`)
  return [
    `${colours.bold(`npx quotetree ${name}`)}${operands === null ? '' : ` ${operands}`} [options]`,
    about,
    '',
    ...lines,
    ...(notes === null ? [] : ['', notes]),
    ...(reasons.length === 0 ? [] : ['', ...reasons]),
  ].join('\n')
}

function optionLine(name: string, { type, about, multiple, default: usual }: Option): string {
  const value = type === 'string' ? ' <value>' : ''
  const repeats = multiple ? '; repeatable' : ''
  const withDefault = typeof usual === 'string' && usual !== '' ? ` (default: ${usual})` : ''
  return `  ${colours.cyan(`--${name}${value}`.padEnd(26))} ${about}${about.includes('repeatable') ? '' : repeats}${withDefault}`
}
