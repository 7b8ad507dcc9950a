import { labelOf } from '../contract/product.ts'
import { feedOf } from '../feed/feed.ts'
import type { Refusal } from '../feed/gate-rules.ts'
import { GateRecord, NOTHING_REFUSED, gate } from '../feed/gate.ts'
import { oldestPriceOf, pastPointsOf } from '../history/last-series.ts'
import { observationsDigest } from '../sources/bundle.ts'
import type { Report } from '../sources/collect.ts'
import type { Recording } from '../sources/merge-recordings.ts'
import { openAt } from '../sources/selection.ts'
import { lock } from '../tree/lock.ts'
import { writeCheckpoint } from '../tree/write-checkpoint.ts'
import { NO_DAMAGE, damageOf } from './damage.ts'
import { dropKept, readKept, writeKept } from './kept-state.ts'
import { readLastRun, runDays } from './last-run.ts'
import { requestsOfRun } from './listing-requests.ts'
import { type State, openState } from './open-state.ts'
import { pastOf } from './past.ts'
import { publishWorld, worldOf } from './publish-world.ts'
import { ration as rationOf } from './quotas.ts'
import { type Recorded, type Recorder, bundleIn, recordingOf, withPast } from './recording.ts'
import type { Inputs, Limits, Ports, RunReport, Tell } from './run.ts'

/**
 * Runs once: recording, feed, past, world, documents, tree. Each is a frozen record that the next is made of. If no source
 * is usable, nothing is written.
 *
 * @throws TreeError if another run is building the tree, if it holds another kind of data, or if it cannot be written
 * @throws RestoreError if there was a publication, or may have been, and none can be restored
 */
export async function snapshot(given: Inputs, ports: Ports, limits: Limits, tell: Tell = () => {}): Promise<RunReport> {
  const inputs = withoutClosing(given)
  const lap = stopwatch(ports.elapsed)
  const unlock = lock(ports.root, ports.wallNow)
  const ration = rationOf(inputs, ports, limits)
  try {
    return await published(inputs, { ports, limits, ration, hasDirectory: inputs.known !== undefined, tell }, lap)
  } finally {
    ration.save()
    unlock()
  }
}

/** Returns the inputs without sources that wind down: nothing of them counts, and what they left in the past stays. */
const withoutClosing = ({ sources, configured = sources, ...inputs }: Inputs): Inputs => ({
  ...inputs,
  sources: openAt(sources, inputs.now),
  configured: openAt(configured, inputs.now),
  closing: configured.filter(({ closing }) => closing !== undefined),
})

