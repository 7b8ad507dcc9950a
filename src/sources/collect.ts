import type { Connection, Stats } from './http.ts'
import type {
  Observation,
  Pool,
  Profile,
  Quote,
  Reference,
  Rejected,
  Sighting,
  Skipped,
  Source,
  Wants,
} from './source.ts'
import { SourceError } from './source-error.ts'

/** The observations of one source, by kind. */
export interface Observed {
  readonly sightings: readonly Sighting[]
  readonly profiles: readonly Profile[]
  readonly quotes: readonly Quote[]
  readonly pools: readonly Pool[]
  readonly references: readonly Reference[]
  readonly skipped: readonly Skipped[]
  readonly rejected: readonly Rejected[]
}

/** The result of asking one source: its observations, or the error if there are none to use. */
export interface Report extends Observed, Stats {
  readonly source: Source
  readonly error: SourceError | null
  /** Number of observations except profiles. */
  readonly rows: number
  /** Duration of the request. */
  readonly ms: number
  /** Time of the run, in ms since 1970. */
  readonly attemptedAt: number
}

export interface CollectOptions {
  /** Time of the run, in ms since 1970. */
  readonly at: number
  /** A clock that only runs forward, in ms; not the time of day. */
  readonly now: () => number
  /** Aborts when every source must have answered. */
  readonly signal: AbortSignal
  /** Time limit of one source; {@link TURN_MS} by default. */
  readonly turnMs?: number
  /** Opens a connection, which the caller closes. */
  readonly connect: (source: Source) => Connection
  readonly wants: (source: Source) => Wants
  readonly onProgress?: (report: Report) => void
}

/** Half of a run, so that a slow source leaves time to ask the others for past prices. */
const TURN_MS = 5 * 60_000

/** Maximum number of rows of one source in one run. The longest known list has 20,000. */
export const MOST_ROWS = 100_000

/**
 * Asks all sources in parallel and returns a report of each. The failure of a source is in its report and never thrown. A
 * source that has not answered when the signal aborts is reported as `source_timeout`.
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
  const reportOf = (observed: Observed, error: SourceError | null): Report => {
    const { sightings, quotes, pools, references, skipped, rejected } = observed
    const rows = [sightings, quotes, pools, references, skipped, rejected].reduce((sum, list) => sum + list.length, 0)
    return { source, ...observed, error, rows, ...connection.stats, ms: now() - start, attemptedAt: at }
  }
  const late = new AbortController()
  const tooLong = new SourceError('source_timeout', `${source.id}: no answer within ${turnMs / 1000} s`)
  const timer = setTimeout(() => late.abort(tooLong), turnMs)
  try {
    const ended = AbortSignal.any([signal, late.signal])
    const wanted = wants(source)
    const observed = byKind(await before(ended, source, source.observe(connection, wanted)), source)
    return reportOf(observed, unusable(source, observed, connection.stats.requests > 0 ? wanted.tokens.length : 0))
  } catch (cause) {
    // A bug in one source must not affect the others. Its message may quote the body, so it is only in the cause.
    const bug = cause instanceof Error ? cause.name : typeof cause
    const error =
      cause instanceof SourceError
        ? cause
        : new SourceError('source_invalid', `${source.id}: could not be read (${bug})`, { cause })
    return reportOf(byKind([], source), error)
  } finally {
    clearTimeout(timer)
    if (late.signal.aborted) await connection.close()
  }
}

/** Settles as `observing` does, or rejects with `source_timeout` if the signal aborts first. */
async function before<T>(signal: AbortSignal, source: Source, observing: Promise<T>): Promise<T> {
  const settled = new AbortController()
  const silence = new Promise<never>((_, reject) => {
    const end = new SourceError('source_timeout', `${source.id}: aborted at the end of the run`)
    // One turn of the event loop later, because a source may still return what it has when its request is aborted.
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

/** Groups observations by kind. @throws SourceError if there are more than {@link MOST_ROWS} */
export function byKind(observations: Iterable<Observation>, { id }: Pick<Source, 'id'>): Observed {
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
    references: of('reference'),
    skipped: of('skipped'),
    rejected: of('rejected'),
  }
}

/** Tokens of which a price service must know one: a few may be unknown to it. */
const LEAST_KNOWN = 50

/**
 * Returns the error of a valid answer without usable rows, or null.
 *
 * @param tokens number of tokens that it was asked about
 */
export function unusable(
  { id, type }: Pick<Source, 'id' | 'type'>,
  observed: Observed,
  tokens = 0,
): SourceError | null {
  const { sightings, profiles, quotes, pools, references, skipped, rejected } = observed
  if ([sightings, profiles, quotes, pools, references].some(({ length }) => length > 0)) return null
  // A DEX may have no pools of the requested tokens, but a list is never empty, nor are the prices of many tokens.
  const due = type === 'aggregator' || type === 'exchange' || (type === 'reference' && tokens >= LEAST_KNOWN)
  if (rejected.length === 0 && !due) return null
  const counts = `${rejected.length} rows unreadable, ${skipped.length} not of use`
  return new SourceError('source_invalid', `${id}: nothing usable, ${counts}`)
}
