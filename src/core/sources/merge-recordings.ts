import type { Ms } from '../contract/time.ts'
import { greatest, group, max, rollup, sort, sum } from 'd3-array'
import { by } from '../contract/order.ts'
import type { SourcesKind } from '../contract/product.ts'
import {
  BUNDLE_FORMAT,
  BUNDLE_VERSION,
  type BundleSource,
  type ObservationRow,
  type PastRow,
} from '../contract/observations.ts'
import { type Report, reportOf } from './collect.ts'
import { sorted } from './rows.ts'
import { SourceError } from './source-error.ts'
import type { Source } from './source.ts'
import { type Bundle, type BundleRead, BundleError } from './bundle.ts'

export interface Recording {
  readonly reports: readonly Report[]
  readonly facts: readonly BundleSource[]
  readonly rows: ReadonlyMap<string, readonly ObservationRow[]>
  readonly requests: ReadonlyMap<string, number>
  readonly refused: readonly { readonly name: string; readonly message: string }[]
}

export interface Merging {
  readonly sources: readonly Source[]
  readonly kind: SourcesKind
  readonly publishedAt: Ms | null
  readonly now: Ms
}

/** Returns the clock of a run over bundles, that of the newest, so that equal bundles give an equal run; null: none. */
export function clockOf(bundles: readonly BundleRead[], kind: SourcesKind, wallNow: Ms): number | null {
  const headers = bundles.flatMap(({ result }) => (result instanceof BundleError ? [] : result.header))
  const own = headers.filter((header) => header.kind === kind && header.clock <= wallNow + SKEW_MS)
  return max(own, ({ clock }) => clock) ?? null
}

const SKEW_MS = 5 * 60_000

export function mergeBundles(read: readonly BundleRead[], merging: Merging): Recording {
  const judged = distinct(read).map(({ name, result }) => ({ name, result: judge(result, merging) }))
  const good = judged.flatMap(({ result }) => (result instanceof BundleError ? [] : [result]))
  const refused = judged.flatMap(({ name, result }) => (result instanceof BundleError ? [{ name, error: result }] : []))
  const headers = judged.flatMap(({ result: { header } }) => header ?? [])
  const ids = new Set(headers.flatMap(({ expected, sources }) => [...expected, ...sources.map((one) => one.source_id)]))
  const past = group(newestPast(good), ({ source_id }) => source_id)
  const merged = merging.sources
    .filter(({ id }) => ids.has(id))
    .map((source) => {
      const { facts, rows: own } = mergedSource(source, good) ?? {
        facts: factsOf(source, { clock: merging.now, error: lossOf(source, refused) }),
        rows: [],
      }
      const rows = sorted([...own.filter(({ kind }) => kind !== 'past'), ...(past.get(source.id) ?? [])])
      return { report: reported(source, facts, own), facts: { ...facts, rows: rows.length }, rows }
    })
  return {
    reports: merged.map(({ report }) => report),
    facts: merged.map(({ facts }) => facts),
    rows: new Map(merged.map(({ facts, rows }) => [facts.source_id, rows])),
    requests: rollup(
      good.flatMap(({ header }) => header.sources),
      (own) => sum(own, ({ requests }) => requests),
      ({ source_id }) => source_id,
    ),
    refused: refused.map(({ name, error: { message } }) => ({ name, message })),
  }
}

const distinct = (read: readonly BundleRead[]): BundleRead[] =>
  [...new Map(read.map((one) => [one.name, one])).values()].toSorted(by((row) => row.name))

function judge(result: Bundle | BundleError, { kind, publishedAt, now }: Merging): Bundle | BundleError {
  if (result instanceof BundleError) return result
  const { header } = result
  const time = (ms: Ms) => new Date(ms).toISOString()
  if (header.kind !== kind)
    return new BundleError(`it is of ${header.kind} sources and the run is of ${kind} ones`, header)
  if (header.clock > now) return new BundleError(`its clock ${time(header.clock)} is after that of the run`, header)
  if (publishedAt !== null && header.clock < publishedAt)
    return new BundleError(
      `its clock ${time(header.clock)} is before the last publication, ${time(publishedAt)}`,
      header,
      'source_stale',
    )
  return result
}

/** Returns the newest good answer of a source, or else the newest; of equal ones that of the first name. */
function mergedSource({ id }: Source, good: readonly Bundle[]) {
  const answers = good.flatMap(({ header, rows }) => {
    const facts = header.sources.find(({ source_id }) => source_id === id)
    return facts?.listed ? [{ facts, rows: rows.get(id) ?? [] }] : []
  })
  const newest = (of: typeof answers) => greatest(of, ({ facts }) => facts.clock)
  return newest(answers.filter(({ facts }) => facts.error === null)) ?? newest(answers) ?? null
}

function lossOf({ id }: Source, refused: readonly { readonly error: BundleError }[]): BundleSource['error'] {
  const names = ({ header }: BundleError) => header?.sources.some(({ source_id }) => source_id === id)
  const own = refused.find(({ error }) => names(error))?.error
  if (!own) return { code: 'source_unreachable', message: `${id}: no recording of it arrived` }
  return { code: own.code, message: `${id}: its recording is refused: ${own.message}` }
}

export const factsOf = ({ id, rights, pace }: Source, given: Partial<BundleSource> & Pick<BundleSource, 'clock'>) => ({
  source_id: id,
  rights: rights.class,
  listed: true,
  error: null,
  requests: 0,
  pace: { requests: pace.requests, perSeconds: pace.perSeconds },
  rows: 0,
  currencies: false,
  profiles_missing: [],
  ...given,
})

function reported(source: Source, { error, requests, clock }: BundleSource, rows: readonly ObservationRow[]): Report {
  const listed = rows.filter(({ kind }) => !['past', 'currency', 'day-rates'].includes(kind))
  const stats = { requests, retries: 0, bytes: 0, ms: 0, attemptedAt: clock }
  return reportOf(source, listed, { ...stats, error: error && new SourceError(error.code, error.message) })
}

/** The past prices of all bundles: of two answers for one gap the newest, of equal ones that of the first name. */
function newestPast(bundles: readonly Bundle[]): PastRow[] {
  const oldestFirst = sort(bundles.toReversed(), ({ header }) => header.clock)
  const rows = oldestFirst.flatMap((bundle) => [...bundle.rows.values()].flat()).filter((row) => row.kind === 'past')
  return [...new Map(rows.map((row) => [pastKey(row), row] as const)).values()]
}

/** What distinguishes past prices: a market fills a gap once. */
export const pastKey = ({ slug, days, source_id, market }: Omit<PastRow, 'bars'>): string =>
  `${slug} ${String(days).padStart(3, '0')} ${source_id} ${market}`

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
})
