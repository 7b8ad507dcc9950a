import type * as z from 'zod'
import type { CollectorMembers, ReferenceRate, SourceRow } from '../contract/collector.ts'
import type { DexPair } from '../contract/dex-pair.ts'
import type { RateDependence } from '../feed/price.ts'
import { rateDependence } from '../feed/rate-dependence.ts'
import { type Heard, heardAmong } from '../feed/rank.ts'

/** The inputs of a listing's figures besides its own documents. */
export interface RunFacts {
  /** Time of the run, as published and in ms since 1970. */
  readonly at: string
  readonly now: number
  readonly rates: ReadonlyMap<string, ReferenceRate>
  readonly dependence: RateDependence
  readonly sources: ReadonlyMap<string, SourceRow>
  /** The sources by the label that their figures have. */
  readonly byLabel: ReadonlyMap<string, SourceRow>
  /** Venues distrusted by the run, by `source_id`. */
  readonly distrusted: ReadonlySet<string>
  /** Number of aggregators and exchanges that have ever answered. */
  readonly heard: Heard
  /** Pools by {@link poolKey}. */
  readonly pools: ReadonlyMap<string, DexPair>
}

interface RunDocuments {
  readonly collector: Pick<z.infer<z.ZodObject<typeof CollectorMembers>>, 'freshness' | 'referenceRates'> & {
    readonly rows: readonly SourceRow[]
  }
  readonly pairs: readonly DexPair[]
}

/** Returns the key of a pool, from the members that its market row has too. */
export const poolKey = (slug: string, chain: string | null, address: string | null): string =>
  `${slug} ${chain ?? ''}:${address ?? ''}`

/** Returns the facts of the run that published these documents. */
export function runFacts({ collector: { freshness, referenceRates, rows }, pairs }: RunDocuments): RunFacts {
  const rates = new Map(referenceRates.map((rate) => [rate.symbol, rate]))
  return {
    at: freshness.collectedAt,
    now: Date.parse(freshness.collectedAt),
    rates,
    dependence: rateDependence(rates),
    sources: new Map(rows.map((row) => [row.source_id, row])),
    byLabel: new Map(rows.map((row) => [row.source_label, row])),
    distrusted: new Set(rows.flatMap(({ source_id, price_factor }) => (price_factor === null ? [] : source_id))),
    heard: heardAmong(rows),
    pools: new Map(pairs.map((pair) => [poolKey(pair.base_asset_id ?? '', pair.chain, pair.pool_address), pair])),
  }
}
