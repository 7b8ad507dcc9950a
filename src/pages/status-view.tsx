import type { QuarantineRow, RunDay, SourceRow } from '../client/answers.ts'
import { sentence } from '../changes/print.ts'
import type { PublicationData } from '../core/endpoints/endpoint.ts'
import { latestEvents } from '../core/endpoints/operations.ts'
import { Empty, Figures, Time, figureName, heldText } from './figures.tsx'
import { UNKNOWN, count, moment, percent, price, titled, words as spaced } from './format.ts'
import { Badge } from './marks.tsx'
import { useSite } from './site.tsx'
import { type Column, Table, column } from './table.tsx'

const MOST_CHANGES = 20
const MOST_DAYS = 14

const SOURCES: readonly Column<SourceRow>[] = [
  column.words('Source', ({ source_label }) => source_label),
  column.badges('Status', ({ status }) => status),
  {
    name: 'Last answer',
    of: ({ last_success: at }) => (at === null ? 'never' : <Time at={at} />),
    by: ({ last_success }) => last_success,
  },
  column.counts('Listings', ({ asset_count }) => asset_count),
  column.counts('Markets', ({ market_count }) => market_count),
  column.counts('Prices relying on it', ({ needed_count }) => needed_count),
  {
    name: 'Quota left',
    of: ({ quota }) => (quota ? `${count(quota.left)} of ${count(quota.limit)} a ${quota.per}` : null),
    by: ({ quota }) => quota?.left ?? null,
    kind: 'number prose',
  },
  {
    name: 'Trouble',
    kind: 'prose',
    // Messages name addresses of requests, which say nothing to a reader.
    of: ({ error, consecutive_failures: failures }) =>
      error && titled(error.code) + (failures > 1 ? `, ${count(failures)} times in a row` : ''),
    by: ({ error }) => error?.code ?? null,
  },
]

const HELD: readonly Column<QuarantineRow>[] = [
  column.links('Listing', 'token', ({ slug }) => [slug, slug]),
  column.words('Figure', ({ field }) => figureName(field), 'prose'),
  { name: 'Published', of: ({ field, held_value }) => heldText(field, held_value), kind: 'number prose' },
  { name: 'Offered', of: ({ field, offered_value }) => heldText(field, offered_value), kind: 'number prose' },
  { name: 'Why', kind: 'prose', of: ({ reason, rule }) => reason || spaced(rule) },
  column.times('Since', ({ since }) => since),
  {
    name: 'Released',
    kind: 'prose',
    of: ({ release, releases_at }) => [release, ' ', releases_at !== null && <Time at={releases_at} />],
  },
]

const Overview = ({ coverage, freshness, health, sources, withHistory }: PublicationData) => (
  <div id="overview">
    <Figures
      of={[
        ['Data', <Badge state={health.sourceStatus} />],
        ['Sources', `${sources.filter(({ status }) => status !== 'down').length} of ${sources.length} answer`],
        ['Collected', <Time at={freshness.collectedAt} />],
        ['Goes stale', <Time at={freshness.staleAfter} />],
        ['Oldest value', freshness.oldestValueAt === null ? UNKNOWN : <Time at={freshness.oldestValueAt} />],
        ['Carried forward', count(freshness.carriedForward)],
        ['Listings', count(coverage.listings)],
        ['With a price', `${count(coverage.priced)}, ${percent(coverage.priced_percent)}`],
        ['With two sources', count(coverage.with_two_sources)],
        ['With history', count(withHistory())],
      ]}
    />
    {health.sourceError !== null && <p class="notice">{health.sourceError.message}</p>}
  </div>
)

const RUNS: readonly Column<RunDay>[] = [
  column.words('Day', ({ day }) => day),
  column.counts('Snapshots', ({ published }) => published),
  column.counts('Refused', ({ refused }) => refused),
  column.counts('Failed', ({ failed }) => failed),
  column.counts('Minutes missing', ({ gap_minutes }) => gap_minutes),
]

/** `price_usd 0.5` -> `price $0.5`, `2026-12-01T05:38:00Z` -> `2026-12-01 05:38 UTC`, `source_timeout` -> `source timeout`. */
const plain = (text: string): string =>
  text
    .replaceAll(/price_usd ([\d.e-]+)/g, (_, digits) => `price ${price(Number(digits))}`)
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, moment)
    .replaceAll('_', ' ')

export function Status(world: PublicationData) {
  const changes = latestEvents(world)
    .filter(({ kind }) => kind !== 'gap')
    .slice(0, MOST_CHANGES)
  return (
    <>
      <h1>Status</h1>
      <p class="lead">
        The state of the data and of its sources. <a href={`${useSite().root}method/`}>The method</a> says how prices
        come about.
      </p>
      <Overview {...world} />
      <h2 id="runs">Runs</h2>
      <Table
        label="Runs"
        columns={RUNS}
        rows={world.runDays.slice(-MOST_DAYS).toReversed()}
        none="No runs are counted yet."
      />
      <h2 id="sources">Sources</h2>
      <Table label="Sources" columns={SOURCES} rows={world.sources} />
      <h2 id="quarantine">Held back</h2>
      <Table label="Held back" columns={HELD} rows={world.quarantine} none="No values are held back." />
      <h2 id="changes">Recent changes</h2>
      {changes.length === 0 && <Empty>No changes yet.</Empty>}
      <ul class="plain lines">
        {changes.map((change) => (
          <li>
            <Time at={change.at} /> {plain(sentence(change))}
          </li>
        ))}
      </ul>
    </>
  )
}
