import { type Ms, isoOf } from '../contract/time.ts'
import { gridOf } from '../contract/history.ts'
import { isSampleLabel, labelOf } from '../contract/product.ts'
import { NOTHING_COMPOSED, compose } from '../endpoints/compose.ts'
import { worldOf } from '../endpoints/world.ts'
import { type Feed, feedOf } from '../feed/feed.ts'
import { GateRecord, NOTHING_REFUSED, type Refusal, gateVerdict } from '../feed/gate.ts'
import { METHODOLOGY } from '../feed/methodology.ts'
import { fetchPastPrices } from '../history/past-prices.ts'
import { fetchPastRates } from '../history/past-rates.ts'
import { pastPricesOf } from '../history/series.ts'
import { NO_ROWS, type Rows } from '../history/rows.ts'
import { tokenVersionAfter } from '../history/token-list.ts'
import { withinBudget } from '../tree/budget.ts'
import { observationsDigest } from '../sources/bundle.ts'
import type { Report } from '../sources/collect.ts'
import type { Recording } from '../sources/merge-recordings.ts'
import { lock } from '../tree/lock.ts'
import { NO_STATE, type State, readState } from '../tree/state.ts'
import { TreeError } from '../tree/tree-error.ts'
import { type LastPublication, intactFiles, openTree, publish } from '../tree/tree.ts'
import { dropKept, readKept, writeKept } from './run-cache.ts'
import { readLastRun } from './last-run.ts'
import { pastBudgetOf, ration as rationOf } from './quotas.ts'
import { type Recorded, type Recorder, bundleIn, recordingOf, withPast } from './recording.ts'
import { changesBetween } from './row-changes.ts'
import { pastClockOf, rowsAfter } from './rows-after.ts'
import type { Inputs, Limits, Ports, RunReport, Tell } from './run.ts'

interface Running extends Recorder {
  readonly ports: Ports
  readonly limits: Limits
}

/**
 * Runs once: recording, feed, past, rows, documents, tree. Each is made of those before it alone. If no source is usable, or
 * the gate refuses the run, nothing is published.
 *
 * @throws TreeError if another run is building the tree, if it holds another kind of data, or if it cannot be written
 * @throws RestoreError if there was a publication, or may have been, and its rows cannot be read
 */
export async function snapshot(inputs: Inputs, ports: Ports, limits: Limits, tell: Tell = () => {}) {
  const lap = stopwatch(ports.elapsed)
  const unlock = lock(ports.root, ports.wallNow)
  const ration = rationOf(inputs, ports, limits)
  try {
    return await run(inputs, { ports, limits, ration, tell }, lap)
  } finally {
    try {
      ration.save()
    } finally {
      unlock()
    }
  }
}

/** @param lap returns the time since the last call, in ms */
async function run(inputs: Inputs, running: Running, lap: () => number): Promise<RunReport> {
  const { report, next } = await rowsOfRun(inputs, running, lap)
  if (next === null) return report
  const publication = publishRows(next, inputs, running)
  const stages = { ...report.stages, publish: lap() }
  const requests = (await next.requests?.applyChanges()) ?? null
  return { ...report, ...publication, requests, stages }
}

/**
 * Returns the rows to publish, if there are any, and the report so far. The rows before the run end here: beside the new ones
 * they would take the memory twice while documents are composed.
 */
