import { group } from 'd3-array'
import type { ObservationRow } from '../contract/observations.ts'
import type { SourcesKind } from '../contract/product.ts'
import { isoOf } from '../contract/time.ts'
import type { Bundle } from '../sources/bundle.ts'
import { type CollectOptions, collect } from '../sources/collect.ts'
import {
  type BundleRead,
  type Merging,
  type Recording,
  factsOf,
  mergeBundles,
  bundleOf,
} from '../sources/merge-recordings.ts'
import type { Source, Wants } from '../sources/source.ts'
import { NOTHING_PUBLISHED, lastPublication } from '../tree/last-publication.ts'
import { lastState } from '../tree/last-state.ts'
import type { Place } from '../tree/place.ts'
import { RestoreError } from '../tree/restore-error.ts'
import { Tree } from '../tree/tree.ts'
import { type CurrencyLists, StoredList, currencyLists } from './currency-lists.ts'
import { readKept, writeKept } from './kept-state.ts'
import { isIdle, needsNamedAlone } from './needed-sources.ts'
import type { State } from './open-state.ts'
import { RefusedProfiles, wantsOf } from './profiles.ts'
import { type Ration, ration as rationOf } from './rationed.ts'
import type { Tell, Inputs, Limits, Ports } from './run.ts'

/** What sources returned, and the lists of currencies that are known of them. */
export interface Recorded {
  readonly recording: Recording
  readonly currencies: CurrencyLists['lists']
}

/** Where lists of currencies and refused profiles are kept between runs, and of which sources. */
interface Keeping {
  readonly root: string
  /** Every source of the run, those that are spared in it too. */
  readonly all: readonly Source[]
  /** Whether lists of currencies are of use. */
  readonly hasDirectory: boolean
  readonly now: number
  readonly connect: CollectOptions['connect']
  readonly tell: Tell
}

/** How sources are asked. */
interface Asking extends Keeping {
  /** Sources that are asked. */
  readonly sources: readonly Source[]
  readonly elapsed: () => number
  readonly signal: AbortSignal
  /** What to request from a source besides its list. */
  readonly wants: (source: Source) => Wants
}

/** Asks the sources in this process. */
async function recordSources(asking: Asking): Promise<Recorded> {
  const { root, sources, hasDirectory, now, tell } = asking
  const refused = new RefusedProfiles(root, now)
  const reports = await collect(sources, {
    at: now,
    now: asking.elapsed,
    signal: asking.signal,
    connect: asking.connect,
    wants: (source) => {
      const wants = asking.wants(source)
      const open = (ids: readonly string[]) => ids.filter((id) => !refused.has(source.id, id))
      return { ...wants, profiles: (ids) => refused.request(source.id, wants.profiles(open(ids))) }
    },
    onProgress: (report) => tell({ kind: 'answered', report }),
  })
  const able = hasDirectory ? reports.flatMap(({ source, error }) => (error === null ? [source] : [])) : []
  const { lists, requested } = await listsOf(asking, able)
  for (const list of requested) keepList(root, list)
  const missing = refused.missing(reports)
  refused.save(missing)
  const fetched = new Map(requested.flatMap((list) => (list.fetched_at === isoOf(now) ? [[list.source_id, list]] : [])))
  const recorded = reports.map(({ source, error, requests, recorded: own }) => {
    const list = fetched.get(source.id)
    const currencies = list?.rows.map((row) => ({ source_id: source.id, kind: 'currency' as const, ...row })) ?? []
    const rows = [...own, ...currencies]
    const facts = factsOf(source, {
      clock: now,
      error: error && { code: error.code, message: error.message.slice(0, 600) },
      requests,
      rows: rows.length,
      currencies: list !== undefined,
      profiles_missing: [...(missing.get(source.id) ?? [])],
    })
    return { facts, rows }
  })
  const recording = {
    reports,
    facts: recorded.map(({ facts }) => facts),
    rows: new Map(recorded.map(({ facts, rows }) => [facts.source_id, rows])),
    requests: new Map(),
    disagreements: [],
    refused: [],
  }
  return { recording, currencies: lists }
}

/** Takes what the sources returned from recordings. Nothing is requested. */
async function mergeRecordings(
  recordings: readonly BundleRead[],
  merging: Omit<Merging, 'sources' | 'now'> & { readonly kind: SourcesKind },
  keeping: Keeping,
): Promise<Recorded> {
  const { root, all, hasDirectory, now, tell } = keeping
  const recording = mergeBundles(recordings, { ...merging, sources: all, now })
  for (const { source_id, currencies, clock } of recording.facts) {
    if (!currencies || !hasDirectory) continue
    const rows = (recording.rows.get(source_id) ?? []).flatMap((row) => (row.kind === 'currency' ? [row] : []))
    keepList(root, StoredList.parse({ source_id, fetched_at: isoOf(clock), attempted_at: isoOf(clock), rows }))
  }
  new RefusedProfiles(root, now).save(
    new Map(recording.facts.map(({ source_id, profiles_missing }) => [source_id, profiles_missing])),
  )
  for (const report of recording.reports) tell({ kind: 'answered', report })
  const { lists } = await listsOf(keeping, [])
  return { recording, currencies: lists }
}

