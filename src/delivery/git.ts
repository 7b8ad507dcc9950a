import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fse from 'fs-extra'
import { excerpt } from '../core/contract/visible.ts'
import { DeliveryError } from './delivery-error.ts'

export type Git = (args: readonly string[], input?: string) => Promise<string>

const SETTINGS = ['gc.auto=0', 'core.quotePath=false', 'protocol.ext.allow=never'].flatMap((one) => ['-c', one])

/** Runs work in a new bare repository that ignores the user's git configuration, and deletes it afterwards. */
export async function inNewRepository<Result>(env: NodeJS.ProcessEnv, work: (git: Git) => Promise<Result>) {
  const folder = await fse.mkdtemp(join(tmpdir(), 'quotetree-git-'))
  // A password prompt would wait forever.
  const options = { env: { ...env, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' }, maxBuffer: 2 ** 30 }
  const git: Git = (args, input = '') =>
    new Promise((resolve, reject) => {
      const child = execFile('git', ['--git-dir', folder, ...SETTINGS, ...args], options, (error, stdout, stderr) => {
        if (!error) return resolve(stdout)
        // What follows a fatal line is advice of git for other cases.
        const why = /^(?:fatal:| !) .+/m.exec(stderr)?.[0].trim() ?? (stderr.trim() || error.message)
        reject(new DeliveryError(`git ${args[0]}: ${excerpt(why)}`, { cause: error }))
      })
      // Git may exit before it has read everything. Its own error message has the reason.
      child.stdin?.on('error', () => {})
      child.stdin?.end(input)
    })
  try {
    await git(['init', '--quiet', '--bare'])
    return await work(git)
  } finally {
    await fse.remove(folder)
  }
}

export type Branch = NonNullable<ReturnType<typeof branchOf>>

/** A URL or a folder, no git option and no remote helper such as `ext::`. */
const REMOTE = /^(?!-)(?!\w+::)[^\p{Cc}]+$/u

/** Whether a text is a valid branch name. https://git-scm.com/docs/git-check-ref-format */
const isBranchName = (text: string): boolean =>
  /^(?![-/])(?!@$)(?!.*(?:\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)))[^\p{Cc} ~^:?*[\\]+$/u.test(text) &&
  !/^\.|[./]$/.test(text)

export const BRANCH_FORM = 'git+<URL or folder>[#<branch>]'

/** Returns the branch that `git+<remote>#<branch>` names, `snapshots` by default; null for any other text. */
export function branchOf(text: string) {
  const [, remote, branch = 'snapshots'] = /^git\+([^#]+)(?:#(.*))?$/s.exec(text) ?? []
  return remote !== undefined && REMOTE.test(remote) && isBranchName(branch) ? { remote, branch } : null
}

export const isOnRemote = async (git: Git, branch: Branch): Promise<boolean> =>
  (await git(['ls-remote', '--end-of-options', branch.remote, refOf(branch)])).trim() !== ''

export const refOf = ({ branch }: Branch): string => `refs/heads/${branch}`
