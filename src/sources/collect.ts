import type { Connection, Stats } from './http.ts'
import type { Observation, Pool, Profile, Quote, Rejected, Sighting, Skipped, Source, Wants } from './source.ts'
import { SourceError } from './source-error.ts'

/** What one source said, by kind. */
export interface Observed {
  readonly sightings: readonly Sighting[]
  readonly profiles: readonly Profile[]
  readonly quotes: readonly Quote[]
  readonly pools: readonly Pool[]
  readonly skipped: readonly Skipped[]
  readonly rejected: readonly Rejected[]
}

/** One source's turn: what it said, or why it said nothing that can be used. */
export interface Report extends Observed, Stats {
  readonly source: Source
  readonly error: SourceError | null
  /** Observations of its main list: everything but profiles. */
  readonly rows: number
  /** Time the turn took. */
  readonly ms: number
  /** Time of the run, in ms since 1970. */
  readonly attemptedAt: number
}

export interface CollectOptions {
  /** Time of the run, in ms since 1970. */
  readonly at: number
  /** A clock that only runs forward, in ms; not the time of day. */
  readonly now: () => number
  /** Fires when every source must have answered. */
  readonly signal: AbortSignal
  /** When one source must have answered, in ms after the first request; {@link TURN_MS} unless told. */
  readonly turnMs?: number
  /** The caller closes what it opened. */
  readonly connect: (source: Source) => Connection
  readonly wants: (source: Source) => Wants
  readonly onProgress?: (report: Report) => void
}

/** Half of a run: a source that drips must leave the others the time to be asked for past prices. */
const TURN_MS = 5 * 60_000

/** Rows of one source in one run. The longest list known has 20,000. */
const MOST_ROWS = 100_000

/**
 * Asks all sources at once, so the slowest one sets the time. A source that fails is a report with its error; nothing
 * is thrown for it. One that is silent when the signal fires is reported as `source_timeout`.
 */
export const collect = (sources: readonly Source[], options: CollectOptions): Promise<Report[]> =>
  Promise.all(
    sources.map(async (source) => {
      const report = await turn(source, options)
      options.onProgress?.(report)
      return report
    }),
  )

async function turn(
  source: Source,
  { at, now, signal, turnMs = TURN_MS, connect, wants }: CollectOptions,
): Promise<Report> {
  const start = now()
  const connection = connect(source)
  const told = (observed: Observed, error: SourceError | null): Report => {
    const { sightings, quotes, pools, skipped, rejected } = observed
    const rows = [sightings, quotes, pools, skipped, rejected].reduce((sum, list) => sum + list.length, 0)
    return { source, ...observed, error, rows, ...connection.stats, ms: now() - start, attemptedAt: at }
  }
  const late = new AbortController()
  const tooLong = new SourceError('source_timeout', `${source.id}: no answer within ${turnMs / 1000} s`)
  const timer = setTimeout(() => late.abort(tooLong), turnMs)
  try {
    const ended = AbortSignal.any([signal, late.signal])
    const observed = byKind(await before(ended, source, source.observe(connection, wants(source))), source)
    return told(observed, unusable(source, observed))
  } catch (cause) {
    // A bug in one source must not cost the others. Its text stays in the cause: it may quote the body.
    const bug = cause instanceof Error ? cause.name : typeof cause
    const error =
      cause instanceof SourceError
        ? cause
        : new SourceError('source_invalid', `${source.id}: could not be read (${bug})`, { cause })
    return told(byKind([], source), error)
  } finally {
    clearTimeout(timer)
    if (late.signal.aborted) await connection.close()
  }
}

/** What `observing` gives, unless the signal fires first. */
async function before<T>(signal: AbortSignal, source: Source, observing: Promise<T>): Promise<T> {
  const settled = new AbortController()
  const silence = new Promise<never>((_, reject) => {
    const end = new SourceError('source_timeout', `${source.id}: aborted at the end of the run`)
    // One turn of the loop later: a source that loses a request to the same signal may still hand back what it has.
    const cutOff = () => setImmediate(reject, signal.reason instanceof SourceError ? signal.reason : end)
    if (signal.aborted) cutOff()
    else signal.addEventListener('abort', cutOff, { once: true, signal: settled.signal })
  })
  try {
    return await Promise.race([observing, silence])
  } finally {
    settled.abort()
  }
}

/** @throws SourceError when there are more than any list can hold */
function byKind(observations: Iterable<Observation>, { id }: Source): Observed {
  const all: Observation[] = []
  for (const observation of observations) {
    if (all.push(observation) > MOST_ROWS) throw new SourceError('source_invalid', `${id}: more than ${MOST_ROWS} rows`)
  }
  const of = <Kind extends Observation['kind']>(kind: Kind) =>
    all.filter((observation): observation is Extract<Observation, { kind: Kind }> => observation.kind === kind)
  return {
    sightings: of('sighting'),
    profiles: of('profile'),
    quotes: of('quote'),
    pools: of('pool'),
    skipped: of('skipped'),
    rejected: of('rejected'),
  }
}

/** An answer of the right form that holds nothing to use, as an error; null when it does hold something. */
function unusable({ id, type }: Source, observed: Observed): SourceError | null {
  const { sightings, profiles, quotes, pools, skipped, rejected } = observed
  if (sightings.length + profiles.length + quotes.length + pools.length > 0) return null
  // A DEX is asked for pools of the tokens of interest, and there may be none; a list is never empty.
  const due = type === 'aggregator' || type === 'exchange'
  if (rejected.length === 0 && !due) return null
  const counts = `${rejected.length} rows unreadable, ${skipped.length} not of use`
  return new SourceError('source_invalid', `${id}: nothing usable, ${counts}`)
}
