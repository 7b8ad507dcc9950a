import { blobOf } from '../core/contract/digest.ts'
import { sentenceOfNews } from '../changes/print.ts'
import { branchFacts, factTables, isOfOneDay } from './branch-facts.ts'
import { type Branch, GitError, type GitSettings, type Repository, inNewRepository, refOf } from './git.ts'
import { DeliveryError } from './delivery-error.ts'

/** Input of {@link commitData}. */
interface DataRun {
  readonly root: string
  readonly to: Branch
  /** Author of the commits, as `Name <mail>`. */
  readonly author: string
  readonly settings: GitSettings
}

/** Tip of the branch at the remote. */
interface Tip {
  readonly commit: string
  readonly committedAt: number
  /** Path -> blob. */
  readonly files: ReadonlyMap<string, string>
}

const [TIP, NEXT] = ['refs/heads/tip', 'refs/heads/next']

/**
 * Commits the facts of a published tree to a remote branch, if any of them changed. Only the tip of the branch is
 * fetched, and only its file names if the remote supports that. If another run pushed in the meantime, the push fails and
 * the branch keeps that run's commit. Returns the subject of the commit, null if nothing was committed, and the number of
 * changed files.
 *
 * @throws DeliveryError if the remote does not answer or refuses the push
 */
export const commitData = ({ root, to, author, settings }: DataRun) =>
  inNewRepository(settings, async (repository) => {
    const tip = await fetchTip(repository, to)
    const before = tip?.files ?? new Map<string, string>()
    const { at, facts } = await branchFacts(root)
    const tables = factTables(facts)
    const changed = [...tables].filter(([path, text]) => before.get(path) !== blobOf(text))
    const gone = [...before.keys()].filter((path) => !tables.has(path) && !isOfOneDay(path))
    const count = changed.length + gone.length
    if (count === 0) return { subject: null, changed: 0 }

    const news = [...facts.events.values()].flat().filter((event) => !tip || Date.parse(event.at) > tip.committedAt)
    const subject = tip ? sentenceOfNews(news) || 'Details of listings and sources' : 'Begin'
    const message = `${subject}\n\n${new Date(at).toISOString()}, ${count} files\n`
    const person = `${author} ${Math.floor(at / 1000)} +0000`
    const commit = [
      `commit ${NEXT}\nauthor ${person}\ncommitter ${person}\n${dataOf(message)}`,
      ...(tip ? [`from ${tip.commit}\n`] : []),
      ...changed.map(([path, text]) => `M 100644 inline ${path}\n${dataOf(text)}`),
      ...gone.map((path) => `D ${path}\n`),
    ]
    await repository.git(['fast-import', '--quiet'], commit.join(''))
    await push(repository, to, (await repository.git(['rev-parse', NEXT])).trim(), tip)
    return { subject, changed: count }
  })

/** Returns a text as `git fast-import` takes it. */
const dataOf = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`

async function fetchTip(repository: Repository, from: Branch): Promise<Tip | null> {
  const listed = await repository.git(['ls-remote', '--end-of-options', from.remote, refOf(from)])
  if (listed.trim() === '') return null
  // A partial clone needs a named remote, from which git can fetch missing files later.
  await repository.git(['config', 'remote.data.url', from.remote])
  await repository.git(['config', 'remote.data.promisor', 'true'])
  await repository.git(['config', 'remote.data.partialclonefilter', 'blob:none'])
  const shallow = ['--quiet', '--no-tags', '--depth=1', '--filter=blob:none']
  await repository.git(['fetch', ...shallow, 'data', `+${refOf(from)}:${TIP}`])
  const [commit = '', seconds = ''] = (await repository.git(['log', '-1', '--format=%H %ct', TIP])).trim().split(' ')
  const tree = await repository.git(['ls-tree', '-r', '-z', TIP])
  const files = tree.split('\0').flatMap((entry): (readonly [string, string])[] => {
    const [, blob, path] = /^\d+ blob ([0-9a-f]+)\t(.+)$/s.exec(entry) ?? []
    return blob === undefined || path === undefined ? [] : [[path, blob]]
  })
  return { commit, committedAt: Number(seconds) * 1000, files: new Map(files) }
}

async function push(repository: Repository, to: Branch, commit: string, tip: Tip | null): Promise<void> {
  const lease = `--force-with-lease=${refOf(to)}:${tip?.commit ?? ''}`
  try {
    await repository.git(['push', '--quiet', lease, '--end-of-options', to.remote, `${commit}:${refOf(to)}`])
  } catch (cause) {
    if (!(cause instanceof GitError)) throw cause
    throw new DeliveryError(`${cause.message}\nThe branch ${to.branch} is unchanged. Run npm run publish again.`, {
      cause,
    })
  }
}
