import { group } from 'd3-array'
import { isoOf } from '../feed/time.ts'
import type { PastPrices } from '../history/past-prices.ts'
import type { Report } from '../sources/collect.ts'
import type { Source } from '../sources/source.ts'
import type { Bundle } from '../observations/bundle.ts'
import { type Observations, bundleOf } from '../observations/merge.ts'
import { wantsOf } from './enrichment.ts'
import type { CurrencyLists } from './currency-lists.ts'
import { observeBundles, observeSources } from './observe.ts'
import type { Ration } from './rationed.ts'
import { type Run, type RunReport, cadenceOf } from './run.ts'
import type { State } from './open-state.ts'

/** A run whose sources, connections and budgets are held to the quotas. */
export interface RationedRun extends Run, Pick<Ration, 'profiles' | 'withQuotas' | 'count' | 'requested'> {
  /** Every source, those that are spared in this run too. */
  readonly all: readonly Source[]
}

/** A state with what the sources said, and the time of the stages so far. */
export interface Collected extends State {
  readonly observations: Observations
  readonly reports: readonly Report[]
  readonly currencies: CurrencyLists
  readonly stages: Pick<RunReport['stages'], 'read' | 'collect' | 'feed'>
}

/** What the sources said, to this process or to others. */
export async function observe(run: RationedRun, { previous }: State) {
  const observing = {
    ...run,
    hasDirectory: run.known !== undefined,
    wants: (source: Source) => wantsOf(source, { ...run, previous, profiles: run.profiles(source) }),
  }
  if (!run.bundles) return observeSources(observing)
  const publishedAt = previous.publishedAt === null ? null : Date.parse(previous.publishedAt)
  const observed = await observeBundles(observing, run.bundles, publishedAt)
  run.count(observed.observations.requests)
  return observed
}

/** The observations with past prices, which are observed after the feed. */
export function withPast(observations: Observations, { answers }: PastPrices): Observations {
  const past = group(answers, ({ source_id }) => source_id)
  const rows = new Map(
    observations.facts.map(({ source_id }) => [
      source_id,
      [
        ...(observations.rows.get(source_id) ?? []).filter(({ kind }) => kind !== 'past'),
        ...(past.get(source_id) ?? []),
      ],
    ]),
  )
  return { ...observations, rows }
}

/** Returns what a run observed as a bundle. */
export const bundleIn = (run: RationedRun, { facts, rows }: Observations): Bundle =>
  bundleOf(
    { facts: facts.map((own) => ({ ...own, requests: run.requested(own.source_id) })), rows },
    {
      run: isoOf(run.now),
      kind: run.kind,
      commit: run.commit ?? null,
      clock: run.now,
      cadence_ms: cadenceOf(run),
      region: null,
    },
  )
