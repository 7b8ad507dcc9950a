import { group } from 'd3-array'
import * as z from 'zod'
import { BUILT_IN } from '../exports/table.ts'
import type { ChangeEvent } from '../contract/changes.ts'
import type { SourceRow } from '../contract/collector.ts'
import type { RightsClass } from '../contract/rights.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import { type World } from '../endpoints/endpoint.ts'
import { record } from '../changes/record.ts'
import type { Attachments } from '../endpoints/attachment.ts'
import type { GateRule } from '../feed/gate-rules.ts'
import { type Refusal, gate } from '../feed/gate.ts'
import { type Feed, feedOf } from '../feed/feed.ts'
import { isoOf } from '../feed/time.ts'
import { type Budget, type Footprint, estimateCompressed, footprintOf, withinBudget } from '../hosting/budgets.ts'
import { countDocuments, layoutWithin } from '../hosting/block-plan.ts'
import { type Composition, compose } from '../endpoints/compose.ts'
import type { Place } from '../tree/place.ts'
import type { ArchivePointer } from '../tree/archive-pointer.ts'
import { ARCHIVE } from '../tree/layout.ts'
import { lock } from '../tree/lock.ts'
import { type LastPublication, NOTHING_PUBLISHED, lastPublication } from '../tree/last-publication.ts'
import { lastState } from '../tree/last-state.ts'
import type { RestoredFrom } from '../tree/restore-newest.ts'
import { TreeError } from '../tree/tree-error.ts'
import { type Published, Tree } from '../tree/tree.ts'
import { writeArchive } from '../tree/write-archive.ts'
import type { Queue } from '../queue/queue.ts'
import type { KnownAssets } from '../registry/known-assets.ts'
import type { Registry } from '../registry/registry.ts'
import { gridOf } from '../contract/history.ts'
import { type ExtendedCandles, extendedCandles, newestBarOf } from '../history/extended-candles.ts'
import { type ExtendedCloses, extendedCloses } from '../history/closes.ts'
import { type ExtendedSeries, extendedSeries } from '../history/extended-series.ts'
import { NOTHING_TO_READ, type Readable, dayAgoOf, lastSeries, oldestPriceOf } from '../history/last-series.ts'
import { type HistoryBudget, type PastPrices, fetchPastPrices } from '../history/past-prices.ts'
import type { CollectOptions, Report } from '../sources/collect.ts'
import type { Source } from '../sources/source.ts'
import { PRODUCT, type SourcesKind, kindOfLabel, labelOf } from '../contract/product.ts'
import { type Bundle, observationsDigest } from '../observations/bundle.ts'
import { type BundleRead, type Observations, bundleOf } from '../observations/merge.ts'
import { factsBefore, factsNow } from './change-facts.ts'
import { type QueueChanges, requestsOfRun } from './listing-requests.ts'
import { wantsOf } from './enrichment.ts'
import type { CurrencyLists } from './currency-lists.ts'
import { observeBundles, observeSources } from './observe.ts'
import { keepPastPlan } from './past-plan.ts'
import type { HistoryPlan } from './progress.ts'
import { type Ration, type Spared, ration } from './rationed.ts'
import { readGateRecord, writeGateRecord } from './gate-record-file.ts'

/** Default time between runs. */
export const CADENCE_MS = 30 * 60 * 1000

