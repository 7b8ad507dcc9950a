import logos from './logos.json' with { type: 'json' }

/** Logos of the largest assets by CoinGecko's id, from @web3icons/core (MIT licence), where they are at most 3 kB. */
const BY_ID = new Map(Object.entries(logos))

const SOURCES = ['coingecko', 'sample']

/** Returns the logo of a listing by its ids at sources; null: none is known. A symbol may be that of several assets. */
export const logoOf = (ids: Readonly<Record<string, string>>): string | null =>
  SOURCES.flatMap((source) => BY_ID.get(ids[source] ?? '') ?? [])[0] ?? null
