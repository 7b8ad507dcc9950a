/** A branch of a remote repository. */
export interface Branch {
  /** An address or a path, as git takes it. */
  readonly remote: string
  readonly branch: string
}

/** Whether a text can name a remote: an address or a folder, and neither an option of git nor a remote helper such as `ext::`. */
export const isRemote = (text: string): boolean => /^(?!-)(?!\w+::)[^\p{Cc}]+$/u.test(text)

/** Whether git takes a text as the name of a branch. https://git-scm.com/docs/git-check-ref-format */
export const isBranchName = (text: string): boolean =>
  /^(?![-/])(?!@$)(?!.*(?:\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)))[^\p{Cc} ~^:?*[\\]+$/u.test(text) &&
  !/^\.|[./]$/.test(text)

/** Full name of a branch in its repository. */
export const refOf = ({ branch }: Branch): string => `refs/heads/${branch}`
