import type { ChangeEvent, CollectorAnswer, QuarantineRow, RunDay, SourceRow } from '../client/answers.ts'
import { badges, counts, words as worded } from './columns.tsx'
import { Empty, Figure, Time } from './figures.tsx'
import { UNKNOWN, count, counted, moment, percent, price, span, titled, words } from './format.ts'
import { figureName, heldText } from './held.tsx'
import { Badge, TokenLink } from './marks.tsx'
import { useSite } from './site.tsx'
import { type Column, Section } from './table.tsx'

/** Maximum number of changes, and of days with trouble, shown. */
const MOST_CHANGES = 20
const MOST_DAYS = 14

const SOURCES: readonly Column<SourceRow>[] = [
  worded('Source', ({ source_label }) => source_label),
  worded('Kind', ({ source_type }) => source_type),
  badges('Status', ({ status }) => status),
  {
    name: 'Last answer',
    of: ({ last_success: at }) => (at === null ? 'never' : <Time at={at} />),
    by: ({ last_success }) => last_success,
  },
  counts('Listings', ({ asset_count }) => asset_count),
  counts('Markets', ({ market_count }) => market_count),
  counts('Needed for', ({ needed_count }) => needed_count),
  counts('Left out', ({ quarantined_count }) => quarantined_count),
  {
    name: 'Quota left',
    of: ({ quota }) => (quota ? `${count(quota.left)} of ${count(quota.limit)} a ${quota.per}` : null),
    by: ({ quota }) => quota?.left ?? null,
    kind: 'number',
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
  { name: 'Listing', of: ({ slug }) => <TokenLink slug={slug}>{slug}</TokenLink>, by: ({ slug }) => slug },
  worded('Figure', ({ field }) => figureName(field)),
  { name: 'Published', of: ({ field, held_value }) => heldText(field, held_value), kind: 'number prose' },
  { name: 'Offered', of: ({ field, offered_value }) => heldText(field, offered_value), kind: 'number prose' },
  { name: 'Why', kind: 'prose', of: ({ reason, rule }) => reason || words(rule) },
  { name: 'Since', of: ({ since }) => <Time at={since} />, by: ({ since }) => since },
  {
    name: 'Released',
    kind: 'prose',
    of: ({ release, releases_at }) => (
      <>
        {release} {releases_at !== null && <Time at={releases_at} />}
      </>
    ),
  },
]

interface StatusProps extends Pick<
  CollectorAnswer,
  'coverage' | 'freshness' | 'sourceStatus' | 'sourceError' | 'runs'
> {
  readonly rows: readonly SourceRow[]
  readonly held: readonly QuarantineRow[]
  /** The latest changes, newest first. */
  readonly changes: readonly ChangeEvent[]
}

/** Health, freshness and coverage at a glance. */
const Overview = ({ coverage, freshness, sourceStatus, sourceError, rows }: StatusProps) => (
  <div id="overview">
    <dl class="figures">
      <Figure name="Data">
        <Badge state={sourceStatus} />
      </Figure>
      <Figure name="Sources">
        {`${rows.filter(({ status }) => status === 'ok').length} of ${rows.length} answer`}
      </Figure>
      <Figure name="Collected">
        <Time at={freshness.collectedAt} />
      </Figure>
      <Figure name="Goes stale">
        <Time at={freshness.staleAfter} />
      </Figure>
      <Figure name="Oldest value">
        {freshness.oldestValueAt === null ? UNKNOWN : <Time at={freshness.oldestValueAt} />}
      </Figure>
      <Figure name="Carried forward">{count(freshness.carriedForward)}</Figure>
      <Figure name="Listings">{count(coverage.listings)}</Figure>
      <Figure name="With a price">{`${count(coverage.priced)}, ${percent(coverage.priced_percent)}`}</Figure>
      <Figure name="With two sources">{count(coverage.with_two_sources)}</Figure>
      <Figure name="With history">{count(coverage.with_history)}</Figure>
    </dl>
    {sourceError !== null && <p class="notice">{sourceError.message}</p>}
  </div>
)

const MINUTE = 60_000

const stateOf = ({ refused, failed, gap_minutes: gap }: RunDay): string =>
  gap > 0 ? 'gap' : refused + failed > 0 ? 'unpublished' : 'ok'

/** `48 snapshots, 1 failed run, no gap` */
function textOf(days: readonly RunDay[]): string {
  const sum = (name: Exclude<keyof RunDay, 'day'>) => days.reduce((total, one) => total + one[name], 0)
  const gaps = sum('gap_minutes')
  const missed = (['refused', 'failed'] as const).map((name) => sum(name) > 0 && counted(sum(name), `${name} run`))
  const gap = gaps === 0 ? 'no gap' : `gaps of ${span(gaps * MINUTE)}`
  return [counted(sum('published'), 'snapshot'), ...missed, gap].filter(Boolean).join(', ')
}

/** The runs of the last days: a strip with one field a day, and the newest days on which something was missed. */
function RunCalendar({ runs }: Pick<StatusProps, 'runs'>) {
  const [first] = runs
  if (!first) return <Empty>No runs are counted yet.</Empty>
  const text = `Since ${first.day}: ${textOf(runs)}.`
  const troubled = runs.filter((one) => stateOf(one) !== 'ok').toReversed()
  return (
    <>
      <div class="run-days" role="img" aria-label={text}>
        {runs.map((one) => (
          <span data-state={stateOf(one)} title={`${one.day}: ${textOf([one])}`} />
        ))}
      </div>
      <p class="soft">
        {text}
        {troubled.length > 0 && ' A lower bar is a day with refused or failed runs, the lowest one a day with a gap:'}
      </p>
      <ul class="plain changes">
        {troubled.slice(0, MOST_DAYS).map((one) => (
          <li>
            <span class="soft">{one.day}</span> {textOf([one])}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Verbs of changes whose kind alone is no sentence. */
const VERBS: Readonly<Partial<Record<ChangeEvent['kind'], string>>> = {
  listed: 'is listed',
  delisted: 'is delisted',
  renamed: 'has another slug',
  verification: 'has a new verification status',
  identity: 'is known under another id',
  contract_added: 'has another contract',
  contract_removed: 'lost a contract',
  held: 'has a figure that is held back',
  released: 'has a figure that is no longer held back',
  source_down: 'does not answer',
  source_back: 'answers again',
  source_added: 'is a source from now on',
  source_removed: 'is no longer a source',
  symbol: 'has another symbol',
  gap: 'were missed for a time',
  source_distrusted: 'has prices far from those of other sources',
  past_held: 'has past bars that are held back',
  market_moved: 'moved',
  method: 'changed',
  request_decided: 'was decided',
}

/** `price_usd 0.5` -> `price $0.5`, `2026-12-01T05:38:00Z` -> `2026-12-01 05:38 UTC`, `source_timeout` -> `source timeout`. */
const plain = (value: string): string =>
  value
    .replaceAll(/price_usd ([\d.e-]+)/g, (_, digits) => `price ${price(Number(digits))}`)
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:]+Z/g, moment)
    .replaceAll('_', ' ')

/** `verification`, `pending`, `verified` -> `Bitcoin has a new verification status: pending → verified`. */
function Change({ at, kind, name, subject, before, after }: ChangeEvent) {
  // What a source answered before does not matter once it answers.
  const values = kind === 'source_back' ? [] : [before, after].filter((value) => value !== null)
  const detail = values.length === 0 ? '' : `: ${values.map(plain).join(' → ')}`
  const who = kind === 'request_decided' ? `Request ${subject.slice(0, 8)}` : (name ?? titled(subject))
  return (
    <li>
      <Time at={at} /> <strong>{who}</strong>
      {` ${VERBS[kind] ?? words(kind)}${detail}`}
    </li>
  )
}

/** The state of the data and of its sources, what is held back, and what changed. */
export const Status = (status: StatusProps) => (
  <>
    <h1>Status</h1>
    <p class="lead">
      The state of the data and of its sources. <a href={`${useSite().root}method/`}>The method</a> says how prices come
      about.
    </p>
    <Overview {...status} />
    <h2 id="runs">Runs</h2>
    <RunCalendar runs={status.runs} />
    <Section anchor="sources" label="Sources" columns={SOURCES} rows={status.rows} />
    <Section anchor="quarantine" label="Held back" columns={HELD} rows={status.held} none="No values are held back." />
    <h2 id="changes">Recent changes</h2>
    {status.changes.length === 0 ? (
      <Empty>No changes yet.</Empty>
    ) : (
      <ul class="plain changes">
        {status.changes
          .filter(({ kind }) => kind !== 'gap')
          .slice(0, MOST_CHANGES)
          .map(Change)}
      </ul>
    )}
  </>
)