/** Everything a run reads, requests or writes. */
export interface Run {
  readonly root: string
  readonly kind: SourcesKind
  /** Name of the service; {@link PRODUCT} by default. */
  readonly product?: string
  /** The publisher's own label of live data. */
  readonly label?: string | null
  readonly sources: readonly Source[]
  readonly registry: Registry
  /** Directory of assets that exchanges may trade. Without it, only aggregators and the registry make listings. */
  readonly known?: KnownAssets
  /** Time of the data, in ms since 1970. */
  readonly now: number
  /** Time of the machine, in ms since 1970, for the age of locks. */
  readonly wallNow: number
  /** A monotonic clock, in ms. */
  readonly elapsed: () => number
  readonly signal: AbortSignal
  readonly connect: CollectOptions['connect']
  readonly listings: number | null
  readonly history: HistoryBudget
  /** Days of closes that stay in the tree; all by default. */
  readonly closesDays?: number | undefined
  /** Time between runs, in ms; {@link CADENCE_MS} by default. It sets the finest history grid. */
  readonly cadenceMs?: number | undefined
  /** Replace the tree instead of extending it. */
  readonly fresh: boolean
  /** Where the last publication can be restored from if the folder holds none. */
  readonly from?: readonly Place[]
  /** Age from which a restored publication is refused if another place could not be read; a day by default. */
  readonly maxStateAgeMs?: number | undefined
  /** Write the state archive beside the tree. */
  readonly archive?: boolean
  /** Queue of listing requests. Without one, their last published state is kept. */
  readonly queue?: Queue
  /** Gate rules that this run may break. */
  readonly accept?: ReadonlySet<GateRule>
  /** Listings that a first publication must have; absent: any number will do. */
  readonly leastListings?: number
  /** Endpoints and files to publish; all by default. */
  readonly composition?: Composition
  /** Pages to publish with the data. */
  readonly pages?: Attachments
  /** Commit of this program, for the manifest. */
  readonly commit?: string
  /** Limits of the tree's size. Documents are put in blocks to keep below its number of files; a larger tree is refused. */
  readonly budget?: Budget
  /** Classes of rights that may be published; all by default. A tree with values of other sources is not extended. */
  readonly rights?: ReadonlySet<RightsClass>
  /** Bundles to take the observations from. Nothing is requested then, and `now` is their clock. */
  readonly bundles?: readonly BundleRead[]
  /** Called with what the run observed, also if it is refused. */
  readonly onObserved?: (bundle: Bundle) => void
  /** Called with the sources that are asked, before they are. */
  readonly onAsking?: (sources: readonly Source[]) => void
  readonly onProgress?: (report: Report) => void
  /** Called with the sources that are not asked in this run. */
  readonly onSpared?: (spared: readonly Spared[]) => void
  /** Called with the plan for past prices before they are requested. */
  readonly onHistory?: (plan: HistoryPlan) => void
  /** Called with the number of requests for past prices that were made, gap by gap. */
  readonly onPastPrices?: (requests: number) => void
  /** Called before the documents are composed and written. */
  readonly onWriting?: () => void
}

/** Result of a run. */
export interface RunReport {
  readonly outcome: 'published' | 'no_usable_source' | 'refused'
  /** Why nothing was published; empty if something was. */
  readonly refusals: readonly Refusal[]
  /** Findings of the gate that were confirmed or accepted. */
  readonly lifted: readonly Refusal[]
  readonly reports: readonly Report[]
  /** Bundles that could not be used, and sources that told two collectors different things. */
  readonly collection: Pick<Observations, 'refused' | 'disagreements'>
  readonly published: Published | null
  /** Size of the tree, and its estimated size as gzip. */
  readonly footprint: (Footprint & { readonly compressed: number }) | null
  readonly listings: number
  readonly priced: number
  readonly damaged: readonly string[]
  /** Result of restoring the last publication; null if nothing was restored. */
  readonly restored: RestoredFrom | null
  readonly historyRequests: number
  /** Gaps in past prices that a later run may fill. */
  readonly historyLeft: number
  /** Listings with a value on at least half of the days of the year. */
  readonly withHistory: number
  /** Whether it published into a folder that held no publication. */
  readonly isFirst: boolean
  readonly historyFailures: readonly string[]
  /** Changes since the last publication. */
  readonly events: readonly ChangeEvent[]
  /** Health of every source, as published; empty if nothing was published. */
  readonly sources: readonly SourceRow[]
  /** Result of the due changes in the queue of listing requests; null without a queue. */
  readonly requests: QueueChanges | null
  /** Duration of each stage in ms. */
  readonly stages: Readonly<Record<'read' | 'collect' | 'feed' | 'history' | 'publish', number>>
}

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

    const { feed, refusals, lifted } = judgedFeed(run, begun)
    const fed = { ...begun, stages: { ...begun.stages, feed: lap() } }
    if (refusals.length > 0) {
      given.onObserved?.(bundleIn(run, observations))
      // The next machine goes on from what this one restored, and from what the gate remembers of this run.
      if (run.archive && state.restored) await writeArchive(state.tree)
      return nothingPublished('refused', refusals, fed)
    }

    const { past, ...extended } = await extendHistory(run, fed, feed)
    const asked = lap()
    given.onObserved?.(bundleIn(run, withPast(observations, past)))
    given.onWriting?.()
    const { world, requests } = await worldOf(run, fed, { ...extended, feed, past })
    const { done, footprint } = publish(run, fed, world)
    if ('rule' in done) return nothingPublished('refused', [done], fed)
    const archive = run.archive ? await writeArchive(state.tree) : null
    return {
      outcome: 'published',
      refusals: [],
      lifted,
      reports,
      collection: observations,
      published: done,
      footprint: footprint(archive),
      listings: feed.snapshot.listed.length,
      priced: feed.snapshot.coverage.priced,
      damaged: [...new Set([...state.previous.damaged, ...done.damaged])].toSorted(),
      restored: state.restored,
      historyRequests: past.requests,
      historyLeft: past.left,
      withHistory: world.withHistory,
      isFirst: state.previous.label === null,
      historyFailures: past.failures,
      events: world.changes.events,
      sources: feed.snapshot.sources,
      requests: await requests.applyChanges(),
      stages: { ...fed.stages, history: asked, publish: lap() },
    }
  } finally {
    rationed.save()
    unlock()
  }
}

