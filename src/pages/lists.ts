import { WATCHED, type Watchlist, watchlistIn } from './watchlist.ts'
import type { Order } from './table.tsx'

/** Lists of the market, in the order of their tabs. */
export const LISTS = ['all', 'gainers', 'losers', 'trending', 'watchlist'] as const

/** What the address asks the market for. */
export interface Asked {
  readonly list: (typeof LISTS)[number]
  readonly words: string
  readonly verifiedOnly: boolean
  /** Null: as published. */
  readonly order: Order | null
  readonly page: number
  /** A shared watchlist; null: the reader's own. */
  readonly shared: Watchlist | null
}

/** Returns what an address asks for; null: the page as it was published. */
export function askedIn(query: URLSearchParams): Asked | null {
  if (!['list', 'q', 'verified', 'sort'].some((name) => query.has(name))) return null
  const [shared, column] = [query.get(WATCHED), query.get('sort')]
  return {
    list: LISTS.find((list) => list === query.get('list')) ?? 'all',
    words: query.get('q') ?? '',
    verifiedOnly: query.has('verified'),
    order: column === null ? null : { column, descending: query.get('dir') === 'desc' },
    page: Number(query.get('page') ?? 1),
    shared: shared === null ? null : watchlistIn(shared),
  }
}
