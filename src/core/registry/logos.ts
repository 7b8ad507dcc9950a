import logos from './logos.json' with { type: 'json' }

/** Logos of the largest assets by CoinGecko's id, from @web3icons/core (MIT licence), where they are at most 3 kB. */
const BY_ID: Readonly<Record<string, string>> = logos

const SOURCES = ['coingecko', 'sample']

/** Returns the logo of a listing by its ids at sources; null: none is known. A symbol may be that of several assets. */
export function logoOf(ids: Readonly<Record<string, string>>): string | null {
  const own = SOURCES.flatMap((source) => ids[source] ?? [])
  return own.map((id) => (Object.hasOwn(BY_ID, id) ? BY_ID[id] : undefined)).find((svg) => svg !== undefined) ?? null
}
