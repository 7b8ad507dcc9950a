import { nearest } from '../src/config/nearest.ts'
import { RETIRED_COMMANDS, retired } from '../src/config/retired.ts'
import { COMMANDS } from './commands.ts'
import { commandHelp, programHelp } from './help.ts'
import { printColoured } from './terminal.ts'
import { EXIT, UsageError } from './usage.ts'

/** Runs the command that the arguments name. Returns the exit code. */
export async function dispatch(args: readonly string[]): Promise<number> {
  const line = readCommandLine(args)
  if (line.name === null) {
    printColoured(programHelp())
    return EXIT.done
  }
  const entry = Object.entries(COMMANDS).find(([name]) => name === line.name)?.[1]
  if (!entry)
    throw new UsageError(
      retired(`The command ${line.name}`, line.name, RETIRED_COMMANDS) ??
        closestCommand(line.name, Object.keys(COMMANDS)),
    )
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
