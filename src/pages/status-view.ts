import type { ChangeEvent, CollectorAnswer, QuarantineRow, RunDay, SourceRow } from '../client/answers.ts'
import { type Child, el, withCode } from './dom.ts'
import { UNKNOWN, count, counted, percent, span, words } from './format.ts'
import { empty, timeOf, tokenPage } from './frame.ts'
import { figureName, heldText } from './held.ts'
import { badge } from './marks.ts'
import { type Column, table } from './tables.ts'

/** Maximum number of changes, and of days with trouble, shown. */
const MOST_CHANGES = 20
const MOST_DAYS = 14

const SOURCES: readonly Column<SourceRow>[] = [
  { name: 'Source', of: ({ source_label }) => source_label },
  { name: 'Kind', of: ({ source_type }) => source_type },
  { name: 'Status', of: ({ status }) => badge(status) },
  { name: 'Last answer', of: ({ last_success }) => (last_success === null ? 'never' : timeOf(last_success)) },
  { name: 'Listings', of: ({ asset_count }) => count(asset_count), number: true },
  { name: 'Markets', of: ({ market_count }) => count(market_count), number: true },
  { name: 'Needed for', of: ({ needed_count }) => count(needed_count), number: true },
  { name: 'Left out', of: ({ quarantined_count }) => count(quarantined_count), number: true },
  {
    name: 'Quota left',
    of: ({ quota }) => (quota ? `${count(quota.left)} of ${count(quota.limit)} a ${quota.per}` : UNKNOWN),
    number: true,
  },
  {
    name: 'Trouble',
    prose: true,
    of: ({ error, consecutive_failures }) =>
      error === null ? UNKNOWN : `${error.message} (${count(consecutive_failures)} in a row)`,
  },
]

const HELD: readonly Column<QuarantineRow>[] = [
  { name: 'Listing', of: ({ slug }) => el('a', { href: tokenPage(slug) }, slug) },
  { name: 'Figure', of: ({ field }) => figureName(field) },
  { name: 'Published', of: ({ field, held_value }) => heldText(field, held_value), number: true },
  { name: 'Offered', of: ({ field, offered_value }) => heldText(field, offered_value), number: true },
  { name: 'Why', prose: true, of: ({ reason, rule }) => reason || words(rule) },
  { name: 'Since', of: ({ since }) => timeOf(since) },
  {
    name: 'Released',
    prose: true,
    of: ({ release, releases_at }) => [release, ' ', releases_at === null ? null : timeOf(releases_at)],
  },
]

const figure = (name: string, ...value: readonly Child[]): HTMLElement =>
  el('div', {}, el('dt', {}, name), el('dd', {}, ...value))

/** What the overview shows. */
type Overview = Pick<CollectorAnswer, 'coverage' | 'freshness' | 'sourceStatus' | 'sourceError' | 'rows'>

/** Health, freshness and coverage at a glance. */
export function overview({ coverage, freshness, sourceStatus, sourceError, rows }: Overview): Child {
  const answering = rows.filter(({ status }) => status === 'ok').length
  return [
    el(
      'dl',
      { class: 'figures overview' },
      figure('Data', badge(sourceStatus)),
      figure('Sources', `${answering} of ${rows.length} answer`),
      figure('Collected', timeOf(freshness.collectedAt)),
      figure('Goes stale', timeOf(freshness.staleAfter)),
      figure('Oldest value', freshness.oldestValueAt === null ? UNKNOWN : timeOf(freshness.oldestValueAt)),
      figure('Carried forward', count(freshness.carriedForward)),
      figure('Listings', count(coverage.listings)),
      figure('With a price', `${count(coverage.priced)}, ${percent(coverage.priced_percent)}`),
      figure('With two sources', count(coverage.with_two_sources)),
      figure('With history', count(coverage.with_history)),
    ),
    sourceError === null ? null : el('p', { class: 'notice' }, sourceError.message),
  ]
}

const MINUTE = 60_000

const gapText = (minutes: number): string => (minutes === 0 ? UNKNOWN : span(minutes * MINUTE))

const TROUBLED: readonly Column<RunDay>[] = [
  { name: 'Day', of: ({ day }) => day },
  { name: 'Published', of: ({ published }) => count(published), number: true },
  { name: 'Refused', of: ({ refused }) => count(refused), number: true },
  { name: 'Failed', of: ({ failed }) => count(failed), number: true },
  { name: 'Gap', of: ({ gap_minutes }) => gapText(gap_minutes), number: true },
]

