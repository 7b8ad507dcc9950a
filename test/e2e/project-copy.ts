import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const project = fileURLToPath(new URL('../..', import.meta.url))

/** Runs git in a folder, and returns what it prints. */
export const git = (folder: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 2 ** 26,
  })

/** Makes a clone of the project as it is here, with one commit. */
export function cloneAt(folder: string): void {
  mkdirSync(folder, { recursive: true })
  git(folder, 'init', '--quiet', '--initial-branch=main')
  for (const file of git(project, 'ls-files', '--cached', '--others', '--exclude-standard')
    .split('\n')
    .filter(Boolean)) {
    if (!existsSync(join(project, file))) continue
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(project, file), join(folder, file))
  }
  git(folder, 'add', '.')
  git(folder, 'commit', '--quiet', '--message', 'Initial commit')
  // Installing is what this test did before.
  symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'))
  // The rule for the folder does not hold for a link.
  writeFileSync(join(folder, '.git/info/exclude'), 'node_modules\n')
}

/** Returns a function that runs commands of a copy as its owner would. It rejects if one fails. */
export const commandsIn =
  (copy: string, environment: Readonly<Record<string, string>> = {}) =>
  (...args: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const env = { ...process.env, MKT_NOW: '2026-11-20T12:00:00Z', NO_COLOR: '1', ...environment }
      execFile(
        process.execPath,
        ['scripts/quotetree.mjs', ...args],
        { cwd: copy, env, maxBuffer: 2 ** 26 },
        (error, out, err) => (error ? reject(new Error(`${args.join(' ')}: ${out}${err}`)) : resolve(out)),
      )
    })
