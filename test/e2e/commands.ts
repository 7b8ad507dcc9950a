import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compiled } from '../compiled.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))

export const commands = await compiled('commands', [join(project, 'scripts/quotetree.ts')])

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export const start = (
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
  cwd = project,
): ChildProcess =>
  spawn(process.execPath, [join(commands, 'quotetree.cjs'), command, ...args], {
    cwd,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

export function ended(child: ChildProcess): Promise<Ended> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })))
}

export const run = (command: string, args: readonly string[], env?: Record<string, string>): Promise<Ended> =>
  ended(start(command, args, env))

export function printedLine(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let printed = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      if (printed.includes(text)) resolve()
    })
    child.once('close', () => reject(new Error(`ended before it printed "${text}": ${printed}`)))
  })
}

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
