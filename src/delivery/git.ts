import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DeliveryError } from './delivery-error.ts'

/** A repository of our own, bare and thrown away at the end. Nothing of the user's configuration reaches it. */
export interface Repository {
  /** Standard output of a git command. Rejects with a GitError. */
  git(args: readonly string[], input?: string, env?: Readonly<Record<string, string>>): Promise<string>
}

/** A git command that failed. The message is what git said. */
export class GitError extends DeliveryError {}

/** What git needs of this machine. */
export interface GitSettings {
  /** Folder for temporary files. */
  readonly scratch: string
  /** Environment of every git command: the path to git, and the credentials of the remote. */
  readonly env: Readonly<Record<string, string>>
}

/** Runs work in a new bare repository, which is gone when the work ends. */
export async function inNewRepository<Result>(
  { scratch, env }: GitSettings,
  work: (repository: Repository) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(scratch, 'quotetree-git-'))
  const repository: Repository = {
    git: (args, input, more = {}) =>
      run(
        [
          '--git-dir',
          folder,
          '-c',
          'gc.auto=0',
          '-c',
          'core.quotePath=false',
          '-c',
          'protocol.ext.allow=never',
          ...args,
        ],
        input,
        { ...env, ...more },
      ),
  }
  try {
    await repository.git(['init', '--quiet', '--bare'])
    return await work(repository)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function run(args: readonly string[], input: string | undefined, env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      'git',
      args,
      // A question for a password would wait for ever.
      { env: { ...env, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }, maxBuffer: 2 ** 30 },
      (error, stdout, stderr) => {
        if (!error) return resolve(stdout)
        const command = args.find((arg) => /^[a-z]+(-[a-z]+)*$/.test(arg)) ?? 'git'
        reject(new GitError(`git ${command}: ${stderr.trim() || error.message}`, { cause: error }))
      },
    )
    // Git may end before it has read everything; it then says why itself.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input ?? '')
  })
}
