import { rollups, sort } from 'd3-array'
import { sentence } from '../changes/print.ts'
import { API_FOLDER } from '../core/contract/prefix.ts'
import type { SourcesKind } from '../core/contract/product.ts'
import { HOUR_MS } from '../core/contract/time.ts'
import { escaped, visible, visibleLines } from '../core/contract/visible.ts'
import { moveText } from '../core/history/events.ts'
import type { RunEvent, RunReport, SkippedSource } from '../core/run/run.ts'
import { type Report, countOf } from '../core/sources/collect.ts'
import { hostsFor } from './budgets.ts'

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`
const counted = (count = 0, text: string): string => (count > 0 ? `, ${count} ${text}` : '')

export function sourceLine({ source, error, rows, rejected, ms, requests, retries }: Report): string {
  // Some sources are only asked about what others list.
  const answered = rows > 0 || requests > 0 ? `ok      ${String(rows).padStart(5)} rows` : 'nothing to ask'
  return visible(
    `  ${source.label.padEnd(18)} ${error ? `failed  ${error.code}` : answered}` +
      counted(countOf(rejected), 'unreadable') +
      counted(requests, 'requests') +
      counted(retries, 'retries') +
      `, ${seconds(ms)}${error ? `: ${error.message}` : ''}`,
  )
}

/** Joins the lines of a report, without those that do not apply. */
const linesOf = (lines: readonly (string | false | null)[]) =>
  visibleLines(lines.filter((line) => line !== false && line !== null))

export function summary(run: RunReport): string {
  const { published, restored, collection, historyRequests, historyFailures, requests } = run
  const recordings = collection.refused.map(({ name, message }) => `Recording not used: ${name}: ${message}.`)
  if (!published)
    return visibleLines([
      'Nothing was published.',
      ...recordings,
      ...run.refusals.map(
        ({ rule, message, since, release }) => `Refused by ${rule} since ${since}: ${message}. ${release}.`,
      ),
    ])
  const { written, unchanged, removed, footprint } = published
  const [added, gone] = ['listed', 'delisted'].map((kind) => run.events.filter((event) => event.kind === kind).length)
  return linesOf([
    restored &&
      `Restored the tables of ${restored.generatedAt} at ${restored.place}, ` +
        `${(restored.ageMs / HOUR_MS).toFixed(1)} hours old: ${restored.parts} parts downloaded.`,
    ...recordings,
    `${run.listings} listings${counted(added, 'new')}${counted(gone, 'delisted')}, ${run.priced} priced; ` +
      `${written.length} documents written${foldersOf(written)}, ${unchanged} unchanged, ` +
      `${removed.length} removed${foldersOf(removed)}; ${mib(footprint.bytes)} in total.`,
    sizeLine(published),
    historyRequests > 0 && `Past prices: ${historyRequests} requests, ${historyFailures.length} series not filled.`,
    run.moved && `The market ${moveText(run.moved)}.`,
    ...run.lifted.map(
      ({ rule, message, since }) =>
        `Published despite ${rule} since ${since}, because it was confirmed or accepted: ${message}.`,
    ),
    ...run.sources.map(
      ({ source_label, price_factor: factor }) =>
        factor !== null &&
        `${source_label}: its prices are not used, because they are ${factor} times those of the others.`,
    ),
    ...heldLines(run.held),
    requests && requestLine(requests),
    `Time: ${Object.entries(run.stages)
      .map(([stage, ms]) => `${stage} ${seconds(ms)}`)
      .join(', ')}.`,
  ])
}

/** Returns the folders of documents, those with the most first, such as ` (candles 300, daily 112)`; empty if there are none. */
function foldersOf(paths: readonly string[]): string {
  const folderOf = (path: string) => path.replace(`${API_FOLDER}/`, '').split('/')[0]
  const counts = rollups(paths, ({ length }) => length, folderOf)
  const most = sort(counts, ([, count]) => -count).slice(0, 3)
  return most.length === 0 ? '' : ` (${most.map((one) => one.join(' ')).join(', ')})`
}

function sizeLine({ footprint }: NonNullable<RunReport['published']>): string {
  const hosts = hostsFor(footprint)
  const names = (isLarge: boolean) =>
    hosts.flatMap(({ host, excess }) => (excess.length > 0 === isLarge ? [host] : [])).join(', ')
  const large = names(true)
  return `${footprint.files} files: within the limits of ${names(false)}${large === '' ? '' : `; too large for ${large}`}.`
}

const MOST_HELD = 5

function heldLines(held: RunReport['held']): string[] {
  if (held.length === 0) return []
  const rest = held.length - MOST_HELD
  return [
    `${held.length} ${held.length === 1 ? 'figure is' : 'figures are'} held back:`,
    ...held.slice(0, MOST_HELD).map(({ held_value, offered_value, releases_at, ...one }) => {
      const latest = releases_at === null ? '' : ` At the latest at ${releases_at}.`
      return `  ${one.slug} ${one.field}, ${held_value ?? 'nothing'} instead of ${offered_value ?? 'nothing'} since ${one.since}: ${one.reason} Released by: ${one.release}${latest}`
    }),
    ...(rest > 0 ? [`  and ${rest} more, in /quarantine`] : []),
  ]
}

function requestLine({ error, contacts, deleted }: NonNullable<RunReport['requests']>): string | null {
  if (error !== null) return `Listing requests: ${error}. Their last published state is kept.`
  if (contacts + deleted === 0) return null
  return `Listing requests: contacts of ${contacts}, and ${deleted} old ones, deleted.`
}

export function nextSteps({ listings, withHistory, historyLeft }: RunReport, out: string, perRun: number): string {
  const runs = Math.ceil(historyLeft / perRun)
  return linesOf([
    `${withHistory} of ${listings} listings have prices on at least half of the days of the last year.`,
    runs > 0 && `About ${runs} more runs fill the gaps that the sources can fill.`,
    'Next:',
    `  npm run serve -- --tree ${out}          shows it at http://127.0.0.1:8787`,
    `  npm run snapshot -- --out ${out}        again every half hour, extends this folder`,
    `  npm run config -- --help                configures a host`,
  ])
}

