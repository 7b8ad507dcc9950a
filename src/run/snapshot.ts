import type { Refusal } from '../feed/gate.ts'
import { lock } from '../tree/lock.ts'
import { writeCheckpoint } from '../tree/write-checkpoint.ts'
import type { Report } from '../sources/collect.ts'
import { ration } from './rationed.ts'
import { type Run, type RunReport, cadenceOf } from './run.ts'
import { NO_DAMAGE, damageOf } from './damage.ts'
import { openState } from './open-state.ts'
import { type Collected, type RationedRun, observe, bundleIn, withPast } from './run-observations.ts'
import { extendHistory } from './extend-history.ts'
import { worldOf, publishWorld } from './publish-world.ts'
import { judgedFeed } from './judged-feed.ts'

/**
 * Runs once: collects from the sources, builds a world from their data and the last publication, and writes what
 * changed. If no source is usable, nothing is written.
 *
 * @throws TreeError if another run is building the tree, if it holds another kind of data, or if it cannot be written
 * @throws RestoreError if there was a publication, or may have been, and none can be restored
 */
export async function snapshot(given: Run): Promise<RunReport> {
  const lap = stopwatch(given.elapsed)
  const unlock = lock(given.root, given.wallNow)
  const rationed = ration({ ...given, cadenceMs: cadenceOf(given), isElsewhere: given.bundles !== undefined })
  const run: RationedRun = { ...given, ...rationed, all: given.sources }
  try {
    const state = await openState(run)
    if (rationed.spared.length > 0) given.onSpared?.(rationed.spared)
    if (!given.bundles) given.onAsking?.(rationed.sources)
    const read = lap()
    const { observations, currencies } = await observe(run, state)
    const { reports } = observations
    const begun = { ...state, observations, reports, currencies, stages: { read, collect: lap(), feed: 0 } }
    if (!reports.some(listsOrTrades)) return nothingPublished('no_usable_source', [], begun)

    const { feed, verdict } = judgedFeed(run, begun)
    const { refusals, lifted, moved } = verdict
    const fed = { ...begun, stages: { ...begun.stages, feed: lap() } }
    if (refusals.length > 0) {
      given.onObserved?.(bundleIn(run, observations))
      // The next machine goes on from what this one restored, and from what the gate remembers of this run.
      if (run.checkpoint && state.restored) writeCheckpoint(state.tree)
      return nothingPublished('refused', refusals, fed)
    }

    const { past, unreadable, ...extended } = await extendHistory(run, fed, feed)
    const asked = lap()
    given.onObserved?.(bundleIn(run, withPast(observations, past)))
    given.onWriting?.()
    const { world, requests } = await worldOf(run, fed, { ...extended, feed, verdict, past })
    const damaged = () => [...state.previous.damaged, ...unreadable]
    const { done, footprint, lifted: accepted } = publishWorld(run, fed, world, damaged)
    if ('rule' in done) return nothingPublished('refused', [done], fed)
    const checkpoint = run.checkpoint ? writeCheckpoint(state.tree) : null
    return {
      outcome: 'published',
      refusals: [],
      lifted: [...lifted, ...accepted],
      moved,
      reports,
      collection: observations,
      published: done,
      footprint: footprint(checkpoint),
      listings: feed.snapshot.listed.length,
      priced: feed.snapshot.coverage.priced,
      damaged: damageOf([...damaged(), ...done.damaged], done.recovered, (file) => state.tree.holds(file)),
      restored: state.restored,
      historyRequests: past.requests,
      historyLeft: past.left,
      withHistory: world.withHistory(),
      isFirst: state.previous.label === null,
      historyFailures: past.failures,
      events: world.changes.events,
      held: feed.snapshot.quarantine,
      sources: feed.snapshot.sources,
      requests: await requests.applyChanges(),
      stages: { ...fed.stages, history: asked, publish: lap() },
    }
  } finally {
    rationed.save()
    unlock()
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

const nothingPublished = (
  outcome: 'no_usable_source' | 'refused',
  refusals: readonly Refusal[],
  { observations, reports, previous, restored, stages }: Collected,
): RunReport => ({
  outcome,
  refusals,
  lifted: [],
  moved: null,
  reports,
  collection: observations,
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