/** @param lap returns the time since the last call, in ms */
async function published(
  inputs: Inputs,
  recorder: Recorder & { readonly ports: Ports; readonly limits: Limits },
  lap: () => number,
): Promise<RunReport> {
  const { ports, limits, ration, tell } = recorder
  const state = await openState(inputs, ports, limits)
  const read = lap()
  const recorded = await recordingOf(inputs, state, recorder)
  const { recording } = recorded
  const collected = { state, recording, stages: { read, collect: lap(), feed: 0 } }
  if (!recording.reports.some(listsOrTrades)) return reportOf('no_usable_source', [], collected)

  const { feed, verdict } = judgedFeed(inputs, limits, state, recorded)
  const fed = { ...collected, stages: { ...collected.stages, feed: lap() } }
  if (verdict.refusals.length > 0) {
    ports.record?.(bundleIn(recording, inputs, ration))
    // The next machine goes on from what this one restored, and from what the gate remembers of this run.
    if (ports.checkpoint && state.restored) writeCheckpoint(state.tree)
    return reportOf('refused', verdict.refusals, fed)
  }

  const asking = { ration, limits, keep: ports.record !== undefined, tell }
  const { past, prices, rates, rated, unreadable } = await pastOf(inputs, state, { feed, recording }, asking)
  const history = lap()
  ports.record?.(bundleIn(withPast(rated, 'past', prices.answers), inputs, ration))
  tell({ kind: 'composing' })
  const { snapshot } = feed
  const slugs = new Set(snapshot.listed.map(({ asset }) => asset.slug))
  const requests = await requestsOfRun(ports.queue ?? null, slugs, inputs.now, (file) => state.known.read(file))
  const world = worldOf(snapshot, past, state, {
    sources: ration.withQuotas(snapshot.sources),
    requests: requests.published,
    runs: runDays(state.previous, readLastRun(ports.root)?.unpublished ?? [], inputs.now),
    moved: verdict.moved,
    inputs: observationsDigest(recording.facts, rated.rows, prices.digests),
    run: inputs,
  })
  const damaged = () => [...state.previous.damaged, ...unreadable]
  const { done, footprint, lifted } = publishWorld(world, state, { inputs, ports, limits }, damaged)
  if ('rule' in done) return reportOf('refused', [done], fed)
  const checkpoint = ports.checkpoint ? writeCheckpoint(state.tree) : null
  return {
    ...reportOf('published', [], fed),
    lifted: [...verdict.lifted, ...lifted],
    moved: verdict.moved,
    published: done,
    footprint: footprint(checkpoint),
    listings: snapshot.listed.length,
    priced: snapshot.coverage.priced,
    damaged: damageOf([...damaged(), ...done.damaged], done.recovered, (file) => state.tree.holds(file)),
    historyRequests: prices.requests,
    historyLeft: prices.left,
    withHistory: world.withHistory(),
    historyFailures: [...prices.failures, ...rates.failures],
    events: world.changes.events,
    held: snapshot.quarantine,
    sources: snapshot.sources,
    requests: await requests.applyChanges(),
    stages: { ...fed.stages, history, publish: lap() },
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

/** A run that has collected, and the time of its stages so far. */
interface Collected {
  readonly state: State
  readonly recording: Recording
  readonly stages: Pick<RunReport['stages'], 'read' | 'collect' | 'feed'>
}

/** Returns the report of a run that has published nothing so far. */
const reportOf = (
  outcome: RunReport['outcome'],
  refusals: readonly Refusal[],
  { state: { previous, restored }, recording, stages }: Collected,
): RunReport => ({
  outcome,
  refusals,
  lifted: [],
  moved: null,
  reports: recording.reports,
  collection: recording,
  published: null,
  footprint: null,
  listings: previous.listings.size,
  priced: 0,
  damaged: NO_DAMAGE,
  restored,
  historyRequests: 0,
  historyLeft: 0,
  withHistory: 0,
  isFirst: previous.label === null,
  historyFailures: [],
  events: [],
  held: [],
  sources: [],
  requests: null,
  stages: { ...stages, history: 0, publish: 0 },
})

/** The feed of what the sources said, and what the gate says of it; the gate remembers it for the next run. */
function judgedFeed(
  { kind, label, sources, configured = sources, registry, only, known, now, cadenceMs }: Inputs,
  { listings, leastListings, accept }: Limits,
  { tree, previous, known: last }: State,
  { recording: { reports }, currencies }: Recorded,
) {
  const feed = feedOf({
    reports,
    configured,
    registry,
    only,
    previous,
    acquaintance: known && { known, lists: currencies },
    priceDayAgo: oldestPriceOf(last),
    ...pastPointsOf(last, now),
    now,
    label: labelOf(kind, label),
    nextBuildAt: now + cadenceMs,
  })
  const judged = { previous, snapshot: feed.snapshot, reports, now, listings, leastListings }
  const verdict = gate(judged, readKept(tree.root, GATE_RECORD, GateRecord) ?? NOTHING_REFUSED, accept)
  if (verdict.record.refused.length === 0) dropKept(tree.root, GATE_RECORD)
  else writeKept(tree.root, GATE_RECORD, verdict.record)
  return { feed, verdict }
}

/** A refused run publishes nothing, so the record of the gate is kept beside what is published. Without one, its counts start again. */
const GATE_RECORD = 'refused'
