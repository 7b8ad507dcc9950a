/** A branch of a remote repository. */
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
