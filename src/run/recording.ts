import { group } from 'd3-array'
import { isoOf } from '../contract/time.ts'
import type { ObservationRow } from '../contract/observations.ts'
import type { Bundle } from '../sources/bundle.ts'
import { type Recording, bundleOf } from '../sources/merge-recordings.ts'
import { wantsOf } from './enrichment.ts'
import type { State } from './open-state.ts'
import type { Ration } from './rationed.ts'
import { type Recorded, mergeRecordings, recordSources } from './record-sources.ts'
import type { Inputs, Limits, Ports, Tell } from './run.ts'

/** How a recording comes to be. */
interface Recorder {
  readonly ports: Pick<Ports, 'root' | 'elapsed' | 'signal'>
  readonly limits: Pick<Limits, 'listings'>
  readonly ration: Ration
  /** Whether lists of currencies are of use. */
  readonly hasDirectory: boolean
  readonly tell: Tell
}

/** Asks the sources, or takes what they returned to collections elsewhere. */
export async function recordingOf(
  {
    kind,
    sources,
    registry,
    now,
    recordings,
    expected = [],
  }: Pick<Inputs, 'kind' | 'sources' | 'registry' | 'now' | 'recordings' | 'expected'>,
  { previous }: Pick<State, 'previous'>,
  { ports: { root, elapsed, signal }, limits: { listings }, ration, hasDirectory, tell }: Recorder,
): Promise<Recorded> {
  if (ration.spared.length > 0) tell({ kind: 'spared', spared: ration.spared })
  const keeping = { root, all: sources, hasDirectory, now, connect: ration.connect, tell }
  if (recordings) {
    const publishedAt = previous.publishedAt === null ? null : Date.parse(previous.publishedAt)
    const recorded = await mergeRecordings(recordings, { kind, publishedAt, expected }, keeping)
    ration.count(recorded.recording.requests)
    return recorded
  }
  tell({ kind: 'asking', sources: ration.sources })
  return recordSources({
    ...keeping,
    sources: ration.sources,
    elapsed,
    signal,
    wants: (source) => wantsOf(source, { listings, registry, previous, now, profiles: ration.profiles(source) }),
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
