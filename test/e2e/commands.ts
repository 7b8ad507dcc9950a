import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Plugin, build } from 'esbuild'
import { once } from '../once.ts'

const project = fileURLToPath(new URL('../..', import.meta.url))

/** Modules find files beside them, so each keeps its own address when many become one. */
const ownAddress: Plugin = {
  name: 'own-address',
  setup(builder) {
    builder.onLoad({ filter: /[\\/](src|scripts|test)[\\/].*\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
    }))
  },
}

/**
 * Programs in TypeScript as JavaScript, compiled once for all test files of a run: the compiler takes longer to start than
 * most commands take. The programs keep their names, with the ending `.js`.
 */
export const compiled = (name: string, entryPoints: readonly string[]): Promise<string> =>
  once(name, async (folder) => {
    symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'))
    await build({
      entryPoints: [...entryPoints],
      outdir: folder,
      bundle: true,
      splitting: true,
      packages: 'external',
      format: 'esm',
      platform: 'node',
      target: 'node20',
      outExtension: { '.js': '.mjs' },
      plugins: [ownAddress],
    })
  })

const commands = await compiled(
  'commands',
  readdirSync(join(project, 'scripts'))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(project, 'scripts', name)),
)

/** What a command printed, and how it ended. */
export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Starts a script of the project in its own folder, as npm would. */
export const start = (
  script: string,
  args: readonly string[],
  env: Record<string, string> = {},
  cwd = project,
): ChildProcess =>
  spawn(process.execPath, [join(commands, `${script}.mjs`), ...args], {
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
