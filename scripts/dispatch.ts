import { RETIRED_COMMANDS, retired } from '../src/config/retired.ts'
import { closestCommand, readCommandLine } from './command-line.ts'
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
