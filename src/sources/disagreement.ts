import { median } from 'd3-array'
import type { BundleSource, ObservationRow } from '../contract/observations.ts'

const DISAGREEMENT = {
  rule:
    'Several collections of one source: the newest good one counts. Where a price differs between them by more than the ' +
    'tolerance, the newest price counts that more than half of them agree with. Without such a majority, a pair or pool ' +
    'is left out, and a listing loses its price.',
  tolerance_bp: 200,
} as const

/** A source that said different things to two collectors. */
export type Disagreement = NonNullable<BundleSource['disagreement']> & Pick<BundleSource, 'source_id'>

/** What identifies a row, and its price. Rows without a price do not contradict each other. */
function priceOf(row: ObservationRow): { readonly key: string; readonly price: number | null } {
  if (row.kind === 'quote') return { key: `quote ${row.market}`, price: row.last }
  if (row.kind === 'sighting') return { key: `sighting ${row.id}`, price: row.price_usd }
  if (row.kind === 'pool') return { key: `pool ${row.platform} ${row.pool_address}`, price: row.price_usd }
  if (row.kind === 'reference') return { key: `reference ${JSON.stringify(row.of)}`, price: row.price_usd }
  return { key: '', price: null }
}

/**
 * Returns the rows of a source as most of its collections have them, and the disagreement; null where there is none.
 *
 * @param rows of the newest collection
 * @param others of the other collections, newest first
 */
export function agreeing(
  source_id: string,
  rows: readonly ObservationRow[],
  others: readonly (readonly ObservationRow[])[],
): { readonly rows: readonly ObservationRow[]; readonly disagreement: BundleSource['disagreement'] } {
  const elsewhere = new Map<string, Priced[]>()
  for (const row of others.flat()) {
    const { key, price } = priceOf(row)
    if (price !== null) elsewhere.set(key, [...(elsewhere.get(key) ?? []), { row, price }])
  }
  const differences: number[] = []
  const kept = rows.flatMap((row): ObservationRow[] => {
    const { key, price } = priceOf(row)
    if (price === null) return [row]
    const offers = [{ row, price }, ...(elsewhere.get(key) ?? [])]
    const most = Math.max(...offers.map((offer) => distanceBp(offer.price, price)))
    if (most <= DISAGREEMENT.tolerance_bp) return [row]
    differences.push(most)
    const believed = offers.find((one) => isOfMost(one, offers))
    if (believed) return [believed.row]
    return row.kind === 'sighting' ? [{ ...row, price_usd: null }] : []
  })
  if (differences.length === 0) return { rows, disagreement: null }
  const left = rows.length - kept.length
  const reason = `two collectors disagree by more than ${DISAGREEMENT.tolerance_bp} bp`
  return {
    rows: left === 0 ? kept : [...kept, { source_id, kind: 'rejected', reason, count: left }],
    disagreement: {
      rows: differences.length,
      median_bp: median(differences) ?? 0,
      max_bp: Math.max(...differences),
    },
  }
}

interface Priced {
  readonly row: ObservationRow
  readonly price: number
}

const distanceBp = (price: number, of: number): number => Math.abs(price / of - 1) * 10_000

/** Whether more than half of the offers agree with one of them. */
const isOfMost = ({ price }: Priced, offers: readonly Priced[]): boolean =>
  offers.filter((other) => distanceBp(other.price, price) <= DISAGREEMENT.tolerance_bp).length * 2 > offers.length
