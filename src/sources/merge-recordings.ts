import { group } from 'd3-array'
import { by } from '../contract/order.ts'
import type { SourcesKind } from '../contract/product.ts'
import {
  BUNDLE_FORMAT,
  BUNDLE_VERSION,
  type BundleSource,
  type ObservationRow,
  type PastRow,
} from '../contract/observations.ts'
import type { SourceErrorCode } from '../contract/words.ts'
import { type Report, reportOf } from './collect.ts'
import { sorted } from './rows.ts'
import { SourceError } from './source-error.ts'
import type { Source } from './source.ts'
import { type Bundle, BundleError, type BundleProblem } from './bundle.ts'
import { type Disagreement, agreeing } from './disagreement.ts'

/** A bundle as it was read: its observations, or why there are none. */
export interface BundleRead {
  readonly name: string
  readonly result: Bundle | BundleError
}

/** What the sources of a run returned, in however many collections. */
export interface Recording {
  /** What the run's sources said, in the order of the sources. */
  readonly reports: readonly Report[]
  /** Facts of each source as a bundle has them, in the same order. */
  readonly facts: readonly BundleSource[]
  /** All rows by source, sorted. */
  readonly rows: ReadonlyMap<string, readonly ObservationRow[]>
  /** Requests that count against the quota of a source, of all collections. */
  readonly requests: ReadonlyMap<string, number>
  readonly disagreements: readonly Disagreement[]
  /** Bundles that could not be used. */
  readonly refused: readonly { readonly name: string; readonly problem: BundleProblem; readonly message: string }[]
}

/** Arguments of {@link mergeBundles}. */
export interface Merging {
  /** Known sources. If several report the same member, the first in this list is used. */
  readonly sources: readonly Source[]
  readonly kind: SourcesKind
  /** Clock of the last publication, in ms since 1970; null: there is none. */
  readonly publishedAt: number | null
  /** Clock of the run, in ms since 1970. */
  readonly now: number
  /** Ids of sources that the run must have, besides those that the bundles expect. */
  readonly expected?: readonly string[]
}

/** A bundle whose clock is this many cadences before that of the newest is late. */
const LATE_CADENCES = 2

/**
 * Returns the clock of a run over bundles: that of the newest, so that equal bundles give an equal run. Bundles of
 * another kind, and those from the future of this machine, do not count. Null: there is no bundle.
 *
 * @param wallNow time of the machine, in ms since 1970
 */
export function clockOf(bundles: readonly BundleRead[], kind: SourcesKind, wallNow: number): number | null {
  const clocks = bundles.flatMap(({ result }) =>
    result instanceof BundleError || result.header.kind !== kind || result.header.clock > wallNow + SKEW_MS
      ? []
      : [result.header.clock],
  )
  return clocks.length === 0 ? null : Math.max(...clocks)
}

/** How far the clock of a collector may be ahead. */
const SKEW_MS = 5 * 60_000

/**
 * Merges bundles into the recording of one run. Neither their order, nor how they divide the sources, nor that some are
 * there twice makes a difference. A bundle that cannot be used makes its sources fail, never the run.
 */
export function mergeBundles(read: readonly BundleRead[], merging: Merging): Recording {
  const judged = distinct(read).map(({ name, result }) => ({ name, result: judge(result, merging) }))
  const good = judged.flatMap(({ name, result }) => (result instanceof BundleError ? [] : [{ name, bundle: result }]))
  const refused = judged.flatMap(({ name, result }) =>
    result instanceof BundleError
      ? [{ name, problem: result.problem, message: result.message, header: result.header }]
      : [],
  )
  const ids = new Set([
    ...(merging.expected ?? []),
    ...good.flatMap(({ bundle: { header } }) => [
      ...header.expected,
      ...header.sources.map(({ source_id }) => source_id),
    ]),
    ...refused.flatMap(({ header }) => [
      ...(header?.expected ?? []),
      ...(header?.sources ?? []).map(({ source_id }) => source_id),
    ]),
  ])
  const merged = merging.sources
    .filter(({ id }) => ids.has(id))
    .map((source) => mergedSource(source, good, refused, merging))
  const past = pastOf(
    good.map(({ bundle }) => bundle),
    new Set(merging.sources.map(({ id }) => id)),
  )
  const pastBySource = group(past, ({ source_id }) => source_id)
  const rows = new Map(
    merged.map(({ source: { id }, rows: own }) => [
      id,
      sorted([...own.filter(({ kind }) => kind !== 'past'), ...(pastBySource.get(id) ?? [])]),
    ]),
  )
  return {
    reports: merged.map(({ report }) => report),
    facts: merged.map(({ source: { id }, facts }) => ({ ...facts, rows: rows.get(id)?.length ?? 0 })),
    rows,
    requests: requestsOf(good.map(({ bundle }) => bundle)),
    disagreements: merged.flatMap(({ disagreement }) => disagreement ?? []),
    refused: refused.map(({ name, problem, message }) => ({ name, problem, message })),
  }
}

