const BACKFILLED = 'backfilled from '
const NONE = 'none'

/**
 * Returns a label with every source of a series, such as `Quotetree index; backfilled from Binance, Kraken`.
 *
 * @param own label of values observed by our own runs; null if the series has none
 */
export function labelOf(own: string | null, backfills: Iterable<string>): string {
  const names = [...new Set(backfills)].toSorted()
  const parts = [...(own === null ? [] : [own]), ...(names.length === 0 ? [] : [BACKFILLED + names.join(', ')])]
  return parts.length === 0 ? NONE : parts.join('; ')
}
