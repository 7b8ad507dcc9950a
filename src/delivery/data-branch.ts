import { sentenceOfNews } from '../changes/print.ts'
import { branchFacts, factTables, isOfOneDay } from './branch-facts.ts'
import { type Branch, GitError, type GitSettings, type Repository, inNewRepository, refOf } from './git.ts'
import { DeliveryError } from './delivery-error.ts'

/** Input of {@link commitData}. */
interface DataRun {
  /** Folder of the published tree. */
  readonly root: string
  readonly to: Branch
  /** Author of the commits, as `Name <mail>`. */
  readonly author: string
  readonly settings: GitSettings
}

/** Result for the data branch. */
export interface DataReport {
  /** Subject of the commit; null if nothing was committed. */
  readonly subject: string | null
  /** Number of changed files. */
  readonly changed: number
}

/** Tip of the branch at the remote. */
interface Tip {
  readonly commit: string
  readonly committedAt: number
  /** Path -> blob. */
  readonly files: ReadonlyMap<string, string>
}

const TIP = 'refs/heads/tip'

/**
 * Commits the facts of a published tree to a remote branch, if any of them changed. Only the tip of the branch is
 * fetched, and only its file names if the remote supports that. If another run pushed in the meantime, the push fails and
 * the branch keeps that run's commit.
 *
 * @throws DeliveryError if the remote does not answer or refuses the push
 */
export const commitData = ({ root, to, author, settings }: DataRun): Promise<DataReport> =>
  inNewRepository(settings, async (repository) => {
    const tip = await fetchTip(repository, to)
    const paths = tip ? [...tip.files.keys()] : []
    const { at, facts } = branchFacts(root)
    const tables = factTables(facts)
    const files = new Map([...(tip?.files ?? [])].filter(([path]) => isOfOneDay(path)))
    for (const [path, blob] of await blobsOf(repository, tables)) files.set(path, blob)
    const changed = [...new Set([...files.keys(), ...paths])].filter((path) => files.get(path) !== tip?.files.get(path))
    if (changed.length === 0) return { subject: null, changed: 0 }

    const news = [...facts.events.values()].flat().filter((event) => !tip || Date.parse(event.at) > tip.committedAt)
    const subject = tip ? sentenceOfNews(news) || 'Details of listings and sources' : 'Begin'
    const body = `${new Date(at).toISOString()}, ${changed.length} files`
    const commit = await commitFiles(repository, files, tip, { author, at, message: `${subject}\n\n${body}` })
    await push(repository, to, commit, tip)
    return { subject, changed: changed.length }
  })

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

/** Stores texts as blobs in one git process. */
async function blobsOf(
  repository: Repository,
  texts: ReadonlyMap<string, string>,
): Promise<readonly (readonly [string, string])[]> {
  const entries = [...texts]
  const marks = entries.map(
    ([, text], place) => `blob\nmark :${place + 1}\ndata ${Buffer.byteLength(text)}\n${text}\nget-mark :${place + 1}\n`,
  )
  const answer = await repository.git(['fast-import', '--quiet', '--cat-blob-fd=1'], marks.join(''))
  const blobs = answer.trim().split('\n')
  return entries.map(([path], place) => [path, blobs[place] ?? ''])
}

async function commitFiles(
  repository: Repository,
  files: ReadonlyMap<string, string>,
  parent: Tip | null,
  { author, at, message }: { readonly author: string; readonly at: number; readonly message: string },
): Promise<string> {
  const [, name = '', mail = ''] = /^(.+) <(.+)>$/.exec(author) ?? []
  const own = [
    ['NAME', name],
    ['EMAIL', mail],
    ['DATE', `${Math.floor(at / 1000)} +0000`],
  ]
  const identity = Object.fromEntries(
    ['AUTHOR', 'COMMITTER'].flatMap((role) => own.map(([what, value]) => [`GIT_${role}_${what}`, value ?? ''])),
  )
  const entries = [...files].map(([path, blob]) => `100644 ${blob}\t${path}\n`)
  await repository.git(['update-index', '--index-info'], entries.join(''))
  // Blobs of earlier days are missing, because only names were fetched.
  const tree = (await repository.git(['write-tree', '--missing-ok'])).trim()
  const parents = parent ? ['-p', parent.commit] : []
  return (await repository.git(['commit-tree', tree, ...parents], `${message}\n`, identity)).trim()
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
