import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import * as z from 'zod'
import { print } from '../contract/text.ts'
import { PREFIX } from '../contract/words.ts'
import { hashOf } from '../endpoints/compose.ts'
import { DeliveryError } from './delivery-error.ts'
import { type Branch, type Commit, bytesOf, commitAll, fetchBranch, refOf, tipOf } from './branch-history.ts'
import { followedFiles, isFollowed } from './followed.ts'
import { GitError, type GitSettings, type Repository, inNewRepository } from './git.ts'
import { newsOf } from '../changes/print.ts'
import { ChangesError, type ReadFile } from '../changes/tree-facts.ts'
import { differenceOf } from '../changes/difference.ts'
import { type Growth, type Keeping, fitting, growthOf, thinned } from './thinning.ts'

const API = PREFIX.slice(1)
const INDEX = `${API}.json`
const MANIFEST = `${API}/manifest.json`

/** Changes with every run, and tells of the run alone; by itself it is no reason to commit, unless it has news. */
const OF_THE_RUN = [`${API}/collector.json`]

/** What goes to a data branch, and how. */
export interface DataRun {
  readonly root: string
  readonly to: Branch
  /** `Name <mail>` of the commits. */
  readonly author: string
  readonly keeping: Keeping
  /** Time between runs in ms, for the forecast. */
  readonly cadenceMs: number
  readonly settings: GitSettings
}

/** What a run did to the data branch. */
export interface DataReport {
  /** Subject of the commit; null where nothing was committed. */
  readonly subject: string | null
  readonly changed: number
  readonly commits: number
  readonly bytes: number
  /** Set when older days were thinned or given up, so that the branch was pushed over its old tip. */
  readonly rewritten: boolean
  /** Set when the branch could not be read, and begins again. */
  readonly anew: boolean
  readonly growth: Growth
}

/**
 * Commits what people follow of a tree to a branch of a remote, if it changed, and thins what is old. The branch is
 * pushed on condition that it is what was fetched; when another run was faster, this one fails and nothing is lost.
 *
 * @throws DeliveryError when the remote does not answer or does not take the push
 */
export const commitData = (run: DataRun): Promise<DataReport> =>
  inNewRepository(run.settings, async (repository) => {
    const at = generatedAt(run.root)
    const held = await fetchBranch(repository, run.to)
    const last = held.commits.at(-1)
    const tree = await treeOf(repository, run.root)
    const changed = last ? await differences(repository, last.tree, tree) : followedFiles(run.root)
    const subject = await news(last ? (file) => blobOf(repository, last.tree, file) : null, (file) =>
      readFile(join(run.root, file), 'utf8').catch(() => null),
    )
    const worth = changed.some((file) => !OF_THE_RUN.includes(file)) || (changed.length > 0 && subject !== '')
    if (!worth) return report(run, repository, held.commits, held.commits.length, { subject: null, changed: 0 })

    const message = `${subject || 'Prices and volumes'}\n\n${new Date(at).toISOString()}, ${changed.length} documents`
    const kept = thin([...held.commits, { id: null, tree, at, author: run.author, message }], at, run.keeping)
    const size = await bytesOf(repository, idsOf(held.commits))
    const fits = fitting(kept.length, size, run.keeping)
    const rest = kept.slice(-fits)
    // A commit without its parent is another commit.
    const commits = fits < kept.length ? rest.map((commit) => ({ ...commit, id: null })) : rest
    const rewritten = commits.filter(({ id }) => id !== null).length < held.commits.length
    await push(repository, run.to, await commitAll(repository, commits), rewritten || held.damaged ? held.tip : null)
    return {
      ...(await report(run, repository, held.commits, commits.length, {
        subject: subject || 'Prices and volumes',
        changed: changed.length,
      })),
      rewritten,
      anew: held.damaged,
    }
  })

/** The subject of a commit; `''` where nothing happened that has a name. */
async function news(before: ReadFile | null, after: ReadFile): Promise<string> {
  if (!before) return 'Begin'
  try {
    return newsOf(await differenceOf({ name: 'the last commit', read: before }, { name: 'the tree', read: after }))
  } catch (error) {
    // A branch that another hand wrote to is followed all the same.
    if (error instanceof ChangesError) return ''
    throw error
  }
}

async function report(
  { keeping, cadenceMs }: DataRun,
  repository: Repository,
  held: readonly Commit[],
  commits: number,
  done: { readonly subject: string | null; readonly changed: number },
): Promise<DataReport> {
  const before = await bytesOf(repository, idsOf(held))
  const bytes = held.length === 0 ? 0 : Math.round((before / held.length) * commits)
  return {
    ...done,
    commits,
    bytes,
    rewritten: false,
    anew: false,
    growth: growthOf(bytes, commits, cadenceMs, keeping),
  }
}