/** Each bundle once, in the order of their names. The name ends in the digest, so equal names are equal bundles. */
const distinct = (read: readonly BundleRead[]): BundleRead[] =>
  [...new Map(read.map((one) => [one.name, one])).values()].toSorted(by((row) => row.name))

/** Refuses a bundle that is no part of this run. */
function judge(result: Bundle | BundleError, { kind, publishedAt, now }: Merging): Bundle | BundleError {
  if (result instanceof BundleError) return result
  const { header } = result
  const refusal = (problem: BundleProblem, message: string) => new BundleError(problem, message, header)
  const time = (ms: number) => new Date(ms).toISOString()
  if (header.kind !== kind)
    return refusal('other_kind', `it is of ${header.kind} sources and the run is of ${kind} ones`)
  if (header.clock > now) return refusal('from_the_future', `its clock ${time(header.clock)} is after that of the run`)
  if (publishedAt !== null && header.clock < publishedAt)
    return refusal(
      'older_than_publication',
      `its clock ${time(header.clock)} is before the last publication, ${time(publishedAt)}`,
    )
  if (now - header.clock > LATE_CADENCES * header.cadence_ms)
    return refusal('late', `its clock ${time(header.clock)} is more than ${LATE_CADENCES} runs before the newest`)
  return result
}

type Good = { readonly name: string; readonly bundle: Bundle }
type Refused = {
  readonly name: string
  readonly problem: BundleProblem
  readonly message: string
  readonly header: Bundle['header'] | null
}

/** What all bundles together have of one source. */
interface MergedSource {
  readonly source: Source
  readonly report: Report
  readonly facts: BundleSource
  readonly rows: readonly ObservationRow[]
  readonly disagreement: Disagreement | null
}

function mergedSource(
  source: Source,
  good: readonly Good[],
  refused: readonly Refused[],
  { now }: Merging,
): MergedSource {
  const offers = good
    .flatMap(({ name, bundle }) => {
      const facts = bundle.header.sources.find(({ source_id }) => source_id === source.id)
      if (!facts?.listed) return []
      const why = bundle.unusable.get(source.id)
      const error =
        why === undefined ? facts.error : { code: 'source_invalid' as const, message: `${source.id}: ${why}` }
      return [{ name, facts: { ...facts, error }, rows: why === undefined ? (bundle.rows.get(source.id) ?? []) : [] }]
    })
    // The newest good answer first; of equal ones that of the first name, so that the order of bundles does not matter.
    .toSorted(
      (a, b) =>
        Number(a.facts.error !== null) - Number(b.facts.error !== null) ||
        b.facts.clock - a.facts.clock ||
        (a.name < b.name ? -1 : 1),
    )
  const [best, ...others] = offers
  if (!best) return failed(source, now, lossOf(source, refused))
  const witnesses = others.flatMap(({ facts, rows }) => (facts.error === null ? [rows] : []))
  const { rows, disagreement } = agreeing(source.id, best.rows, witnesses)
  const found = disagreement && {
    rows: disagreement.rows,
    median_bp: disagreement.median_bp,
    max_bp: disagreement.max_bp,
  }
  const facts = { ...best.facts, rows: rows.length, disagreement: found ?? best.facts.disagreement }
  return {
    ...reported(source, facts, rows),
    disagreement: facts.disagreement && { source_id: source.id, ...facts.disagreement },
  }
}

