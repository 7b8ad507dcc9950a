import type { SourcesKind } from '../contract/product.ts'
import { isoOf } from '../contract/time.ts'
import { type BundleRead, type Merging, type Recording, factsOf, mergeBundles } from '../sources/merge-recordings.ts'
import { type CollectOptions, collect } from '../sources/collect.ts'
import type { Source, Wants } from '../sources/source.ts'
import { type CurrencyLists, StoredList, currencyLists } from './currency-lists.ts'
import { readKept, writeKept } from './kept-state.ts'
import { RefusedProfiles } from './refused-profiles.ts'
import type { Tell } from './run.ts'

/** What sources returned, and the lists of currencies that are known of them. */
export interface Recorded {
  readonly recording: Recording
  readonly currencies: CurrencyLists['lists']
}

/** Where lists of currencies and refused profiles are kept between runs, and of which sources. */
export interface Keeping {
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
export interface Asking extends Keeping {
  /** Sources that are asked. */
  readonly sources: readonly Source[]
  readonly elapsed: () => number
  readonly signal: AbortSignal
  /** What to request from a source besides its list. */
  readonly wants: (source: Source) => Wants
}

/** Asks the sources in this process. */
export async function recordSources(asking: Asking): Promise<Recorded> {
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
export async function mergeRecordings(
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
