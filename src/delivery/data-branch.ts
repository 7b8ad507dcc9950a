import { group } from 'd3-array'
import { sentenceOfNews } from '../changes/print.ts'
import type { Asset } from '../core/contract/asset.ts'
import type { ChangeEvent } from '../core/contract/changes.ts'
import type { Methodology, SourceRow } from '../core/contract/collector.ts'
import { blobOf } from '../core/contract/digest.ts'
import type { RequestRow } from '../core/contract/listing-request.ts'
import { readState } from '../core/tree/state.ts'
import { DeliveryError } from './delivery-error.ts'
import { type Branch, type Git, inNewRepository, isOnRemote, refOf } from './git.ts'

const [TIP, NEXT] = ['refs/heads/tip', 'refs/heads/next']

/** Commits the facts of a tree to a branch, whose tip alone is fetched. If another run pushed meanwhile, its stays. */
export const commitData = (root: string, to: Branch, author: string, env: NodeJS.ProcessEnv) =>
  inNewRepository(env, async (git) => {
    const tip = await fetchTip(git, to)
    const before = tip?.files ?? new Map<string, string>()
    const { run, listings, sources, requests, events } = (await readState(root, [], 0)).rows
    if (run === null) throw new DeliveryError(`${root} holds no published tree. Run npm run snapshot first.`)
    const byLetter = group([...listings.values()], ({ asset }) => asset.slug.slice(0, 1))
    const tables = new Map([
      ['README.md', README],
      ...[...byLetter].map(
        ([letter, own]) => [`listings/${letter}.tsv`, table(own.flatMap(({ asset }) => listingLines(asset)))] as const,
      ),
      ['sources.tsv', table([...sources.values()].flatMap(sourceLines))],
      ['method.tsv', table(methodLines(run.methodology))],
      ['requests.tsv', table(requests.rows.flatMap(requestLines))],
      ...[...events].map(([day, some]) => [`events/${day}.tsv`, table(some.map(eventLine))] as const),
    ])
    const changed = [...tables].filter(([path, text]) => before.get(path) !== blobOf(text))
    // The events of a day are written once and kept.
    const gone = [...before.keys()].filter((path) => !tables.has(path) && !path.startsWith('events/'))
    const count = changed.length + gone.length
    if (count === 0) return { subject: null, changed: 0 }

    const news = [...events.values()].flat().filter((event) => !tip || Date.parse(event.at) > tip.committedAt)
    const subject = tip ? sentenceOfNews(news) || 'Details of listings and sources' : 'Begin'
    const message = `${subject}\n\n${run.at}, ${count} files\n`
    const person = `${author} ${Math.floor(Date.parse(run.at) / 1000)} +0000`
    const commit = [
      `commit ${NEXT}\nauthor ${person}\ncommitter ${person}\n${dataOf(message)}`,
      ...(tip ? [`from ${tip.commit}\n`] : []),
      ...changed.map(([path, text]) => `M 100644 inline ${path}\n${dataOf(text)}`),
      ...gone.map((path) => `D ${path}\n`),
    ]
    await git(['fast-import', '--quiet'], commit.join(''))
    const push = ['push', '--quiet', `--force-with-lease=${refOf(to)}:${tip?.commit ?? ''}`, '--end-of-options']
    await git([...push, to.remote, `${NEXT}:${refOf(to)}`]).catch((cause: Error) => {
      const message = `${cause.message}. The branch ${to.branch} is unchanged. Run npm run publish again.`
      throw new DeliveryError(message, { cause })
    })
    return { subject, changed: count }
  })

const dataOf = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`

async function fetchTip(git: Git, from: Branch) {
  if (!(await isOnRemote(git, from))) return null
  // A partial clone needs a named remote, from which git can fetch missing files later.
  await git(['config', 'remote.data.url', from.remote])
  await git(['config', 'remote.data.promisor', 'true'])
  await git(['config', 'remote.data.partialclonefilter', 'blob:none'])
  const shallow = ['--quiet', '--no-tags', '--depth=1', '--filter=blob:none']
  await git(['fetch', ...shallow, 'data', `+${refOf(from)}:${TIP}`])
  const [commit = '', seconds = ''] = (await git(['log', '-1', '--format=%H %ct', TIP])).trim().split(' ')
  const tree = await git(['ls-tree', '-r', '-z', TIP])
  const files = tree.split('\0').flatMap((entry): (readonly [string, string])[] => {
    const [, blob, path] = /^\d+ blob ([0-9a-f]+)\t(.+)$/s.exec(entry) ?? []
    return blob === undefined || path === undefined ? [] : [[path, blob]]
  })
  return { commit, committedAt: Number(seconds) * 1000, files: new Map(files) }
}

const README = `# Published data, one fact per line

A scheduled run writes this branch. Each line is one fact, with tab-separated columns, and every file is sorted, so a
\`git diff\` shows what changed and nothing else. Prices move all the time and are not here.

| files | columns |
|---|---|
| \`listings/<first letter of the slug>.tsv\` | slug, fact, value |
| \`events/<day>.tsv\` | time, kind, subject, name, before, after |
| \`sources.tsv\`, \`method.tsv\`, \`requests.tsv\` | subject, fact, value |

A day's files are written once and kept. All other files are replaced by each run. An empty column is an unknown value.
`

type Line = readonly (string | number | null | undefined)[]

const table = (lines: readonly Line[]): string =>
  lines
    .map((line) => `${line.map((value) => String(value ?? '').replaceAll(/[\t\r\n]+/g, ' ')).join('\t')}\n`)
    .toSorted()
    .join('')

const known = (subject: string, facts: readonly (readonly [fact: string, value: Line[number]])[]): Line[] =>
  facts.flatMap(([fact, value]) => (value == null ? [] : [[subject, fact, value]]))

const listingLines = ({ slug, symbol, name, max_supply, first_listed, replaced_by, ...asset }: Asset): Line[] =>
  known(slug, [
    ...Object.entries({ symbol, name, max_supply, first_listed, replaced_by }),
    ['status', asset.listing_status],
    ['verification', asset.verification_status],
    ['type', asset.asset_type],
    ['notice', asset.notice],
    ['description', asset.description],
    ...Object.entries(asset.links).map(([kind, url]) => [`link.${kind}`, url] as const),
    ...Object.entries(asset.external_ids).map(([source, id]) => [`id.${source}`, id] as const),
    ...asset.contracts.map(({ chain, address }) => [`contract.${chain}`, address] as const),
    ...asset.tags.map((tag) => ['tag', tag] as const),
    ...asset.aliases.map((alias) => ['alias', alias] as const),
  ])

/** Facts of a source. Its status is an event, not a fact. */
const sourceLines = ({ source_id, source_label: label, source_type: type, terms_url: terms }: SourceRow): Line[] =>
  Object.entries({ label, type, terms }).map(([fact, value]) => [source_id, fact, value])

const methodLines = ({ version, rules, constants }: Methodology): Line[] => [
  ['method', 'version', version],
  ...Object.entries(rules).map(([name, rule]) => ['rule', name, rule]),
  ...Object.entries(constants).map(([name, value]) => ['constant', name, value]),
]

const requestLines = ({ request_id, request_type, symbol, name, status, reason }: RequestRow): Line[] =>
  known(request_id, Object.entries({ type: request_type, symbol, name, status, reason }))

const eventLine = ({ at, kind, subject, name, before, after }: ChangeEvent) => [at, kind, subject, name, before, after]
