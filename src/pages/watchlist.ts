/** Watched slugs in the order they were added. */
export type Watchlist = ReadonlySet<string>

/** The most listings of one list, so that its address fits every browser and server. */
const MOST_WATCHED = 100

const limited = (slugs: Iterable<string>): Watchlist => new Set([...new Set(slugs)].slice(0, MOST_WATCHED))

const SLUG = /^[a-z0-9-]{1,64}$/

/** Reads a list from an address or the browser: `bitcoin,ethereum`. Parts that are invalid are left out. */
export const watchlistIn = (text: string): Watchlist => limited(text.split(',').filter((slug) => SLUG.test(slug)))

/** Returns the text that {@link watchlistIn} reads. */
export const textOf = (watchlist: Watchlist): string => [...watchlist].join(',')

/** Returns the list with a listing added at its end, or without it if it was there. */
export const toggled = (watchlist: Watchlist, slug: string): Watchlist =>
  watchlist.has(slug)
    ? new Set([...watchlist].filter((watched) => watched !== slug))
    : new Set([...watchlist, slug].slice(-MOST_WATCHED))

/** Returns the reader's own list with the listings of another one that it lacks. */
export const merged = (own: Watchlist, other: Watchlist): Watchlist => limited([...own, ...other])
