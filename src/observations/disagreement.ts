import { median } from 'd3-array'
import type { ObservationRow } from '../contract/observations.ts'

/** How far two collections of one source may be apart. */
export const DISAGREEMENT = {
  rule:
    'Several collections of one source: the newest good one counts. A pair or pool whose price differs between two of ' +
    'them by more than the tolerance is left out of both, and a listing loses its price.',
  tolerance_bp: 200,
} as const

/** A source that said different things to two collectors. */
export interface Disagreement {
  readonly source_id: string
  /** Rows whose price differs by more than the tolerance. */
  readonly rows: number
  /** Median and largest difference of those rows, in basis points. */
  readonly median_bp: number
  readonly max_bp: number
}

/** What identifies a row, and its price. Rows without a price do not contradict each other. */
function priceOf(row: ObservationRow): { readonly key: string; readonly price: number | null } | null {
  if (row.kind === 'quote') return { key: `quote ${row.market}`, price: row.last }
  if (row.kind === 'sighting') return { key: `sighting ${row.id}`, price: row.price_usd }
  if (row.kind === 'pool') return { key: `pool ${row.platform} ${row.pool_address}`, price: row.price_usd }
  if (row.kind === 'reference') return { key: `reference ${JSON.stringify(row.of)}`, price: row.price_usd }
  return null
}

/** Returns the rows of a source that no other collection contradicts, and the disagreement; null where there is none. */
export function agreeing(
  source_id: string,
  rows: readonly ObservationRow[],
  others: readonly (readonly ObservationRow[])[],
): { readonly rows: readonly ObservationRow[]; readonly disagreement: Disagreement | null } {
  const prices = new Map<string, number[]>()
  for (const row of others.flat()) {
    const own = priceOf(row)
    if (own && own.price !== null) prices.set(own.key, [...(prices.get(own.key) ?? []), own.price])
  }
  const differences: number[] = []
  const kept = rows.flatMap((row): ObservationRow[] => {
    const own = priceOf(row)
    if (!own || own.price === null) return [row]
    const { key, price } = own
    const most = Math.max(0, ...(prices.get(key) ?? []).map((other) => Math.abs(other / price - 1) * 10_000))
    if (most <= DISAGREEMENT.tolerance_bp) return [row]
    differences.push(most)
    return row.kind === 'sighting' ? [{ ...row, price_usd: null }] : []
  })
  if (differences.length === 0) return { rows, disagreement: null }
  const left = rows.length - kept.length
  const reason = `two collectors disagree by more than ${DISAGREEMENT.tolerance_bp} bp`
  return {
    rows: left === 0 ? kept : [...kept, { source_id, kind: 'rejected', reason, count: left }],
    disagreement: {
      source_id,
      rows: differences.length,
      median_bp: median(differences) ?? 0,
      max_bp: Math.max(...differences),
    },
  }
}
