import { movedSince } from '../core/feed/freshness.ts'
import { heardAmong } from '../core/feed/rank.ts'
import { rateDependence } from '../core/feed/rate-dependence.ts'
import type { Rows } from '../core/history/rows.ts'

/** Returns the key of a pool, from the members that its market row has too. */
export const poolKey = (slug: string, chain: string | null, address: string | null): string =>
  `${slug} ${chain ?? ''}:${address ?? ''}`

/** Returns the inputs of a listing's figures besides its own rows. */
export function runFacts({ run, rates, sources, pairs, listings }: Rows) {
  const rows = [...sources.values()]
  const now = Date.parse(run?.at ?? '')
  return {
    /** Time of the run, as published and in ms since 1970. */
    at: run?.at ?? '',
    now,
    rates,
    dependence: rateDependence(rates),
    sources,
    /** The sources by the label that their figures have. */
    byLabel: new Map(rows.map((row) => [row.source_label, row])),
    /** Venues distrusted by the run, by `source_id`. */
    distrusted: new Set(rows.flatMap(({ source_id, price_factor }) => (price_factor === null ? [] : source_id))),
    movedSince: movedSince(
      [...listings.values()].flatMap(({ markets }) => markets),
      now,
    ),
    heard: heardAmong(rows),
    /** By {@link poolKey}. */
    pools: new Map(pairs.map((pair) => [poolKey(pair.base_asset_id ?? '', pair.chain, pair.pool_address), pair])),
  }
}

export type RunFacts = ReturnType<typeof runFacts>
