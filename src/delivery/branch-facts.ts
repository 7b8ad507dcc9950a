import { group } from 'd3-array'
import type { Asset } from '../core/contract/asset.ts'
import type { ChangeEvent } from '../core/contract/changes.ts'
import type { Methodology, SourceRow } from '../core/contract/collector.ts'
import type { RequestRow } from '../core/contract/listing-request.ts'
import { readState } from '../core/tree/state.ts'
import { DeliveryError } from './delivery-error.ts'

/**
 * Reads the facts of a published tree, without values that move with the market, and its build time in ms since 1970.
 *
 * @throws DeliveryError if the folder holds no published tree
 */
export async function branchFacts(root: string) {
  const { rows } = await readState(root, [], 0)
  const { run, listings, sources, requests, events } = rows
  if (run === null) throw new DeliveryError(`${root} holds no published tree. Run npm run snapshot first.`)
  return {
    at: Date.parse(run.at),
    facts: {
      assets: [...listings.values()].map(({ asset }) => asset),
      sources: [...sources.values()],
      methodology: run.methodology,
      requests: requests.rows,
      /** Events by UTC day. */
      events,
    },
  }
}

type BranchFacts = Awaited<ReturnType<typeof branchFacts>>['facts']

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

/**
 * Returns the files of a facts branch, by path. Files in `events/` belong to one day and are only added. All others are
 * replaced.
 */
export function factTables(facts: BranchFacts): ReadonlyMap<string, string> {
  const listings = group(facts.assets, ({ slug }) => slug.slice(0, 1))
  return new Map([
    ['README.md', README],
    ...[...listings].map(
      ([letter, assets]) => [`listings/${letter}.tsv`, table(assets.flatMap(listingLines))] as const,
    ),
    ['sources.tsv', table(facts.sources.flatMap(sourceLines))],
    ['method.tsv', table(methodLines(facts.methodology))],
    ['requests.tsv', table(facts.requests.flatMap(requestLines))],
    ...[...facts.events].map(([day, events]) => [`events/${day}.tsv`, table(events.map(eventLine))] as const),
  ])
}

/** Whether a file of the branch belongs to one day, and is therefore never replaced. Earlier versions added closes. */
export const isOfOneDay = (path: string): boolean => /^(closes|events)\//.test(path)

type Line = readonly (string | number | null)[]

/** Tabs and line breaks within a value would break the table. */
const column = (value: string | number | null): string =>
  value === null ? '' : String(value).replaceAll(/[\t\r\n]+/g, ' ')

function table(lines: readonly Line[]): string {
  const texts = lines.map((line) => `${line.map(column).join('\t')}\n`)
  return texts.toSorted().join('')
}

function listingLines(asset: Asset): Line[] {
  const { slug } = asset
  const single: readonly (readonly [string, string | number | null])[] = [
    ['symbol', asset.symbol],
    ['name', asset.name],
    ['status', asset.listing_status],
    ['verification', asset.verification_status],
    ['type', asset.asset_type],
    ['max_supply', asset.max_supply],
    ['first_listed', asset.first_listed],
    ['replaced_by', asset.replaced_by],
    ['notice', asset.notice],
    ['description', asset.description],
    ...Object.entries(asset.links).map(([kind, url]) => [`link.${kind}`, url] as const),
    ...Object.entries(asset.external_ids).map(([source, id]) => [`id.${source}`, id] as const),
  ]
  const many: readonly (readonly [string, string])[] = [
    ...asset.contracts.map(({ chain, address }) => [`contract.${chain}`, address] as const),
    ...asset.tags.map((tag) => ['tag', tag] as const),
    ...asset.aliases.map((alias) => ['alias', alias] as const),
  ]
  // Unknown facts have no line.
  return [...single.filter(([, value]) => value !== null), ...many].map(([fact, value]) => [slug, fact, value])
}

/** Facts of a source. Its status is an event, not a fact. */
const sourceLines = ({ source_id, source_label, source_type, terms_url }: SourceRow): Line[] => [
  [source_id, 'label', source_label],
  [source_id, 'type', source_type],
  [source_id, 'terms', terms_url],
]

const methodLines = ({ version, rules, constants }: Methodology): Line[] => [
  ['method', 'version', version],
  ...Object.entries(rules).map(([name, rule]): Line => ['rule', name, rule]),
  ...Object.entries(constants).map(([name, value]): Line => ['constant', name, value]),
]

const requestLines = ({ request_id, request_type, symbol, name, status, reason }: RequestRow): Line[] =>
  [
    ['type', request_type],
    ['symbol', symbol],
    ['name', name],
    ['status', status],
    ['reason', reason],
  ].flatMap(([fact, value]) => (value == null || fact === undefined ? [] : [[request_id, fact, value]]))

const eventLine = ({ at, kind, subject, name, before, after }: ChangeEvent): Line => [
  at,
  kind,
  subject,
  name,
  before,
  after,
]
