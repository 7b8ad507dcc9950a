import { HOUR_MS } from '../core/contract/time.ts'
import { escaped, visible, visibleLines } from '../core/contract/visible.ts'
import { moveText } from '../core/history/events.ts'
import { sentence } from '../changes/print.ts'
import { type Report, countOf } from '../core/sources/collect.ts'
import { hostsFor } from './budgets.ts'
import type { RunReport, RunEvent, Spared } from '../core/run/run.ts'
import type { SourcesKind } from '../core/contract/product.ts'
import type { Source } from '../core/sources/source.ts'

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

/** Returns one line about one source: state, rows, requests and time. */
export function sourceLine({ source, error, rows, rejected, ms, requests, retries }: Report): string {
  // Some sources are only asked about what others list.
  const isAsked = rows > 0 || requests > 0
  const state = error
    ? `failed  ${error.code}`
    : isAsked
      ? `ok      ${String(rows).padStart(5)} rows`
      : 'nothing to ask'
  const left = countOf(rejected)
  const unread = left > 0 ? `, ${left} unreadable` : ''
  const http = requests > 0 ? `, ${requests} requests${retries > 0 ? `, ${retries} retries` : ''}` : ''
  return visible(
    `  ${source.label.padEnd(18)} ${state}${unread}${http}, ${seconds(ms)}${error ? `: ${error.message}` : ''}`,
  )
}

/** Returns the summary of a run for a terminal. */
export function summary(run: RunReport): string {
  const { published } = run
  if (!published)
    return visibleLines([
      'Nothing was published.',
      ...bundleLines(run.collection),
      ...run.refusals.map(
        ({ rule, message, since, release }) => `Refused by ${rule} since ${since}: ${message}. ${release}.`,
      ),
    ])
  const files = `${published.written.length} documents written, ${published.unchanged} unchanged, ${published.removed.length} removed`
  return visibleLines([
    ...(run.restored ? restoredLines(run.restored) : []),
    ...bundleLines(run.collection),
    `${run.listings} listings, ${run.priced} priced; ${files}; ${mib(published.bytes)} in total.`,
    ...(run.footprint ? sizes(run.footprint) : []),
    ...(run.historyRequests > 0
      ? [`Past prices: ${run.historyRequests} requests, ${run.historyFailures.length} series not filled.`]
      : []),
    ...(run.moved ? [`The market ${moveText(run.moved)}.`] : []),
    ...run.lifted.map(
      ({ rule, message, since }) =>
        `Published despite ${rule} since ${since}, because it was confirmed or accepted: ${message}.`,
    ),
    ...distrustedLines(run.sources),
    ...heldLines(run.held),
    ...(run.requests ? requestLine(run.requests) : []),
    `Time: ${Object.entries(run.stages)
      .map(([stage, ms]) => `${stage} ${seconds(ms)}`)
      .join(', ')}.`,
  ])
}

const distrustedLines = (sources: RunReport['sources']): string[] =>
  sources.flatMap(({ source_label, price_factor: factor }) =>
    factor === null
      ? []
      : [`${source_label}: its prices are not used, because they are ${factor} times those of the others.`],
  )

const MOST_HELD = 5

/** Returns how many figures are held back, and why, since when and until what, for the first of them. */
function heldLines(held: RunReport['held']): string[] {
  if (held.length === 0) return []
  const rest = held.length - MOST_HELD
  return [
    `${held.length} ${held.length === 1 ? 'figure is' : 'figures are'} held back:`,
    ...held.slice(0, MOST_HELD).map(({ slug, field, reason, since, releases_at, release, ...values }) => {
      const { held_value, offered_value } = values
      const latest = releases_at === null ? '' : ` At the latest at ${releases_at}.`
      return `  ${slug} ${field}, ${held_value ?? 'nothing'} instead of ${offered_value ?? 'nothing'} since ${since}: ${reason} Released by: ${release}${latest}`
    }),
    ...(rest > 0 ? [`  and ${rest} more, in /quarantine`] : []),
  ]
}

