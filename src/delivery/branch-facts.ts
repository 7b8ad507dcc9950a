import * as z from 'zod'
import { group } from 'd3-array'
import { IndexMembers } from '../contract/api-index.ts'
import { Asset } from '../contract/asset.ts'
import { ChangeEvent, ChangesMembers } from '../contract/changes.ts'
import { CollectorMembers, type Methodology, SourceRow } from '../contract/collector.ts'
import { RequestRow } from '../contract/listing-request.ts'
import { readJson } from '../contract/read-json.ts'
import { LastFiles } from '../tree/last-files.ts'
import { LAYOUT, profileSlug } from '../tree/layout.ts'
import { DeliveryError } from './delivery-error.ts'

const Index = z.object({ generatedAt: IndexMembers.generatedAt })
const Profile = z.object({ asset: Asset })
const Collector = z.object({ rows: z.array(SourceRow), methodology: CollectorMembers.methodology })
const Requests = z.object({ rows: z.array(RequestRow) })
const Changes = z.object({ days: ChangesMembers.days })
const ChangesOfDay = z.object({ rows: z.array(ChangeEvent) })

/**
 * Reads the facts of a published tree, without values that move with the market, and its build time in ms since 1970.
 *
 * @throws DeliveryError if the folder holds no published tree, or one of its documents cannot be read
 */
export function branchFacts(root: string) {
  const tree = new LastFiles(root)
  const at = Date.parse(needed(tree, LAYOUT.index, Index).generatedAt)
  const assets = tree
    .documents('assets')
    .filter((file) => profileSlug(file) !== null)
    .toSorted()
    .map((file) => needed(tree, file, Profile).asset)
  const collector = needed(tree, LAYOUT.collector, Collector)
  const days = needed(tree, `${LAYOUT.api}/changes.json`, Changes).days
  return {
    at,
    facts: {
      assets,
      sources: collector.rows,
      methodology: collector.methodology,
      requests: needed(tree, `${LAYOUT.api}/listing-requests.json`, Requests).rows,
      /** Events by UTC day. */
      events: new Map(days.map((day) => [day, needed(tree, `${LAYOUT.api}/changes/${day}.json`, ChangesOfDay).rows])),
    },
  }
}

function needed<Schema extends z.ZodType>(tree: LastFiles, file: string, schema: Schema): z.infer<Schema> {
  const document = readJson(tree.read(file), schema)
  if (document !== null) return document
  throw new DeliveryError(`Could not read ${file} in ${tree.root}. Run npm run snapshot to publish a tree there.`)
}

type BranchFacts = ReturnType<typeof branchFacts>['facts']

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
