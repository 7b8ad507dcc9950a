import { type Command, type Option, optionsOf } from './command.ts'
import { COMMANDS, type Entry } from './commands.ts'
import { colours } from './terminal.ts'

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
export const firstSentence = ({ about }: Pick<Entry, 'about'>): string => /^.*?[.:](?= |$)/.exec(about)?.[0] ?? about

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