/** Returns the lists of currencies: those that are kept, and those of sources that may be asked where they are due. */
const listsOf = ({ root, all, hasDirectory, connect, now }: Keeping, sources: readonly Source[]) =>
  currencyLists({
    sources,
    keep: hasDirectory ? all.flatMap(({ id, currencies }) => (currencies ? [id] : [])) : [],
    read: (id) => readKept(root, `currencies-${id}`, StoredList),
    connect,
    now,
  })

const keepList = (root: string, list: StoredList): void => writeKept(root, `currencies-${list.source_id}`, list)

/** How a recording comes to be. */
interface Recorder {
  readonly ports: Pick<Ports, 'root' | 'elapsed' | 'signal'>
  readonly limits: Pick<Limits, 'listings'>
  readonly ration: Ration
  /** Whether lists of currencies are of use. */
  readonly hasDirectory: boolean
  readonly tell: Tell
}

/** Why a source is not asked in a run of a feed that names its listings. */
const IDLE = 'it lists none of the named listings, and the first run of each day asks it'

/** Asks the sources, or takes what they returned to collections elsewhere. */
export async function recordingOf(
  {
    kind,
    sources,
    registry,
    now,
    recordings,
    expected = [],
    only,
  }: Pick<Inputs, 'kind' | 'sources' | 'registry' | 'now' | 'recordings' | 'expected' | 'only'>,
  { previous }: Pick<State, 'previous'>,
  { ports: { root, elapsed, signal }, limits: { listings }, ration, hasDirectory, tell }: Recorder,
): Promise<Recorded> {
  const keeping = { root, all: sources, hasDirectory, now, connect: ration.connect, tell }
  if (recordings) {
    const publishedAt = previous.publishedAt === null ? null : Date.parse(previous.publishedAt)
    const recorded = await mergeRecordings(recordings, { kind, publishedAt, expected }, keeping)
    ration.count(recorded.recording.requests)
    return recorded
  }
  const namedAlone = needsNamedAlone(only, previous, now)
  const idle = namedAlone ? ration.sources.filter((source) => isIdle(source, previous)) : []
  const spared = [...ration.spared, ...idle.map((source) => ({ source, reason: IDLE }))]
  if (spared.length > 0) tell({ kind: 'spared', spared })
  const asked = ration.sources.filter((source) => !idle.includes(source))
  tell({ kind: 'asking', sources: asked })
  const wanted = { listings, registry, previous, now, only, namedAlone }
  return recordSources({
    ...keeping,
    sources: asked,
    elapsed,
    signal,
    wants: (source) => wantsOf(source, { ...wanted, profiles: ration.profiles(source) }),
  })
}

/** Returns a recording with rows of a kind that are requested after the feed. */
export function withPast(
  recording: Recording,
  kind: 'past' | 'day-rates',
  answers: readonly ObservationRow[],
): Recording {
  const past = group(answers, ({ source_id }) => source_id)
  const rows = new Map(
    recording.facts.map(({ source_id }) => [
      source_id,
      [...(recording.rows.get(source_id) ?? []).filter((row) => row.kind !== kind), ...(past.get(source_id) ?? [])],
    ]),
  )
  return { ...recording, rows }
}

/** Returns a recording as a bundle. */
export const bundleIn = (
  { facts, rows }: Recording,
  { kind, now, cadenceMs, commit }: Pick<Inputs, 'kind' | 'now' | 'cadenceMs' | 'commit'>,
  { requested }: Pick<Ration, 'requested'>,
): Bundle =>
  bundleOf(
    { facts: facts.map((own) => ({ ...own, requests: requested(own.source_id) })), rows },
    { run: isoOf(now), kind, commit: commit ?? null, clock: now, cadence_ms: cadenceMs, region: null },
  )

/**
 * What a collection takes. Its folder holds what collections keep for the next one, such as lists that seldom change and
 * spent quotas. The tree in it, if there is one, says which profiles and tokens are due.
 */
export interface Collection
  extends
    Pick<Inputs, 'kind' | 'sources' | 'registry' | 'only' | 'now' | 'cadenceMs' | 'commit'>,
    Pick<Ports, 'root' | 'elapsed' | 'signal' | 'connect'>,
    Pick<Limits, 'listings'> {
  /** Where the last publication can be restored from if the folder holds none. */
  readonly from: readonly Place[]
  readonly tell: Tell
}

/** Nothing but details are due without a last publication, so a collection goes on. */
function ifRestorable(error: unknown): void {
  if (!(error instanceof RestoreError)) throw error
}

/** Collects from sources, and returns what they said as a bundle. A source that fails is in it with the reason. */
export async function collectBundle(collection: Collection): Promise<Bundle> {
  const { root, from, now, kind, listings, tell } = collection
  const tree = new Tree(root)
  await lastState(tree, from, now).catch(ifRestorable)
  const previous = tree.isEmpty ? NOTHING_PUBLISHED : lastPublication(tree)
  const ration = rationOf(collection, collection, { listings, history: { perRun: Infinity, perSource: Infinity } })
  try {
    const recorder = { ports: collection, limits: { listings }, ration, hasDirectory: kind === 'live', tell }
    const { recording } = await recordingOf(collection, { previous }, recorder)
    return bundleIn(recording, collection, ration)
  } finally {
    ration.save()
  }
}
