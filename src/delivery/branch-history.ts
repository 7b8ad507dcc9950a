import { GitError, type Repository } from './git.ts'
import type { Point } from './thinning.ts'

/** A commit of the data branch. */
export interface Commit extends Point {
  /** Null while it is yet to be made. */
  readonly id: string | null
  readonly tree: string
  readonly author: string
  readonly message: string
}

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

/** What a remote holds of a branch. */
export interface Held {
  /** The remote's tip; null where there is no such branch. */
  readonly tip: string | null
  /** Oldest first; empty where the branch is missing or cannot be read. */
  readonly commits: readonly Commit[]
  readonly damaged: boolean
}

const HELD = 'refs/heads/held'
const NEXT = 'refs/heads/next'

/**
 * Fetches a branch with all its history. A branch that is there and cannot be read, twice, is damaged.
 *
 * @throws GitError where the remote itself does not answer
 */
export async function fetchBranch(repository: Repository, at: Branch): Promise<Held> {
  for (let attempt = 1; ; attempt++) {
    const tip = await tipOf(repository, at)
    if (tip === null) return { tip, commits: [], damaged: false }
    try {
      await repository.git([
        '-c',
        'fetch.unpackLimit=1',
        'fetch',
        '--quiet',
        '--no-tags',
        '--',
        at.remote,
        `+${refOf(at)}:${HELD}`,
      ])
      return { tip, commits: await commitsOf(repository), damaged: false }
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      if (attempt === 2) return { tip, commits: [], damaged: true }
    }
  }
}

export const refOf = ({ branch }: Branch): string => `refs/heads/${branch}`

/** The remote's tip of a branch; null where there is none. */
export async function tipOf(repository: Repository, at: Branch): Promise<string | null> {
  const [line = ''] = (await repository.git(['ls-remote', '--', at.remote, refOf(at)])).split('\n')
  return line.split('\t')[0] || null
}

async function commitsOf(repository: Repository): Promise<Commit[]> {
  const format = '%H %T %ct%n%an <%ae>%n%B'
  const text = await repository.git(['log', '-z', '--first-parent', '--reverse', `--format=${format}`, HELD])
  return text
    .split('\0')
    .filter((record) => record !== '')
    .map((record) => {
      const [ids = '', author = '', ...message] = record.split('\n')
      const [id = '', tree = '', seconds = ''] = ids.split(' ')
      return { id, tree, at: Number(seconds) * 1000, author, message: message.join('\n').trim() }
    })
}

/** Makes the commits that have no id yet, and all that come after one of these. Answers the new tip. */
export async function commitAll(repository: Repository, commits: readonly Commit[]): Promise<string> {
  const from = commits.findIndex(({ id }) => id === null)
  const base = commits[from - 1]?.id ?? null
  const made = from < 0 ? [] : commits.slice(from)
  // One process for all of them: a thinned history has hundreds.
  const script = made.map(({ tree, author, at, message }, place) => {
    const when = `${author} ${Math.floor(at / 1000)} +0000`
    const parent = place === 0 && base !== null ? `from ${base}\n` : ''
    const text = `${message}\n`
    return `commit ${NEXT}\nauthor ${when}\ncommitter ${when}\ndata ${Buffer.byteLength(text)}\n${text}${parent}M 040000 ${tree} ""\n\n`
  })
  await repository.git(['fast-import', '--quiet', '--force'], script.join(''))
  return (await repository.git(['rev-parse', '--verify', NEXT])).trim()
}

/** Bytes that commits take as they are packed; 0 for none. Objects made in this run are not packed and count for more. */
export async function bytesOf(repository: Repository, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0
  return Number(await repository.git(['rev-list', '--disk-usage', '--objects', '--no-walk', '--stdin'], ids.join('\n')))
}
