import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { COMMANDS } from '../../scripts/commands.ts'
import { compiled } from '../compiled.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))

/** Folder with the commands of `scripts/` as JavaScript. */
export const commands = await compiled(
  'commands',
  readdirSync(join(project, 'scripts'))
    .filter((name) => name.endsWith('.ts') && !name.startsWith('bench'))
    .map((name) => join(project, 'scripts', name)),
)

/** What a command printed, and how it ended. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Returns how a command is started: through the program, or as a script of its own. */
const programOf = (script: string): string[] =>
  script in COMMANDS ? [join(commands, 'quotetree.cjs'), script] : [join(commands, `${script}.cjs`)]

/** Starts a command of the project in its own folder, as npm would. */
export const start = (
  script: string,
  args: readonly string[],
  env: Record<string, string> = {},
  cwd = project,
): ChildProcess =>
  spawn(process.execPath, [...programOf(script), ...args], {
    cwd,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

/** What a started command printed until it ended. */
export function ended(child: ChildProcess): Promise<Ended> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })))
}

export const run = (script: string, args: readonly string[], env?: Record<string, string>): Promise<Ended> =>
  ended(start(script, args, env))

/** The address that a started server prints. */
export function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0]
      if (url) resolve(url)
    })
    child.once('close', () => reject(new Error(`ended before it listened: ${text}`)))
  })
}
