import type { Ms } from '../contract/time.ts'
import type { Connection, Stats } from './http.ts'
import type { LeftOutRow, ObservationRow, Pool, Profile, Quote, Reference, Sighting } from '../contract/observations.ts'
import { rowsOf } from './rows.ts'
import type { Source, Wants } from './source.ts'
import { SourceError, untilAborted } from './source-error.ts'

interface RowsByKind {
  readonly sightings: readonly Sighting[]
  readonly profiles: readonly Profile[]
  readonly quotes: readonly Quote[]
  /** Quotes of shares of companies, which are no listings. */
  readonly stocks: readonly Quote[]
  readonly pools: readonly Pool[]
  readonly references: readonly Reference[]
  readonly skipped: readonly LeftOut[]
  readonly rejected: readonly LeftOut[]
}

type LeftOut = Pick<LeftOutRow, 'reason' | 'count'>

export interface Report extends RowsByKind, Stats {
  readonly source: Source
  readonly recorded: readonly ObservationRow[]
  readonly error: SourceError | null
  readonly rows: number
  readonly ms: Ms
  readonly attemptedAt: Ms
}

export const countOf = (left: readonly LeftOut[]): number => left.reduce((sum, { count }) => sum + count, 0)

/** Returns the report of a source with these rows, which was asked about a number of `tokens`. */
export function reportOf(
  source: Source,
  recorded: readonly ObservationRow[],
  given: Stats & Pick<Report, 'error' | 'ms' | 'attemptedAt'>,
  tokens = 0,
): Report {
  const kinds = byKind(recorded)
  const { sightings, quotes, pools, references, skipped, rejected } = kinds
  const rows = [sightings, quotes, pools, references].reduce((sum, list) => sum + list.length, 0)
  return {
    source,
    recorded,
    ...kinds,
    ...given,
    error: given.error ?? unusable(source, kinds, tokens),
    rows: rows + countOf(skipped) + countOf(rejected),
  }
}

export interface CollectOptions {
  readonly at: Ms
  readonly now: () => number
  readonly signal: AbortSignal
  readonly turnMs?: number
  readonly connect: (source: Source) => Connection
  readonly wants: (source: Source) => Wants
  readonly onProgress?: (report: Report) => void
}

/** Half of a run, so that a slow source leaves time to ask the others for past prices. */
const TURN_MS = 5 * 60_000

/** Asks all sources in parallel. A failure is in its report and never thrown; no answer is `source_timeout`. */
export const collect = (sources: readonly Source[], options: CollectOptions): Promise<Report[]> =>
  Promise.all(
    sources.map(async (source) => {
      const report = await turn(source, options)
      options.onProgress?.(report)
      return report
    }),
  )

async function turn(source: Source, { at, now, signal, turnMs = TURN_MS, connect, wants }: CollectOptions) {
  const start = now()
  const connection = connect(source)
  const given = (error: SourceError | null) => ({ ...connection.stats, error, ms: now() - start, attemptedAt: at })
  const late = new AbortController()
  const tooLong = new SourceError('source_timeout', `${source.id}: no answer within ${turnMs / 1000} s`)
  const timer = setTimeout(() => late.abort(tooLong), turnMs)
  try {
    const ended = AbortSignal.any([signal, late.signal])
    const wanted = wants(source)
    const observed = await untilAborted(source.observe(connection, wanted), ended, source.id)
    const rows = rowsOf(source.id, observed)
    return reportOf(source, rows, given(null), connection.stats.requests > 0 ? wanted.tokens.length : 0)
  } catch (cause) {
    // A bug in one source must not affect the others. Its message may quote the body, so it is only in the cause.
    const bug = cause instanceof Error ? cause.name : typeof cause
    const error =
      cause instanceof SourceError
        ? cause
        : new SourceError('source_invalid', `${source.id}: could not be read (${bug})`, { cause })
    return reportOf(source, [], given(error))
  } finally {
    clearTimeout(timer)
    if (late.signal.aborted) await connection.close()
  }
}

function byKind(rows: readonly ObservationRow[]): RowsByKind {
  const of = <Kind extends ObservationRow['kind']>(kind: Kind) =>
    rows.filter((row): row is Extract<ObservationRow, { kind: Kind }> => row.kind === kind)
  return {
    sightings: of('sighting'),
    profiles: of('profile'),
    quotes: of('quote').filter(({ stock }) => !stock),
    stocks: of('quote').filter(({ stock }) => stock),
    pools: of('pool'),
    references: of('reference'),
    skipped: of('skipped'),
    rejected: of('rejected'),
  }
}

/** Tokens of which a price service must know one: a few may be unknown to it. */
const LEAST_KNOWN = 50

function unusable({ id, type }: Source, kinds: RowsByKind, tokens: number): SourceError | null {
  const { sightings, profiles, quotes, pools, references, skipped, rejected } = kinds
  if ([sightings, profiles, quotes, pools, references].some(({ length }) => length > 0)) return null
  // A DEX may have no pools of the requested tokens, but a list is never empty, nor are the prices of many tokens.
  const due = type === 'aggregator' || type === 'exchange' || (type === 'reference' && tokens >= LEAST_KNOWN)
  if (rejected.length === 0 && !due) return null
  const counts = `${countOf(rejected)} rows unreadable, ${countOf(skipped)} not of use`
  return new SourceError('source_invalid', `${id}: nothing usable, ${counts}`)
}
