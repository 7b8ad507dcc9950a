const BACKFILLED = 'backfilled from '
const NONE = 'none'

/**
 * Names every source whose points stand in a series: `Quotetree index; backfilled from Binance, Kraken`. `own` is the
 * label of what the runs saw themselves, null where none of it is in the series.
 */
export function labelOf(own: string | null, backfills: Iterable<string>): string {
  const names = [...new Set(backfills)].toSorted()
  const parts = [...(own === null ? [] : [own]), ...(names.length === 0 ? [] : [BACKFILLED + names.join(', ')])]
  return parts.length === 0 ? NONE : parts.join('; ')
}

/** The sources that a label says a series was backfilled from. */
export function backfillsOf(label: string): readonly string[] {
  const part = label.split('; ').find((text) => text.startsWith(BACKFILLED))
  return part === undefined ? [] : part.slice(BACKFILLED.length).split(', ')
}

/** Whether a label names what the runs saw themselves. */
export const namesOwn = (label: string): boolean => label !== NONE && !label.startsWith(BACKFILLED)
