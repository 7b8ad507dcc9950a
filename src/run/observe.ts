import { byKey } from '../contract/order.ts'
import { isoOf } from '../contract/time.ts'
import type { SourcesKind } from '../contract/product.ts'
import { type BundleRead, type Observations, factsOf, mergeBundles, reported } from '../observations/merge.ts'
import { observedIn, rowsOf } from '../observations/rows.ts'
import { type CollectOptions, type Report, collect } from '../sources/collect.ts'
import type { Currency, Source, Wants } from '../sources/source.ts'
import { type CurrencyLists, StoredList, currencyLists } from './currency-lists.ts'
import { readKept, writeKept } from './kept-state.ts'
import { RefusedProfiles } from './refused-profiles.ts'
import type { Tell } from './run.ts'

/** What the sources of a run said. */
export interface Observed {
  readonly observations: Observations
  readonly currencies: CurrencyLists
}

/** What observing takes. */
export interface Observing {
  readonly root: string
  readonly kind: SourcesKind
  /** Sources that are asked. */
  readonly sources: readonly Source[]
  /** Every source of the run, those that are spared in it too. */
  readonly all: readonly Source[]
  /** Whether lists of currencies are of use. */
  readonly hasDirectory: boolean
  readonly now: number
  readonly elapsed: () => number
  readonly signal: AbortSignal
  readonly connect: CollectOptions['connect']
  /** What to request from a source besides its list. */
  readonly wants: (source: Source) => Wants
  /** Ids of sources that some recording must have, besides those that the recordings expect. */
  readonly expected?: readonly string[] | undefined
  readonly tell: Tell
}

/** Asks the sources in this process. */
export async function observeSources(run: Observing): Promise<Observed> {
  const refused = new RefusedProfiles(run.root, run.now)
  const reports = await collect(run.sources, {
    at: run.now,
    now: run.elapsed,
    signal: run.signal,
    connect: run.connect,
    wants: (source) => {
      const wants = run.wants(source)
      const open = (ids: readonly string[]) => ids.filter((id) => !refused.has(source.id, id))
      return { ...wants, profiles: (ids) => refused.request(source.id, wants.profiles(open(ids))) }
    },
    onProgress: (report) => run.tell({ kind: 'answered', report }),
  })
  const lists = await currencyLists({
    sources: run.hasDirectory ? reports.flatMap(({ source, error }) => (error === null ? [source] : [])) : [],
    keep: keptBy(run),
    read: (id) => readKept(run.root, `currencies-${id}`, StoredList),
    connect: run.connect,
    now: run.now,
  })
  const missing = refused.missing(reports)
  refused.save(missing)
  return observed(run, { reports, lists, missing })
}

/** What the sources said, each in its own words. */
interface Said {
  readonly reports: readonly Report[]
  readonly lists: CurrencyLists
  /** Profiles that were requested and not given, by source. */
  readonly missing: ReadonlyMap<string, readonly string[]>
}

/** Returns what sources said in the form of a bundle, so that it makes no difference whether it was one. */
function observed(run: Observing, { reports, lists, missing }: Said): Observed {
  const at = isoOf(run.now)
  const fetched = new Map(
    lists.requested.flatMap(({ source_id, fetched_at, rows }) =>
      fetched_at === at ? [[source_id, rows] as const] : [],
    ),
  )
  const merged = reports.map((report) => {
    const { source, error, requests } = report
    const list = fetched.get(source.id) ?? null
    const rows = rowsOf(source.id, { observed: report, currencies: list })
    const facts = factsOf(source, {
      clock: run.now,
      error: error && { code: error.code, message: error.message.slice(0, 600) },
      requests,
      rows: rows.length,
      currencies: list !== null,
      profiles_missing: [...(missing.get(source.id) ?? [])],
    })
    const { report: canonical } = reported(source, facts, rows)
    const { retries, bytes, ms } = report
    return { id: source.id, facts, rows, report: { ...canonical, error: error ?? canonical.error, retries, bytes, ms } }
  })
  const currencies = new Map(
    merged.flatMap(({ id, rows, facts }) =>
      facts.currencies ? [[id, { at: run.now, rows: observedIn(id, rows).currencies }] as const] : [],
    ),
  )
  for (const list of lists.requested)
    keepList(run.root, { ...list, rows: [...(currencies.get(list.source_id)?.rows ?? list.rows)] })
  return {
    observations: {
      reports: merged.map(({ report }) => report),
      facts: merged.map(({ facts }) => facts),
      currencies,
      past: [],
      rows: new Map(merged.map(({ id, rows }) => [id, rows])),
      requests: new Map(),
      disagreements: [],
      refused: [],
    },
    currencies: withLists(lists, currencies),
  }
}

/** Takes the observations of a run from bundles. Nothing is requested. */
export async function observeBundles(
  run: Observing,
  bundles: readonly BundleRead[],
  publishedAt: number | null,
): Promise<Observed> {
  const { all: sources, kind, now, expected = [] } = run
  const observations = mergeBundles(bundles, { sources, kind, publishedAt, now, expected })
  const lists = await currencyLists({
    sources: [],
    keep: keptBy(run),
    read: (id) => readKept(run.root, `currencies-${id}`, StoredList),
    connect: run.connect,
    now: run.now,
  })
  if (run.hasDirectory)
    for (const [source_id, { at, rows }] of observations.currencies)
      keepList(run.root, { source_id, fetched_at: isoOf(at), attempted_at: isoOf(at), rows: [...rows] })
  new RefusedProfiles(run.root, run.now).save(
    new Map(observations.facts.map(({ source_id, profiles_missing }) => [source_id, profiles_missing])),
  )
  for (const report of observations.reports) run.tell({ kind: 'answered', report })
  return { observations, currencies: withLists(lists, run.hasDirectory ? observations.currencies : new Map()) }
}

/** Ids of the sources whose lists of currencies are kept. */
const keptBy = ({ hasDirectory, all }: Observing): string[] =>
  hasDirectory ? all.flatMap(({ id, currencies }) => (currencies ? [id] : [])) : []

const keepList = (root: string, list: StoredList): void => writeKept(root, `currencies-${list.source_id}`, list)

/** Returns the lists of a run with those that are new, in an order that does not depend on which are. */
const withLists = (
  lists: CurrencyLists,
  fresh: ReadonlyMap<string, { readonly rows: readonly Currency[] }>,
): CurrencyLists => {
  const all = new Map([
    ...lists.lists,
    ...[...fresh].map(([id, { rows }]) => [id, new Map(rows.map((row) => [row.symbol, row] as const))] as const),
  ])
  return { ...lists, lists: new Map([...all].toSorted(byKey)) }
}
