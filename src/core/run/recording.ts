import { group } from 'd3-array'
import type { DayRatesRow, PastRow } from '../contract/observations.ts'
import { type Ms, dayIn, isoOf } from '../contract/time.ts'
import type { Bundle, BundleRead } from '../sources/bundle.ts'
import type { AssetDirectory } from '../feed/exchange-listings.ts'
import { isNamed } from '../feed/listed-identities.ts'
import { collect } from '../sources/collect.ts'
import { type Recording, factsOf, mergeBundles, bundleOf } from '../sources/merge-recordings.ts'
import type { Source } from '../sources/source.ts'
import { NO_ROWS, type Rows } from '../history/rows.ts'
import { readState } from '../tree/state.ts'
import { RestoreError } from '../tree/tree-error.ts'
import { currencyLists, keepList } from './currency-lists.ts'
import { type WantsInput, refusedProfiles, wantsOf } from './profiles.ts'
import { type Ration, ration as rationOf } from './quotas.ts'
import type { CollectionInputs, Limits, Ports, Tell } from './run.ts'

export interface Recorded {
  readonly recording: Recording
  /** By venue and symbol. */
  readonly currencies: AssetDirectory['lists']
}

export interface Recorder {
  readonly ports: Pick<Ports, 'root' | 'elapsed' | 'signal'>
  readonly limits: Pick<Limits, 'listings'>
  readonly ration: Ration
  readonly tell: Tell
}

/** Why a source is not asked in a run of a feed that names its listings. */
const IDLE = 'it lists none of the named listings, and the first run of each day asks it'

/** Asks the sources, or takes what they returned to collections elsewhere. */
export async function recordingOf(inputs: CollectionInputs, rows: Rows, recorder: Recorder) {
  if (inputs.recordings) return mergedRecording(inputs, inputs.recordings, rows, recorder)
  const { ration, tell } = recorder
  const namedAlone = needsNamedAlone(inputs.only, rows, inputs.now)
  const idle = namedAlone ? ration.sources.filter((source) => isIdle(source, rows)) : []
  const spared = [...ration.spared, ...idle.map((source) => ({ source, reason: IDLE }))]
  if (spared.length > 0) tell({ kind: 'spared', spared })
  const asked = ration.sources.filter((source) => !idle.includes(source))
  tell({ kind: 'asking', sources: asked })
  // The network may keep what it was given until the run ends: the listings alone.
  return askedRecording(inputs, recorder, { sources: asked, previous: { listings: rows.listings }, namedAlone })
}

async function askedRecording(
  inputs: CollectionInputs,
  { ports, limits, ration, tell }: Recorder,
  { sources, ...known }: Pick<CollectionInputs, 'sources'> & Pick<WantsInput, 'previous' | 'namedAlone'>,
): Promise<Recorded> {
  const { now } = inputs
  const refused = refusedProfiles(ports.root, now)
  const requestedOf = new Map<string, readonly string[]>()
  const reports = await collect(sources, {
    at: now,
    now: ports.elapsed,
    signal: ports.signal,
    connect: ration.connect,
    wants: (source) => {
      const most = ration.allowances.get(source.id)?.profiles
      const wants = wantsOf(source, { ...inputs, ...known, ...limits, profiles: most })
      const profiles = (ids: readonly string[]) => {
        const due = wants.profiles(ids.filter((id) => !refused.has(source.id, id)))
        requestedOf.set(source.id, due)
        return due
      }
      return { ...wants, profiles }
    },
    onProgress: (report) => tell({ kind: 'answered', report }),
  })
  const able = reports.flatMap(({ source, error }) => (error === null ? [source] : []))
  const { lists, requested: listed } = await currencyLists(ports.root, { ...inputs, able, connect: ration.connect })
  const recorded = reports.map(({ source, error, requests, profiles, recorded: own }) => {
    const currencies = listed.get(source.id)
    const rows = [...own, ...(currencies ?? [])]
    const given = new Set(profiles.map(({ id }) => id))
    const facts = factsOf(source, {
      clock: now,
      error: error && { code: error.code, message: error.message.slice(0, 600) },
      requests,
      rows: rows.length,
      currencies: currencies !== undefined,
      // Where the source as a whole failed, nothing is known of its profiles.
      profiles_missing: error ? [] : (requestedOf.get(source.id) ?? []).filter((id) => !given.has(id)),
    })
    return { facts, rows }
  })
  const facts = recorded.map((one) => one.facts)
  refused.save(facts)
  const rows = new Map(recorded.map((one) => [one.facts.source_id, one.rows]))
  const recording = { reports, facts, rows, requests: new Map(), refused: [] }
  return { recording, currencies: lists }
}

