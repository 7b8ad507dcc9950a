import { resolve } from 'node:path'
import { diskFailure } from '../src/core/tree/tree-error.ts'
import { printError } from './terminal.ts'

export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export const EXIT = { done: 0, usage: 2, refused: 3, no_source: 4, fault: 1 } as const

export function wholeNumber(name: string, text: string | boolean | undefined): number | undefined {
  if (text === undefined) return undefined
  if (typeof text === 'string' && /^(0|[1-9]\d{0,8})$/.test(text)) return Number(text)
  throw new UsageError(`--${name} takes a whole number, not "${text}".`)
}

export function oneOf<const Name extends string>(option: string, names: readonly Name[], given: string): Name {
  const found = names.find((name) => name === given)
  if (found !== undefined) return found
  throw new UsageError(`--${option} takes ${names.join(', ')}, not "${given}".`)
}

/** Returns a path that is written to. @throws UsageError if it is of the system, where no folder can be made */
export function writable(path: string): string {
  if (!/^\/(?:proc|sys)(?:\/|$)/.test(resolve(path))) return path
  throw new UsageError(`${path} is of the system. Name a place on a disk.`)
}

/** Exit codes of expected failures. By name, because importing every class would load most of the program. */
const CODES: Readonly<Record<string, number>> = {
  UsageError: EXIT.usage,
  ConfigError: EXIT.usage,
  SelectionError: EXIT.usage,
  RegistryError: EXIT.usage,
  ChangesError: EXIT.usage,
  VerifyError: EXIT.usage,
  NoMirrorError: EXIT.usage,
  TreeError: EXIT.refused,
  RestoreError: EXIT.refused,
  ReviewError: EXIT.refused,
  DeliveryError: EXIT.refused,
  QueueError: EXIT.fault,
}

interface Failure {
  readonly message: string
  readonly code: number
}

/** What a user, a disk or a host can cause: a sentence with the next step, and its exit code. Null: a fault of the program. */
function expectedFailure(error: unknown): Failure | null {
  const code = error instanceof Error ? CODES[error.name] : undefined
  if (error instanceof Error && code !== undefined) return { message: error.message, code }
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