async function rowsOfRun(inputs: Inputs, recorder: Running, lap: () => number) {
  const { ports, limits, ration, tell } = recorder
  openTree(ports.root)
  const state = await stateOf(inputs, ports, limits)
  const stages = { read: lap(), collect: 0, feed: 0, history: 0, publish: 0 }
  const recorded = await recordingOf(inputs, state.rows, recorder)
  const { recording } = recorded
  stages.collect = lap()
  const collected = { state, recording, stages }
  if (!recording.reports.some(listsOrTrades)) return { report: reportOf('no_usable_source', [], collected), next: null }

  const { feed, verdict } = judgedFeed(inputs, limits, { root: ports.root, rows: state.rows }, recorded)
  stages.feed = lap()
  if (verdict.refusals.length > 0) {
    ports.record?.(bundleIn(recording, inputs, ration))
    return { report: reportOf('refused', verdict.refusals, collected), next: null }
  }

  const { prices, rates, complete } = await pastAnswers(inputs, state.rows, { feed, recording }, recorder)
  stages.history = lap()
  ports.record?.(bundleIn(complete, inputs, ration))
  tell({ kind: 'composing' })
  const { snapshot } = feed
  const requests = (await ports.requests?.(inputs.now, state.rows.requests)) ?? null
  const members = inputs.registry.assets.flatMap(({ slug, ecosystem }) => (ecosystem ? [{ slug, ...ecosystem }] : []))
  const answers = {
    prices: prices.bySlug,
    rates: rates.rows,
    sources: ration.withQuotas(snapshot.sources),
    requests: requests?.published ?? state.rows.requests,
    site: { ...inputs.site, members },
    run: {
      at: isoOf(inputs.now),
      next_at: isoOf(inputs.now + inputs.cadenceMs),
      cadence_ms: inputs.cadenceMs,
      label: labelOf(inputs.kind, inputs.label),
      methodology: METHODOLOGY,
      inputs: observationsDigest(recording.facts, complete.rows, prices.digests),
      token_list: tokenVersionAfter(state.rows, snapshot),
      commit: inputs.commit ?? null,
    },
    unpublished: readLastRun(ports.root)?.unpublished ?? [],
    moved: verdict.moved,
  }
  const after = rowsAfter(state.rows, feed, answers, inputs.now)
  const { list, fetched } = state
  const last: LastPublication = { documents: state.rows.documents, list, fetched }
  const next = { rows: after.rows, changed: changesBetween(state.rows, after.rows), last, requests }
  const report: RunReport = {
    ...reportOf('published', [], collected),
    lifted: verdict.lifted,
    moved: verdict.moved,
    historyRequests: prices.requests,
    historyLeft: prices.left,
    historyFailures: [...prices.failures, ...rates.failures],
    events: after.events,
    held: snapshot.quarantine,
    sources: snapshot.sources,
  }
  return { report, next }
}

/** Requests the past prices and rates that the rows lack. `complete` is the recording with those that it keeps. */
async function pastAnswers(
  { now, cadenceMs }: Pick<Inputs, 'now' | 'cadenceMs'>,
  rows: Rows,
  { feed, recording }: { readonly feed: Feed; readonly recording: Recording },
  { ration, limits: { history, hasBars = true }, ports, tell }: Running,
) {
  const given = [...recording.rows.values()].flat()
  const budget = pastBudgetOf(history, ration, rows.run === null)
  const prices = await fetchPastPrices({
    ...pastClockOf(rows, cadenceMs, now),
    past: rows.past,
    hasBars,
    feed,
    // A source that failed in this run is not asked again.
    sources: recording.reports.flatMap(({ source, error }) => (error === null ? [source] : [])),
    connect: ration.connect,
    budget: { ...budget, turn: rows.run === null ? 0 : Math.floor(now / cadenceMs) },
    given: given.filter((row) => row.kind === 'past'),
    keep: ports.record !== undefined,
    tell,
  })
  const rates = await fetchPastRates({
    known: rows.pastRates,
    reports: budget.perRun === 0 ? [] : recording.reports,
    connect: ration.connect,
    given: given.filter((row) => row.kind === 'day-rates'),
  })
  return { prices, rates, complete: withPast(recording, [...rates.rows, ...prices.answers]) }
}

function publishRows(
  { rows, changed, last }: NonNullable<Awaited<ReturnType<typeof rowsOfRun>>['next']>,
  { composition, fresh, now }: Inputs,
  { ports, limits }: Running,
) {
  const world = worldOf(rows)
  const files = fresh ? NOTHING_COMPOSED : { ...last, holds: intactFiles(ports.root, now), changed }
  const published = publish(ports.root, {
    rows,
    last,
    changed,
    compress: ports.compress,
    compose: (tables) => withinBudget(compose(composition, world, files, tables), limits.budget),
  })
  const { listings, priced } = world.coverage
  return { published, listings, priced, withHistory: world.withHistory() }
}

