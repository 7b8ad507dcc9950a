import { group } from 'd3-array'
import { isoOf } from '../contract/time.ts'
import type { PastPrices } from '../history/past-prices.ts'
import { type Bundle } from '../observations/bundle.ts'
import { type Observations, bundleOf } from '../observations/merge.ts'
import type { CurrencyLists } from './currency-lists.ts'
import { wantsOf } from './enrichment.ts'
import { observeBundles, observeSources } from './observe.ts'
import type { State } from './open-state.ts'
import type { Ration } from './rationed.ts'
import type { Inputs, Limits, Ports, Tell } from './run.ts'

/** What the sources of a run returned, to this process or to others. */
export interface Recording extends Omit<Observations, 'currencies'> {
  /** The lists of currencies that are known, by venue and symbol. */
  readonly currencies: CurrencyLists['lists']
}

/** How a recording comes to be. */
interface Recorded {
  readonly ports: Pick<Ports, 'root' | 'elapsed' | 'signal'>
  readonly limits: Pick<Limits, 'listings'>
  readonly ration: Ration
  readonly tell: Tell
}

/** Asks the sources, or takes what they returned to collections elsewhere. */
export async function recordingOf(
  { kind, sources, known, registry, now, recordings, expected }: Inputs,
  { previous }: State,
  { ports: { root, elapsed, signal }, limits: { listings }, ration, tell }: Recorded,
): Promise<Recording> {
  if (ration.spared.length > 0) tell({ kind: 'spared', spared: ration.spared })
  if (!recordings) tell({ kind: 'asking', sources: ration.sources })
  const observing = {
    root,
    kind,
    sources: ration.sources,
    all: sources,
    expected,
    hasDirectory: known !== undefined,
    now,
    elapsed,
    signal,
    connect: ration.connect,
    wants: (source: (typeof sources)[number]) =>
      wantsOf(source, { listings, registry, previous, now, profiles: ration.profiles(source) }),
    tell,
  }
  const publishedAt = previous.publishedAt === null ? null : Date.parse(previous.publishedAt)
  const { observations, currencies } = recordings
    ? await observeBundles(observing, recordings, publishedAt)
    : await observeSources(observing)
  ration.count(observations.requests)
  return Object.freeze({ ...observations, currencies: currencies.lists })
}

/** Returns a recording with past prices, which are requested after the feed. */
export function withPast(recording: Recording, { answers }: PastPrices): Recording {
  const past = group(answers, ({ source_id }) => source_id)
  const rows = new Map(
    recording.facts.map(({ source_id }) => [
      source_id,
      [...(recording.rows.get(source_id) ?? []).filter(({ kind }) => kind !== 'past'), ...(past.get(source_id) ?? [])],
    ]),
  )
  return { ...recording, rows }
}

/** Returns a recording as a bundle. */
export const bundleIn = (
  { facts, rows }: Recording,
  { kind, now, cadenceMs, commit }: Inputs,
  { requested }: Pick<Ration, 'requested'>,
): Bundle =>
  bundleOf(
    { facts: facts.map((own) => ({ ...own, requests: requested(own.source_id) })), rows },
    { run: isoOf(now), kind, commit: commit ?? null, clock: now, cadence_ms: cadenceMs, region: null },
  )