/** A run whose sources, connections and budgets are held to the quotas. */
interface RationedRun extends Run, Pick<Ration, 'profiles' | 'withQuotas' | 'count' | 'requested'> {
  /** Every source, those that are spared in this run too. */
  readonly all: readonly Source[]
}

/** What a run goes on from. */
interface State {
  readonly tree: Tree
  /** What was taken from elsewhere first; null where nothing was. */
  readonly restored: RestoredFrom | null
  /** The files of the last publication; none for a fresh start. */
  readonly known: Readable
  readonly previous: LastPublication
}

/** A state with what the sources said, and the time of the stages so far. */
interface Collected extends State {
  readonly observations: Observations
  readonly reports: readonly Report[]
  readonly currencies: CurrencyLists
  readonly stages: Pick<RunReport['stages'], 'read' | 'collect' | 'feed'>
}

async function openState(run: Run): Promise<State> {
  const tree = new Tree(run.root)
  const restored = run.fresh ? null : await lastState(tree, run.from ?? [], run.now, run.maxStateAgeMs)
  return { tree, restored, known: run.fresh ? NOTHING_TO_READ : tree, previous: previousOf(run, tree) }
}

/** What the sources said, to this process or to others. */
async function observe(run: RationedRun, { previous }: State) {
  const observing = {
    ...run,
    hasDirectory: run.known !== undefined,
    wants: (source: Source) => wantsOf(source, { ...run, previous, profiles: run.profiles(source) }),
  }
  if (!run.bundles) return observeSources(observing)
  const publishedAt = previous.publishedAt === null ? null : Date.parse(previous.publishedAt)
  const observed = await observeBundles(observing, run.bundles, publishedAt)
  run.count(observed.observations.requests)
  return observed
}

/** The observations with past prices, which are observed after the feed. */
function withPast(observations: Observations, { answers }: PastPrices): Observations {
  const past = group(answers, ({ source_id }) => source_id)
  const rows = new Map(
    observations.facts.map(({ source_id }) => [
      source_id,
      [
        ...(observations.rows.get(source_id) ?? []).filter(({ kind }) => kind !== 'past'),
        ...(past.get(source_id) ?? []),
      ],
    ]),
  )
  return { ...observations, rows }
}

/** Returns what a run observed as a bundle. */
const bundleIn = (run: RationedRun, { facts, rows }: Observations): Bundle =>
  bundleOf(
    { facts: facts.map((own) => ({ ...own, requests: run.requested(own.source_id) })), rows },
    {
      run: isoOf(run.now),
      kind: run.kind,
      commit: run.commit ?? null,
      clock: run.now,
      cadence_ms: cadenceOf(run),
      region: null,
    },
  )

/** Whether a source answered with more than references, which say nothing of what there is. */
const listsOrTrades = ({ source, error }: Report): boolean => error === null && source.type !== 'reference'

