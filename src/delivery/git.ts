import { execFile } from 'node:child_process'
import { join } from 'node:path'
import fse from 'fs-extra'
import { DeliveryError } from './delivery-error.ts'

/** A temporary bare repository that ignores the user's git configuration. */
export interface Repository {
  /** Runs a git command and returns its standard output. Rejects with a GitError. */
  git(args: readonly string[], input?: string, env?: Readonly<Record<string, string>>): Promise<string>
}

/** A failed git command, with git's own message. */
export class GitError extends DeliveryError {}

export interface GitSettings {
  readonly scratch: string
  /** Environment of every git command: the path to git, and the credentials of the remote. */
  readonly env: Readonly<Record<string, string>>
}

const SETTINGS = ['gc.auto=0', 'core.quotePath=false', 'protocol.ext.allow=never'].flatMap((one) => ['-c', one])

/** Runs work in a new bare repository, and deletes it afterwards. */
export async function inNewRepository<Result>(
  { scratch, env }: GitSettings,
  work: (repository: Repository) => Promise<Result>,
): Promise<Result> {
  const folder = await fse.mkdtemp(join(scratch, 'quotetree-git-'))
  const repository: Repository = {
    git: (args, input, more = {}) => run(['--git-dir', folder, ...SETTINGS, ...args], input, { ...env, ...more }),
  }
  try {
    await repository.git(['init', '--quiet', '--bare'])
    return await work(repository)
  } finally {
    await fse.remove(folder)
  }
}

function run(args: readonly string[], input: string | undefined, env: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      'git',
      args,
      // A password prompt would wait forever.
      { env: { ...env, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }, maxBuffer: 2 ** 30 },
      (error, stdout, stderr) => {
        if (!error) return resolve(stdout)
        const command = args.find((arg) => /^[a-z]+(-[a-z]+)*$/.test(arg)) ?? 'git'
        reject(new GitError(`git ${command}: ${stderr.trim() || error.message}`, { cause: error }))
      },
    )
    // Git may exit before it has read everything. Its own error message has the reason.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input ?? '')
  })
}

export interface Branch {
  /** A URL or a path for git. */
  readonly remote: string
  readonly branch: string
}

/** Whether a text is a valid remote: a URL or a folder, not a git option or a remote helper such as `ext::`. */
export const isRemote = (text: string): boolean => /^(?!-)(?!\w+::)[^\p{Cc}]+$/u.test(text)

/** Whether a text is a valid branch name. https://git-scm.com/docs/git-check-ref-format */
export const isBranchName = (text: string): boolean =>
  /^(?![-/])(?!@$)(?!.*(?:\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)))[^\p{Cc} ~^:?*[\\]+$/u.test(text) &&
  !/^\.|[./]$/.test(text)

/** What {@link branchOf} takes. */
export const BRANCH_FORM = 'git+<URL or folder>[#<branch>]'

/** Returns the branch that `git+<remote>#<branch>` names, `snapshots` by default; null for any other text. */
export function branchOf(text: string): Branch | null {
  const [, remote, branch = 'snapshots'] = /^git\+([^#]+)(?:#(.*))?$/s.exec(text) ?? []
  return remote !== undefined && isRemote(remote) && isBranchName(branch) ? { remote, branch } : null
}

/** Returns the full ref name of a branch. */
export const refOf = ({ branch }: Branch): string => `refs/heads/${branch}`