const MOST_EVENTS = 30

export function summaryMarkdown(report: RunReport, repository: string | null): string {
  const rest = report.events.length - MOST_EVENTS
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
    ...report.events.slice(0, MOST_EVENTS).map((event) => `- ${escaped(sentence(event))}`),
    ...(rest > 0 ? [`- and ${rest} more`] : []),
    '',
    ...summary(report)
      .split('\n')
      .map((line) => `${escaped(line)}  `),
    '',
    ...(report.published && report.isFirst && repository !== null
      ? [
          'This was the first run. If the site does not answer yet:',
          '',
          `- [ ] [Choose "GitHub Actions" as the source](${repository}/settings/pages), or name another host in the variable [DEPLOY](${repository}/settings/variables/actions).`,
          `- [ ] [Start the workflow once more](${repository}/actions/workflows/snapshot.yml). Later runs start by themselves.`,
          '',
        ]
      : []),
  ].join('\n')
}

export function reportJson(report: RunReport): object {
  const { reports, published, sources, stages, collection: _collection, isFirst: _isFirst, ...rest } = report
  const { historyRequests, historyFailures, historyLeft, withHistory, ...facts } = rest
  return {
    ...facts,
    sources: reports.map(({ source, error, rejected, skipped, ms, rows, requests, retries, bytes }) => {
      const counts = { rejected: countOf(rejected), skipped: countOf(skipped), ms: Math.round(ms) }
      const failure = error && { code: error.code, message: error.message }
      return { source_id: source.id, error: failure, ...counts, rows, requests, retries, bytes }
    }),
    documents: published && {
      written: published.written.length,
      unchanged: published.unchanged,
      removed: published.removed.length,
      bytes: published.footprint.bytes,
    },
    footprint: published && { ...published.footprint, hosts: hostsFor(published.footprint) },
    history: { requests: historyRequests, failures: historyFailures, left: historyLeft, with_history: withHistory },
    health: sources.map(({ source_id, status, failing_since, error }) => ({ source_id, status, failing_since, error })),
    stages_ms: Object.fromEntries(Object.entries(stages).map(([stage, ms]) => [stage, Math.round(ms)])),
  }
}

/** Returns the function that says what a run does, event by event. */
export function progressOf(kind: SourcesKind): (event: RunEvent) => readonly string[] {
  const estimate = kind === 'live' ? ' Their lists take about half a minute, and ten minutes at most.' : ''
  let planned = 0
  let requested = 0
  const tenths = () => Math.floor((10 * requested) / planned)
  return (event) => {
    switch (event.kind) {
      case 'selected': {
        const { left, elsewhere } = event.selected
        return [
          ...(left.length > 0 ? [`Left out: ${reasonsOf(left)}`] : []),
          ...elsewhere.map(({ label, host }) => `${label} refuses addresses of this country; asking ${host}`),
        ]
      }
      case 'spared':
        return [`Not asked: ${reasonsOf(event.spared)}`]
      case 'asking':
        return [`Asking ${event.sources.length} sources.${estimate}`]
      case 'answered':
        return [sourceLine(event.report)]
      case 'planned': {
        const { requests, seconds } = event
        planned = requests
        const least = seconds < 100 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`
        return requests === 0
          ? ['No past prices to request.']
          : [`Requesting past prices: ${requests} requests, at least ${least} at the rate limits of the sources`]
      }
      case 'requested': {
        const before = tenths()
        requested += event.requests
        return tenths() > before ? [`  ${requested} of ${planned} requests for past prices made`] : []
      }
      default:
        return ['Composing and writing the documents']
    }
  }
}

const reasonsOf = (sources: readonly SkippedSource[]): string =>
  sources.map(({ source, reason }) => `${source.label} (${reason})`).join(', ')