const cadenceOf = ({ cadenceMs }: Run): number => cadenceMs ?? CADENCE_MS

/** The feed of what the sources said, and what the gate says of it; the gate remembers it for the next run. */
function judgedFeed(run: Run, { reports, previous, known, currencies }: Collected) {
  const priceDayAgo = oldestPriceOf(known)
  const feed = feedOf({
    ...run,
    reports,
    previous,
    ...(run.known ? { acquaintance: { known: run.known, lists: currencies.lists } } : {}),
    priceDayAgo,
    dayAgo: dayAgoOf(known, run.now),
    label: labelOf(run.kind, run.label),
    nextBuildAt: run.now + cadenceOf(run),
  })
  const judged = {
    previous,
    snapshot: feed.snapshot,
    reports,
    now: run.now,
    priceDayAgo,
    leastListings: run.leastListings,
  }
  const { refusals, lifted, record: remembered } = gate(judged, readGateRecord(run.root), run.accept)
  writeGateRecord(run.root, remembered)
  return { feed, refusals, lifted }
}

/** The budget for past prices. The first run has all series to fill, and may take some minutes for it. */
function budgetOf({ history, sources }: Run, previous: LastPublication): HistoryBudget {
  const { first, most = () => Infinity } = history
  if (!first || previous.label !== null) return history
  const byPace = new Map(
    sources.map(({ id, pace }) => [id, Math.floor((first.seconds * pace.requests) / pace.perSeconds)] as const),
  )
  return {
    perRun: first.perRun,
    perSource: first.perSource,
    most: (id) => Math.min(most(id), byPace.get(id) ?? Infinity),
  }
}

/** Asks for past prices, and extends the series by them and by what this run saw. */
async function extendHistory(run: Run, { tree, known, observations, reports, previous }: Collected, feed: Feed) {
  const aliasesOf = (slug: string) => feed.snapshot.bySlug.get(slug)?.asset.aliases ?? []
  const last = lastSeries(known, aliasesOf)
  const moment = { grid: gridOf(cadenceOf(run)), now: run.now, last }
  const past = await fetchPastPrices({
    ...moment,
    feed,
    sources: answering(reports),
    connect: run.connect,
    budget: budgetOf(run, previous),
    newestBar: newestBarOf(known, aliasesOf),
    given: run.bundles ? observations.past : undefined,
    keep: run.onObserved !== undefined,
    onPlan: run.onHistory,
    onFilled: run.onPastPrices,
  })
  if (run.bundles) keepPastPlan(run.root, past.next)
  const label = `${run.product ?? PRODUCT} ${run.kind === 'sample' ? 'sample' : 'feed'}`
  const { snapshot } = feed
  const candles = extendedCandles({
    snapshot,
    past,
    files: run.fresh ? [] : tree.documents('candles'),
    last: known,
    grid: moment.grid,
  })
  const closes = extendedCloses({
    snapshot,
    candles,
    files: run.fresh ? [] : tree.files,
    last: known,
    now: run.now,
    interval: moment.grid[1],
    keptDays: run.closesDays ?? null,
  })
  return { past, series: extendedSeries({ ...moment, snapshot, past, label }), candles, closes }
}

/** A feed with the series and candles that it extends. */
interface Extended {
  readonly feed: Feed
  readonly series: ExtendedSeries
  readonly candles: ExtendedCandles
  readonly closes: ExtendedCloses
  readonly past: PastPrices
}

/** Everything the documents are made of. */
async function worldOf(
  run: RationedRun,
  { tree, known, previous, observations }: Collected,
  { feed, series, candles, closes, past }: Extended,
) {
  const slugs = new Set(feed.snapshot.listed.map(({ asset }) => asset.slug))
  const requests = await requestsOfRun(run.queue ?? null, slugs, run.now, (file) => known.read(file))
  const last = { facts: factsBefore(previous), files: run.fresh ? [] : tree.files, read: known.read.bind(known) }
  const inputs = observationsDigest(observations.facts, observations.rows, past.digests)
  const flat: World = Object.assign(series, candles, feed.snapshot, {
    sources: run.withQuotas(feed.snapshot.sources),
    requests: requests.published,
    closes,
    changes: record(
      last,
      factsNow(feed.snapshot, requests.published, { ...previous, disagreements: observations.disagreements }),
      feed.snapshot.at,
    ),
    last: known.read.bind(known),
    provenance: { before: previous.manifest, inputs, commit: run.commit ?? null },
    layout: null,
  })
  const { endpoints } = run.composition ?? BUILT_IN
  const layout = run.budget ? layoutWithin(countDocuments(endpoints, flat, run.pages !== undefined), run.budget) : null
  const world: World = Object.assign(flat, { layout })
  return { world, requests }
}

