import { HOUR_MS } from '../contract/time.ts'
import { visible, visibleLines } from '../contract/visible.ts'
import { moveText } from '../changes/events.ts'
import { sentence } from '../changes/print.ts'
import { escaped } from '../contract/visible.ts'
import { type Report, countOf } from '../sources/collect.ts'
import { hostsFor } from '../service/budgets.ts'
import type { RunReport } from './run.ts'

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
export function summary({
  collection,
  published,
  refusals,
  lifted,
  moved,
  footprint,
  listings,
  priced,
  damaged,
  restored,
  historyRequests,
  historyFailures,
  requests,
  stages,
  held,
}: RunReport): string {
  if (!published)
    return visibleLines([
      'Nothing was published.',
      ...bundleLines(collection),
      ...refusals.map(
        ({ rule, message, since, release }) => `Refused by ${rule} since ${since}: ${message}. ${release}.`,
      ),
    ])
  const files = `${published.written.length} documents written, ${published.unchanged} unchanged, ${published.removed.length} removed`
  return visibleLines([
    ...(restored ? restoredLines(restored) : []),
    ...bundleLines(collection),
    `${listings} listings, ${priced} priced; ${files}; ${(published.bytes / 2 ** 20).toFixed(1)} MiB in total.`,
    ...(footprint ? sizes(footprint) : []),
    ...(historyRequests > 0
      ? [`Past prices: ${historyRequests} requests, ${historyFailures.length} series not filled.`]
      : []),
    ...damageLines(damaged),
    ...(moved ? [`The market ${moveText(moved)}.`] : []),
    ...lifted.map(
      ({ rule, message, since }) =>
        `Published despite ${rule} since ${since}, because it was confirmed or accepted: ${message}.`,
    ),
    ...heldLines(held),
    ...(requests ? requestLine(requests) : []),
    `Time: ${Object.entries(stages)
      .map(([stage, ms]) => `${stage} ${seconds(ms)}`)
      .join(', ')}.`,
  ])
}

/** Maximum number of held figures in a summary. */
const MOST_HELD = 5

/** Returns how many figures are held back, and why, since when and until what, for the first of them. */
function heldLines(held: RunReport['held']): string[] {
  if (held.length === 0) return []
  const rest = held.length - MOST_HELD
  return [
    `${held.length} ${held.length === 1 ? 'figure is' : 'figures are'} held back:`,
    ...held.slice(0, MOST_HELD).map(({ slug, field, reason, since, releases_at, release }) => {
      const latest = releases_at === null ? '' : ` At the latest at ${releases_at}.`
      return `  ${slug} ${field}, since ${since}: ${reason} Released by: ${release}${latest}`
    }),
    ...(rest > 0 ? [`  and ${rest} more, in /quarantine`] : []),
  ]
}

/** Returns what became of damaged documents, each outcome with its number. */
const damageLines = ({ recovered, rebuilt, lost }: RunReport['damaged']): string[] =>
  [
    { files: recovered, what: 'Recovered from the checkpoint' },
    { files: rebuilt, what: 'Rebuilt without what only they held' },
    { files: lost, what: 'Lost for good' },
  ].flatMap(({ files, what }) =>
    files.length > 0 ? [`${what}: ${files.length} damaged documents, the first is ${files[0]}.`] : [],
  )

/** Returns what was wrong with the bundles of a run. */
const bundleLines = ({ refused, disagreements }: RunReport['collection']): string[] => [
  ...refused.map(({ name, message }) => `Bundle not used: ${name}: ${message}.`),
  ...disagreements.map(
    ({ source_id, rows, max_bp }) =>
      `${source_id} gave two collectors different values: ${rows} prices, by up to ${max_bp.toFixed(0)} bp; they are left out.`,
  ),
]

function restoredLines(restored: NonNullable<RunReport['restored']>): string[] {
  const { place, kind, generatedAt, ageMs, fetched, resumed, cut, damaged, passedOver } = restored
  return [
    `Went on from the ${kind} of ${generatedAt} at ${place}, ${(ageMs / HOUR_MS).toFixed(1)} hours old: ` +
      `${fetched} documents taken, ${cut} cut from others, ${resumed} there already, ${damaged.length} damaged.`,
    ...passedOver.map((trouble) => `Not taken: ${trouble}.`),
  ]
}

function requestLine({ error, listed, expired, purged, deleted }: NonNullable<RunReport['requests']>): string[] {
  if (error !== null) return [`Listing requests: ${error}. Their last published state is kept.`]
  if (listed + expired + purged + deleted === 0) return []
  return [
    `Listing requests: ${listed} listed, ${expired} expired, contacts of ${purged} and ${deleted} old ones deleted.`,
  ]
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

/** Maximum number of events in a summary. */
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
  return {
    outcome: report.outcome,
    refusals: report.refusals,
    lifted: report.lifted,
    moved: report.moved,
    listings: report.listings,
    priced: report.priced,
    sources: report.reports.map(({ source, error, rows, rejected, skipped, requests, retries, bytes, ms }) => ({
      source_id: source.id,
      error: error ? { code: error.code, message: error.message } : null,
      rows,
      rejected: countOf(rejected),
      skipped: countOf(skipped),
      requests,
      retries,
      bytes,
      ms: Math.round(ms),
    })),
    documents: report.published && {
      written: report.published.written.length,
      unchanged: report.published.unchanged,
      removed: report.published.removed.length,
      bytes: report.published.bytes,
    },
    footprint: report.footprint && { ...report.footprint, hosts: hostsFor(report.footprint) },
    history: {
      requests: report.historyRequests,
      failures: report.historyFailures,
      left: report.historyLeft,
      with_history: report.withHistory,
    },
    events: report.events,
    held: report.held,
    health: report.sources.map(({ source_id, status, failing_since, error }) => ({
      source_id,
      status,
      failing_since,
      error,
    })),
    requests: report.requests,
    damaged: report.damaged,
    restored: report.restored,
    stages_ms: Object.fromEntries(Object.entries(report.stages).map(([stage, ms]) => [stage, Math.round(ms)])),
  }
}