/** Reads the rows that a run extends. @throws TreeError if they are of another kind, or have values that may not be published */
async function stateOf({ fresh, now, kind }: Inputs, { root, from = [] }: Ports, { rights }: Limits): Promise<State> {
  if (fresh) return replaced(root, now)
  const state = await readState(root, from, now)
  const { run, sources } = state.rows
  if (run !== null && isSampleLabel(run.label) !== (kind === 'sample'))
    throw new TreeError(
      'other_kind',
      `${root} holds "${run.label}" and cannot be extended with ${kind} sources. Choose another folder with --out, or ` +
        'replace its contents with --fresh.',
    )
  const others = [...sources.values()].filter((row) => rights && !rights.has(row.rights.class))
  if (others.length === 0) return state
  const names = others.map(({ source_label, rights: own }) => `${source_label} (${own.class})`).join(', ')
  throw new TreeError(
    'other_rights',
    `${root} holds values from ${names}, which --rights excludes. Choose another folder with --out, or replace its ` +
      'contents with --fresh.',
  )
}

/** Returns the state of a tree that is replaced: of what is there, only the files are known, so that they are deleted. */
async function replaced(root: string, now: Ms): Promise<State> {
  try {
    const { rows, list } = await readState(root, [], now)
    return { ...NO_STATE, rows: { ...NO_ROWS, documents: rows.documents }, list }
  } catch {
    // What cannot be read is replaced all the same.
    return NO_STATE
  }
}

/** Whether a source answered with more than references, which say nothing of what there is. */
const listsOrTrades = ({ source, error }: Report): boolean => error === null && source.type !== 'reference'

const stopwatch = (elapsed: () => number) => {
  let last = elapsed()
  return () => {
    const time = elapsed() - last
    last += time
    return time
  }
}

const reportOf = (
  outcome: RunReport['outcome'],
  refusals: readonly Refusal[],
  { state, recording, stages }: Pick<RunReport, 'stages'> & { readonly state: State; readonly recording: Recording },
): RunReport => ({
  outcome,
  refusals,
  lifted: [],
  moved: null,
  reports: recording.reports,
  collection: recording,
  published: null,
  listings: state.rows.listings.size,
  priced: 0,
  restored: state.restored,
  historyRequests: 0,
  historyLeft: 0,
  withHistory: 0,
  isFirst: state.rows.run === null,
  historyFailures: [],
  events: [],
  held: [],
  sources: [],
  requests: null,
  stages,
})

/** The feed of what the sources reported, and what the gate makes of it; the gate remembers it for the next run. */
function judgedFeed(
  { sources, configured = sources, registry, only, known, now, cadenceMs }: Inputs,
  { listings, leastListings, accept }: Limits,
  { root, rows }: { readonly root: string; readonly rows: Rows },
  { recording: { reports }, currencies }: Recorded,
) {
  const grid = gridOf(cadenceMs)
  const feed = feedOf({
    reports,
    configured,
    registry,
    only,
    previous: rows,
    assetDirectory: { known: known ?? new Map(), lists: currencies },
    pastPrices: (slug) => pastPricesOf(rows.past.get(slug), { grid, now }),
    now,
  })
  const judged = { previous: rows, snapshot: feed.snapshot, reports, now, listings, leastListings }
  const verdict = gateVerdict(judged, readKept(root, GATE_RECORD, GateRecord) ?? NOTHING_REFUSED, accept)
  if (verdict.record.refused.length === 0) dropKept(root, GATE_RECORD)
  else writeKept(root, GATE_RECORD, verdict.record)
  return { feed, verdict }
}

/** A refused run publishes nothing, so the record of the gate is private. Without one, its counts start again. */
const GATE_RECORD = 'refused'