const bundleLines = ({ refused }: RunReport['collection']): string[] =>
  refused.map(({ name, message }) => `Recording not used: ${name}: ${message}.`)

const restoredLines = ({ place, generatedAt, ageMs, parts }: NonNullable<RunReport['restored']>): string[] => [
  `Restored the tables of ${generatedAt} at ${place}, ${(ageMs / HOUR_MS).toFixed(1)} hours old: ${parts} parts downloaded.`,
]

function requestLine({ error, contacts, deleted }: NonNullable<RunReport['requests']>): string[] {
  if (error !== null) return [`Listing requests: ${error}. Their last published state is kept.`]
  return contacts + deleted === 0
    ? []
    : [`Listing requests: contacts of ${contacts}, and ${deleted} old ones, deleted.`]
}

const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`

/** Returns lines about the size of the tree, and the hosts whose limits it meets. */
function sizes(footprint: NonNullable<RunReport['footprint']>): string[] {
  const { files, bytes, largest } = footprint
  const hosts = hostsFor(footprint)
  return [
    `${files} files, ${mib(bytes)}; the largest is ${largest?.path} (${mib(largest?.bytes ?? 0)}).`,
    ...hosts.flatMap(({ host, excess }) => (excess.length > 0 ? [`Too large for ${host}: ${excess.join('; ')}.`] : [])),
    `Within the limits of: ${hosts.flatMap(({ host, excess }) => (excess.length > 0 ? [] : [host])).join(', ')}.`,
  ]
}

const NAMED = 30

/** Returns what to do after a first run of live sources, with how much of the history is there. */
export function nextSteps({ listings, withHistory, historyLeft }: RunReport, out: string, perRun: number): string {
  const runs = Math.ceil(historyLeft / perRun)
  return visibleLines([
    `${withHistory} of ${listings} listings have prices on at least half of the days of the last year.`,
    ...(runs > 0 ? [`About ${runs} more runs fill the gaps that the sources can fill.`] : []),
    'Next:',
    `  npm run serve -- --tree ${out}          shows it at http://127.0.0.1:8787`,
    `  npm run snapshot -- --out ${out}        again every half hour, goes on from this folder`,
    `  npm run config -- --help                configures a host`,
  ])
}

/**
 * Returns the Markdown summary of a run for a CI job. Outside text is escaped.
 *
 * @param repository address of the repository on GitHub, for what is left to click after a first run; null: none
 */
export function summaryMarkdown(report: RunReport, repository: string | null): string {
  const rest = report.events.length - NAMED
  return [
    `### Snapshot: ${report.outcome === 'published' ? `${report.listings} listings, ${report.priced} priced` : 'nothing published'}`,
    '',
    '| source | | rows | requests | time |',
    '|---|---|---|---|---|',
    ...report.reports.map(
      ({ source, error, rows, requests, ms }) =>
        `| ${escaped(source.label)} | ${error ? escaped(error.code) : 'ok'} | ${rows} | ${requests} | ${seconds(ms)} |`,
    ),
    '',
    ...report.events.slice(0, NAMED).map((event) => `- ${escaped(sentence(event))}`),
    ...(rest > 0 ? [`- and ${rest} more`] : []),
    '',
    ...summary(report)
      .split('\n')
      .map((line) => `${escaped(line)}  `),
    '',
    ...(report.published && report.isFirst && repository !== null ? leftToClick(repository) : []),
  ].join('\n')
}

/** Returns what the owner of a repository has to click once, for a feed on GitHub Pages. */
const leftToClick = (repository: string): string[] => [
  'This was the first run. If the site does not answer yet:',
  '',
  `- [ ] [Choose "GitHub Actions" as the source](${repository}/settings/pages), or name another host in the variable [DEPLOY](${repository}/settings/variables/actions).`,
  `- [ ] [Start the workflow once more](${repository}/actions/workflows/snapshot.yml). Later runs start by themselves.`,
  '',
]