const idsOf = (commits: readonly Commit[]): string[] => commits.flatMap(({ id }) => (id === null ? [] : [id]))

/** The commits to keep; those from the first thinned one on are to be made again. */
function thin(commits: readonly Commit[], now: number, { everyDays }: Keeping): Commit[] {
  const groups = thinned(commits, now, everyDays)
  const first = groups.findIndex((group) => group.length > 1)
  return groups.flatMap((group, place) => {
    const last = group.at(-1)
    if (!last) return []
    return [{ ...last, id: first < 0 || place < first ? last.id : null, message: dayMessage(group) }]
  })
}

/** The message of the last commit of a day, and under it the news of those that it stands for. */
function dayMessage(group: readonly Commit[]): string {
  const [last, ...earlier] = group.toReversed()
  if (!last || earlier.length === 0) return last?.message ?? ''
  const lines = earlier.map(
    ({ at, message }) => `${new Date(at).toISOString().slice(11, 16)} ${message.split('\n')[0]}`,
  )
  return `${last.message}\n\nEarlier that day:\n${lines.toReversed().join('\n')}`
}

async function push(repository: Repository, to: Branch, tip: string, over: string | null): Promise<void> {
  const lease = over === null ? [] : [`--force-with-lease=${refOf(to)}:${over}`]
  try {
    await repository.git(['push', '--quiet', ...lease, '--', to.remote, `${tip}:${refOf(to)}`])
  } catch (cause) {
    if (!(cause instanceof GitError)) throw cause
    throw new DeliveryError(
      `${cause.message}\nThe branch ${to.branch} stays as it was: run npm run data-branch again`,
      {
        cause,
      },
    )
  }
}

async function treeOf(repository: Repository, root: string): Promise<string> {
  const files = followedFiles(root)
  const paths = files.map((file) => resolve(root, file))
  const blobs = await repository.git(['hash-object', '-w', '--no-filters', '--stdin-paths'], paths.join('\n'))
  const entries = blobs
    .trim()
    .split('\n')
    .map((blob, place) => `100644 ${blob}\t${files[place]}\n`)
  await repository.git(['update-index', '--index-info'], entries.join(''))
  return (await repository.git(['write-tree'])).trim()
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '')

const differences = async (repository: Repository, before: string, after: string): Promise<string[]> =>
  linesOf(await repository.git(['diff-tree', '-r', '--name-only', before, after]))

const blobOf = (repository: Repository, tree: string, file: string): Promise<string | null> =>
  repository.git(['cat-file', 'blob', `${tree}:${file}`]).catch((error: unknown) => {
    if (error instanceof GitError) return null
    throw error
  })

/** When a tree was built, in ms since 1970: the time of its commit. */
function generatedAt(root: string): number {
  try {
    const index = z.object({ generatedAt: z.iso.datetime() }).parse(JSON.parse(readFileSync(join(root, INDEX), 'utf8')))
    return Date.parse(index.generatedAt)
  } catch (cause) {
    throw new DeliveryError(`${root} holds no published tree: run npm run snapshot first`, { cause })
  }
}

/**
 * Brings back what a data branch holds into a folder without a tree, with a manifest of it, so that the next run extends it
 * and documents whose data did not change keep their bytes. History is not in the branch; the sources fill it again.
 * Answers how many files came back; null where the folder holds a tree or there is no branch that can be read.
 */
export const restoreData = (root: string, from: Branch, settings: GitSettings): Promise<number | null> =>
  inNewRepository(settings, async (repository) => {
    if (statSync(join(root, MANIFEST), { throwIfNoEntry: false }) || (await tipOf(repository, from)) === null)
      return null
    const { commits } = await fetchBranch(repository, from)
    const tree = commits.at(-1)?.tree
    if (tree === undefined) return null
    const files = linesOf(await repository.git(['ls-tree', '-r', '--name-only', tree])).filter(isFollowed)
    const rows = []
    for (const path of files) {
      const text = (await blobOf(repository, tree, path)) ?? ''
      const timestamp = /\n"timestamp":"([^"]+)",/.exec(text)?.[1]
      // What is not an answer is left: the run makes it anew.
      if (timestamp === undefined) continue
      const target = join(root, path)
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, text)
      rows.push({ path, bytes: Buffer.byteLength(text), sha256: hashOf(text), timestamp })
    }
    const timestamp = rows
      .map(({ timestamp }) => timestamp)
      .toSorted()
      .at(-1)
    if (timestamp === undefined) return null
    writeFileSync(join(root, MANIFEST), print({ timestamp, count: rows.length, rows }))
    return rows.length
  })