async function mergedRecording(
  inputs: CollectionInputs,
  recordings: readonly BundleRead[],
  { run }: Pick<Rows, 'run'>,
  recorder: Recorder,
): Promise<Recorded> {
  const { kind, sources, now } = inputs
  const { root } = recorder.ports
  const publishedAt = run === null ? null : Date.parse(run.at)
  const recording = mergeBundles(recordings, { kind, sources, now, publishedAt })
  for (const { source_id, currencies, clock } of recording.facts) {
    if (!currencies || !inputs.known) continue
    const rows = (recording.rows.get(source_id) ?? []).filter((row) => row.kind === 'currency')
    keepList(root, source_id, rows, clock)
  }
  refusedProfiles(root, now).save(recording.facts)
  for (const report of recording.reports) recorder.tell({ kind: 'answered', report })
  recorder.ration.count(recording.requests)
  const { lists } = await currencyLists(root, { ...inputs, able: [], connect: recorder.ration.connect })
  return { recording, currencies: lists }
}

/** Returns a recording with the rows of the past, which are requested after the feed, in place of those that it has. */
export function withPast(recording: Recording, answers: readonly (PastRow | DayRatesRow)[]) {
  const past = group(answers, ({ source_id }) => source_id)
  const rows = recording.facts.map(({ source_id }) => {
    const own = recording.rows.get(source_id) ?? []
    const others = own.filter(({ kind }) => kind !== 'past' && kind !== 'day-rates')
    return [source_id, [...others, ...(past.get(source_id) ?? [])]] as const
  })
  return { ...recording, rows: new Map(rows) }
}

export const bundleIn = (
  { facts, rows }: Recording,
  { kind, now, cadenceMs, commit }: CollectionInputs,
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
  extends CollectionInputs, Pick<Ports, 'root' | 'from' | 'elapsed' | 'signal' | 'connect'>, Pick<Limits, 'listings'> {
  readonly tell: Tell
}

/** Collects from sources, and returns what they said as a bundle. A source that fails is in it with the reason. */
export async function collectBundle(collection: Collection): Promise<Bundle> {
  const { root, from = [], now, listings, tell } = collection
  // Nothing but details are due without a last publication, so a collection goes on.
  const rows = await readState(root, from, now).then(
    (state) => state.rows,
    (error: unknown) => {
      if (error instanceof RestoreError) return NO_ROWS
      throw error
    },
  )
  const ration = rationOf(collection, collection, collection)
  try {
    const { recording } = await recordingOf(collection, rows, { ports: collection, limits: { listings }, ration, tell })
    return bundleIn(recording, collection, ration)
  } finally {
    ration.save()
  }
}

/**
 * Whether a run needs the named listings alone: all are published, and an earlier run of the UTC day asked for everything
 * that the sources list.
 */
function needsNamedAlone(only: CollectionInputs['only'], { run, listings }: Rows, now: Ms): boolean {
  if (!only || run === null || dayIn(run.at) !== dayIn(isoOf(now))) return false
  const assets = [...listings.values()].map(({ asset }) => asset)
  return only.every((name) => assets.some((asset) => isNamed(asset, name)))
}

/** Whether the last publication had nothing of a source that answered: no listing, market or pool, and no witness of a rate. */
function isIdle({ id, type, label }: Source, { sources, rates, pairs }: Rows): boolean {
  const row = sources.get(id)
  if (!row || row.error !== null || type === 'reference' || type === 'registry') return false
  const isWitness = [...rates.values()].some(({ inputs }) => inputs.some(({ source_id }) => source_id === id))
  if (type === 'dex') return !isWitness && pairs.every(({ source_label }) => source_label !== label)
  return !isWitness && row.asset_count === 0 && row.market_count === 0
}