/** Publishes a world, or says why not. */
function publish(run: Run, { tree }: Collected, world: World) {
  const ledger: ManifestRow[] = []
  const { endpoints, attachments: files } = run.composition ?? BUILT_IN
  const composition = { endpoints, attachments: run.pages ? [...files, run.pages] : files }
  const documents = compose(composition, world, (file) => tree.last(file), run.product ?? PRODUCT)
  const done = publishedOrNot(() => tree.publish(withinBudget(documents, run.budget ?? null, ledger)))
  const footprint = (archive: ArchivePointer | null) => ({
    ...footprintOf([...ledger, ...archiveFiles(archive, world.at)], endpoints),
    compressed: estimateCompressed(ledger, endpoints, (file) => tree.read(file)),
  })
  return { done, footprint }
}

/** Returns the files of the state archive, which a host counts as any other. */
function archiveFiles(archive: ArchivePointer | null, timestamp: string): ManifestRow[] {
  if (archive === null) return []
  const parts = archive.parts.map(({ file, bytes }) => ({ path: `${ARCHIVE.folder}/${file}`, bytes }))
  const pointer = { path: ARCHIVE.pointer, bytes: JSON.stringify(archive).length }
  return [...parts, pointer].map((file) => ({ ...file, sha256: '', timestamp }))
}

/** Returns the sources that did not fail in this run. Only those are asked for past prices. */
const answering = (reports: readonly Report[]): Source[] =>
  reports.flatMap(({ source, error }) => (error === null ? [source] : []))

const stopwatch = (elapsed: () => number) => {
  let last = elapsed()
  return () => {
    const time = elapsed() - last
    last += time
    return time
  }
}

/** Returns the state to extend: none for a fresh start, and never that of a tree of another kind. */
function previousOf(run: Run, tree: Tree): LastPublication {
  const { fresh, kind, root } = run
  const previous = fresh ? null : lastPublication(tree)
  if (!previous) return NOTHING_PUBLISHED
  if (previous.label !== null && kindOfLabel(previous.label) !== kind)
    throw new TreeError(
      'other_kind',
      `${root} holds "${previous.label}" and cannot be extended with ${kind} sources. Choose another folder with --out, ` +
        'or replace its contents with --fresh.',
    )
  refuseOtherRights(run, previous)
  return previous
}

/** Refuses to extend a tree with values of excluded sources: some of those values would stay. */
function refuseOtherRights({ rights, root }: Run, { sources }: LastPublication): void {
  const others = [...sources.values()].filter((row) => rights && !rights.has(row.rights.class))
  if (others.length === 0) return
  const names = others.map(({ source_label, rights: own }) => `${source_label} (${own.class})`).join(', ')
  throw new TreeError(
    'other_rights',
    `${root} holds values from ${names}, which --rights excludes. Choose another folder with --out, or replace its ` +
      'contents with --fresh.',
  )
}

/** Publishes, or returns a refusal if a document breaks its contract: that is a bug, and nothing may be published. */
function publishedOrNot(publish: () => Published): Published | Refusal {
  try {
    return publish()
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    const [issue] = error.issues
    return { rule: 'schema', message: `a document breaks its contract: ${issue?.path.join('.')}: ${issue?.message}` }
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
  reports,
  collection: observations,
  published: null,
  footprint: null,
  listings: previous.listings.size,
  priced: 0,
  damaged: previous.damaged,
  restored,
  historyRequests: 0,
  historyLeft: 0,
  withHistory: 0,
  isFirst: previous.label === null,
  historyFailures: [],
  events: [],
  sources: [],
  requests: null,
  stages: { ...stages, history: 0, publish: 0 },
})
