import { DeliveryError } from './delivery-error.ts'

/** Runs git in the working copy. */
type Git = (args: readonly string[]) => Promise<string>

/** What a publisher changes in a copy of the project: an update touches none of it. */
const OWNED = [
  'quotetree.config.ts',
  'registry',
  'logos',
  'README.md',
  '.github/market.png',
  // Written from the settings.
  'src/contract/prefix.ts',
] as const

/** A token of a job may not change workflows, so an update leaves them to a person. */
const WORKFLOWS = '.github/workflows/'

/** A release of the project, and the one that the copy was made from. */
interface Releases {
  /** Address of the project's repository. */
  readonly upstream: string
  /** Tag or commit of the new release. */
  readonly to: string
  /** Tag or commit that the copy was made from or last updated to; null: not known, so nothing is deleted. */
  readonly from: string | null
  /** Further paths of the publisher. */
  readonly owned: readonly string[]
  /** Whether to take workflows too: a person may. */
  readonly withWorkflows?: boolean
}

/** What an update changed in the working copy. */
interface SelfUpdate {
  readonly written: readonly string[]
  readonly removed: readonly string[]
  /** Changed workflows, which a person must take over. */
  readonly workflows: readonly string[]
  /** New lines of the changelog. */
  readonly changelog: readonly string[]
}

/**
 * Takes a release of the project into a working copy that shares no history with it, as a copy of a template does. The
 * publisher's own files stay as they are.
 */
export async function updateTo(
  { upstream, to, from, owned, withWorkflows = false }: Releases,
  git: Git,
): Promise<SelfUpdate> {
  if ((await git(['status', '--porcelain', '--untracked-files=no'])) !== '')
    throw new DeliveryError('The working copy has changes. Commit them first: an update must not mix with them.')
  const after = await fetched(git, upstream, to)
  const before = from === null ? null : await fetched(git, upstream, from)
  const isByHand = (path: string) => !withWorkflows && path.startsWith(WORKFLOWS)
  const isOwned = (path: string) => [...OWNED, ...owned].some((own) => path === own || path.startsWith(`${own}/`))
  const differing = pathsOf(await git(['diff', '--name-only', '-z', '--no-renames', '--diff-filter=AM', 'HEAD', after]))
  const wanted = differing.filter((path) => !isOwned(path))
  const written = wanted.filter((path) => !isByHand(path))
  const there = new Set(pathsOf(await git(['ls-files', '-z'])))
  const gone =
    before === null
      ? []
      : pathsOf(await git(['diff', '--name-only', '-z', '--no-renames', '--diff-filter=D', before, after]))
  const removed = gone.filter((path) => there.has(path) && !isOwned(path) && !isByHand(path))
  const old = await textOf(git, 'HEAD', 'CHANGELOG.md')
  const changelog = linesOf(await textOf(git, after, 'CHANGELOG.md')).filter((line) => !linesOf(old).includes(line))
  const untracked = new Set(pathsOf(await git(['ls-files', '-z', '--others'])))
  const inTheWay = written.find((path) => untracked.has(path))
  if (inTheWay !== undefined)
    throw new DeliveryError(`${inTheWay} is new in ${to} and is here without being committed. Move it away first.`)
  if (written.length > 0) await git(['--literal-pathspecs', 'checkout', after, '--', ...written])
  if (removed.length > 0) await git(['--literal-pathspecs', 'rm', '--quiet', '--', ...removed])
  return { written, removed, workflows: wanted.filter(isByHand), changelog }
}

async function fetched(git: Git, upstream: string, revision: string): Promise<string> {
  await git(['fetch', '--quiet', '--depth=1', upstream, revision])
  return (await git(['rev-parse', 'FETCH_HEAD^{commit}'])).trim()
}

const textOf = (git: Git, commit: string, path: string): Promise<string> =>
  git(['show', `${commit}:${path}`]).catch(() => '')

/** Git quotes names that are not ASCII, unless they end with a zero byte. */
const pathsOf = (text: string): string[] => text.split('\0').filter((path) => path !== '')

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '')

/** Returns an update as the text of a pull request. */
export function updateMarkdown(
  { upstream, to }: Releases,
  { written, removed, workflows, changelog }: SelfUpdate,
): string {
  return [
    `Takes over ${to} of ${upstream}: ${written.length} files written, ${removed.length} removed. ` +
      'Your settings, registry and logos are untouched.',
    '',
    '## Changes',
    '',
    ...(changelog.length === 0 ? ['The changelog has no new line.'] : changelog),
    ...(workflows.length === 0
      ? []
      : [
          '',
          '## To do by hand',
          '',
          'GitHub does not let a workflow change workflows. After merging, run `npx quotetree update --workflows` and push.',
          '',
          ...workflows.map((path) => `- ${path}`),
        ]),
    '',
  ].join('\n')
}