/** Returns the run report that `--json` prints. */
export function reportJson(report: RunReport): object {
  const { reports, published, footprint, sources, stages, collection: _collection, isFirst: _isFirst, ...rest } = report
  const { historyRequests, historyFailures, historyLeft, withHistory, ...told } = rest
  return {
    ...told,
    sources: reports.map(({ source, error, rejected, skipped, ms, rows, requests, retries, bytes }) => ({
      source_id: source.id,
      error: error ? { code: error.code, message: error.message } : null,
      rejected: countOf(rejected),
      skipped: countOf(skipped),
      ms: Math.round(ms),
      rows,
      requests,
      retries,
      bytes,
    })),
    documents: published && {
      written: published.written.length,
      unchanged: published.unchanged,
      removed: published.removed.length,
      bytes: published.bytes,
    },
    footprint: footprint && { ...footprint, hosts: hostsFor(footprint) },
    history: { requests: historyRequests, failures: historyFailures, left: historyLeft, with_history: withHistory },
    health: sources.map(({ source_id, status, failing_since, error }) => ({ source_id, status, failing_since, error })),
    stages_ms: Object.fromEntries(Object.entries(stages).map(([stage, ms]) => [stage, Math.round(ms)])),
  }
}

const NAMED_SOURCES = 4

/** How far a run is, by its events. It has no clock and prints nothing. */
export class Progress {
  readonly #awaited = new Map<string, string>()
  #sources = 0
  #failed = 0
  readonly #kind: SourcesKind
  #planned = 0
  #requested = 0

  constructor(kind: SourcesKind) {
    this.#kind = kind
  }

  note(event: RunEvent): readonly string[] {
    switch (event.kind) {
      case 'selected':
        return [
          ...(event.selected.left.length > 0 ? [`Left out: ${reasonsOf(event.selected.left)}`] : []),
          ...event.selected.elsewhere.map(
            ({ label, host }) => `${label} refuses addresses of this country; asking ${host}`,
          ),
        ]
      case 'spared':
        return [`Not asked: ${reasonsOf(event.spared)}`]
      case 'asking':
        return [this.#asking(event.sources)]
      case 'answered':
        this.#answered(event.report)
        return [sourceLine(event.report)]
      case 'planned':
        this.#planned = event.requests
        if (event.requests === 0) return ['No past prices to request.']
        return [
          `Requesting past prices: ${event.requests} requests, at least ${durationOf(event.seconds)} at the rate limits of the sources`,
        ]
      case 'requested':
        this.#requested += event.requests
        return []
      default:
        return ['Composing and writing the documents']
    }
  }

  #asking(sources: readonly Pick<Source, 'id' | 'label'>[]): string {
    this.#sources = sources.length
    for (const { id, label } of sources) this.#awaited.set(id, label)
    const estimate = this.#kind === 'live' ? ' Their lists take about half a minute, and ten minutes at most.' : ''
    return `Asking ${sources.length} sources.${estimate}`
  }

  #answered({ source, error, rows, requests }: Report): void {
    this.#awaited.delete(source.id)
    if (error) this.#failed++
    // There was nothing to ask it.
    else if (rows === 0 && requests === 0) this.#sources--
  }

  /** Returns a line about what the run waits for; null where it waits for nothing. */
  waiting(elapsedMs: number): string | null {
    const after = `after ${Math.round(elapsedMs / 1000)} s`
    if (this.#awaited.size > 0) {
      const names = [...this.#awaited.values()]
      const more = names.length > NAMED_SOURCES ? ` and ${names.length - NAMED_SOURCES} more` : ''
      const failed = this.#failed > 0 ? `, ${this.#failed} failed` : ''
      const done = `${this.#sources - names.length - this.#failed} of ${this.#sources} sources answered${failed} ${after}`
      return visible(`  ${done}; waiting for ${names.slice(0, NAMED_SOURCES).join(', ')}${more}`)
    }
    if (this.#requested >= this.#planned) return null
    return `  ${this.#requested} of ${this.#planned} requests for past prices made ${after}`
  }
}

const reasonsOf = (sources: readonly Spared[]): string =>
  sources.map(({ source, reason }) => `${source.label} (${reason})`).join(', ')

const durationOf = (seconds: number): string =>
  seconds < 100 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`