/** Why no bundle has a source. */
function lossOf({ id }: Source, refused: readonly Refused[]): { code: SourceErrorCode; message: string } {
  const own = refused.find(({ header }) => header?.sources.some(({ source_id }) => source_id === id))
  if (!own) return { code: 'source_unreachable', message: `${id}: no recording of it arrived` }
  const isOld = own.problem === 'late' || own.problem === 'older_than_publication'
  return { code: isOld ? 'source_stale' : 'source_invalid', message: `${id}: its recording is refused: ${own.message}` }
}

/** What a source is that did not answer. */
const failed = (source: Source, now: number, error: NonNullable<BundleSource['error']>): MergedSource => ({
  ...reported(source, factsOf(source, { clock: now, error }), []),
  disagreement: null,
})

/** Returns the facts of a source as a bundle has them. */
export const factsOf = (
  { id, rights, pace }: Source,
  given: Partial<BundleSource> & Pick<BundleSource, 'clock'>,
): BundleSource => ({
  source_id: id,
  rights: rights.class,
  listed: true,
  error: null,
  requests: 0,
  pace: { requests: pace.requests, perSeconds: pace.perSeconds },
  rows: 0,
  currencies: false,
  profiles_missing: [],
  disagreement: null,
  ...given,
})

/** Whether a row is of the list of its source, which the feed reads. */
const isOfList = ({ kind }: ObservationRow): boolean => !['past', 'currency', 'day-rates'].includes(kind)

/** Returns the rows of a source with these facts as the feed reads them. */
const reported = (source: Source, facts: BundleSource, rows: readonly ObservationRow[]) => ({
  source,
  facts,
  rows,
  report: reportOf(source, rows.filter(isOfList), {
    error: facts.error && new SourceError(facts.error.code, facts.error.message),
    requests: facts.requests,
    retries: 0,
    bytes: 0,
    ms: 0,
    attemptedAt: facts.clock,
  }),
})

/** The past prices of all bundles: of two answers for one gap the newest, sorted. */
function pastOf(bundles: readonly Bundle[], known: ReadonlySet<string>): PastRow[] {
  const newest = new Map<string, { readonly clock: number; readonly row: PastRow }>()
  for (const { header, rows } of bundles)
    for (const row of [...rows.values()].flat()) {
      if (row.kind !== 'past' || !known.has(row.source_id)) continue
      const key = pastKey(row)
      const old = newest.get(key)
      if (!old || header.clock > old.clock) newest.set(key, { clock: header.clock, row })
    }
  return sortedPast([...newest.values()].map(({ row }) => row))
}

/** What distinguishes past prices: a market fills a gap once. */
export const pastKey = ({ slug, days, source_id, market }: PastRow): string =>
  `${slug} ${String(days).padStart(3, '0')} ${source_id} ${market}`

/** Returns past prices in the order in which they are merged. */
export const sortedPast = (rows: readonly PastRow[]): PastRow[] =>
  rows
    .map((row) => ({ row, key: pastKey(row) }))
    .toSorted(by((row) => row.key))
    .map(({ row }) => row)

function requestsOf(bundles: readonly Bundle[]): Map<string, number> {
  const requests = new Map<string, number>()
  for (const { header } of bundles)
    for (const { source_id, requests: own } of header.sources)
      requests.set(source_id, (requests.get(source_id) ?? 0) + own)
  return requests
}

/** Returns the observations of a run as one bundle. */
export const bundleOf = (
  { facts, rows }: Pick<Recording, 'facts' | 'rows'>,
  header: Omit<Bundle['header'], 'format' | 'version' | 'sources' | 'expected'>,
): Bundle => ({
  header: {
    format: BUNDLE_FORMAT,
    version: BUNDLE_VERSION,
    ...header,
    expected: facts.map(({ source_id }) => source_id),
    sources: facts.map((own) => ({ ...own, rows: rows.get(own.source_id)?.length ?? 0 })),
  },
  rows,
  unusable: new Map(),
})