const stateOf = ({ refused, failed, gap_minutes: gap }: RunDay): string =>
  gap > 0 ? 'gap' : refused + failed > 0 ? 'unpublished' : 'ok'

const runsText = ({ published, refused, failed, gap_minutes: gap }: Omit<RunDay, 'day'>): string =>
  `${counted(published, 'snapshot')}, ${counted(refused, 'refused run')}, ${counted(failed, 'failed run')}, ` +
  (gap === 0 ? 'no gap' : `gaps of ${span(gap * MINUTE)}`)

/** The runs of the last days: a strip with one field a day, their sums, and the newest days on which something was missed. */
export function runCalendar(runs: readonly RunDay[]): Child {
  const [first] = runs
  if (!first) return empty('No runs are counted yet.')
  const sum = (name: Exclude<keyof RunDay, 'day'>) => runs.reduce((total, one) => total + one[name], 0)
  const sums = {
    published: sum('published'),
    refused: sum('refused'),
    failed: sum('failed'),
    gap_minutes: sum('gap_minutes'),
  }
  const text = `Since ${first.day}: ${runsText(sums)}.`
  const troubled = runs.filter((one) => stateOf(one) !== 'ok').toReversed()
  const legend = 'A lower bar is a day with refused or failed runs, the lowest one a day with a gap.'
  return [
    el(
      'div',
      { class: 'run-days', role: 'img', 'aria-label': text },
      ...runs.map((one) => el('span', { 'data-state': stateOf(one), title: `${one.day}: ${runsText(one)}` })),
    ),
    el('p', { class: 'soft' }, troubled.length === 0 ? text : `${text} ${legend}`),
    troubled.length === 0
      ? null
      : table('Days with refused or failed runs, or gaps', TROUBLED, troubled.slice(0, MOST_DAYS)),
    troubled.length <= MOST_DAYS
      ? null
      : el('p', { class: 'soft' }, `The newest ${MOST_DAYS} of ${troubled.length} such days.`),
  ]
}

/** The rules of the method with their numbers. */
export function method({ methodology }: Pick<CollectorAnswer, 'methodology'>): Child {
  return [
    el('p', { class: 'soft' }, `Version ${methodology.version}, with all the numbers that the rules use.`),
    ...Object.entries(methodology.rules).map(([name, { rule, ...numbers }]) =>
      el(
        'section',
        { class: 'rule', 'aria-label': words(name) },
        el('h3', {}, words(name)),
        el('p', {}, ...withCode(String(rule ?? ''))),
        el(
          'ul',
          { class: 'numbers' },
          ...Object.entries(numbers).map(([number, value]) =>
            el('li', {}, el('code', {}, number), ' ', typeof value === 'number' ? Number(value.toPrecision(4)) : value),
          ),
        ),
      ),
    ),
  ]
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
  collectors_disagree: 'gave two collectors different values',
  source_distrusted: 'has prices far from those of other sources',
  past_held: 'has past bars that are held back',
  market_moved: 'moved',
  method: 'changed',
  request_decided: 'was decided',
}

/** `verification`, `pending`, `verified` -> `Bitcoin has a new verification status: pending → verified`. */
function changeLine({ at, kind, name, subject, before, after }: ChangeEvent): HTMLElement {
  const values = [before, after].filter((value) => value !== null)
  const detail = values.length === 0 ? '' : `: ${values.join(' → ')}`
  const who = kind === 'request_decided' ? `Request ${subject.slice(0, 8)}` : (name ?? subject)
  return el('li', {}, timeOf(at), ' ', el('strong', {}, who), ` ${VERBS[kind] ?? words(kind)}${detail}`)
}

/** The sources with their state. */
export const sourcesTable = (rows: readonly SourceRow[]): Child => table('Sources', SOURCES, rows)

/** The values that are held back. */
export const heldBack = (rows: readonly QuarantineRow[]): Child =>
  rows.length === 0 ? empty('No values are held back.') : table('Held back', HELD, rows)

/** The latest changes. */
export const recentChanges = (rows: readonly ChangeEvent[]): Child =>
  rows.length === 0
    ? empty('No changes yet.')
    : el('ul', { class: 'changes' }, ...rows.slice(0, MOST_CHANGES).map(changeLine))
