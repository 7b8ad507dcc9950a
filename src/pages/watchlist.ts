/** Watched slugs in the order they were added, with the amount that the reader holds of each; null: none given. */
export type Watchlist = ReadonlyMap<string, number | null>

/** The most listings of one list, so that its address fits every browser and server. */
const MOST = 100
const SLUG = /^[a-z0-9-]{1,64}$/

/** Reads a list from an address or the browser: `bitcoin:0.5,ethereum`. Parts that are invalid are left out. */
export function watchlistIn(text: string): Watchlist {
  const entries = text.split(',').flatMap((part) => {
    const [slug = '', amount = ''] = part.split(':')
    if (!SLUG.test(slug)) return []
    const held = Number(amount)
    return [[slug, amount !== '' && Number.isFinite(held) && held > 0 ? held : null] as const]
  })
  return new Map(entries.slice(0, MOST))
}

/** Returns the text that {@link watchlistIn} reads. */
export const textOf = (watchlist: Watchlist): string =>
  [...watchlist].map(([slug, held]) => (held === null ? slug : `${slug}:${held}`)).join(',')

/** Returns the list with a listing added at its end, or without it if it was there. */
export const toggled = (watchlist: Watchlist, slug: string): Watchlist =>
  watchlist.has(slug)
    ? new Map([...watchlist].filter(([watched]) => watched !== slug))
    : new Map([...watchlist, [slug, null] as const].slice(-MOST))

/** Reads an amount with a decimal point or comma: the last one, if there is one of its kind. Null: it is no amount. */
export function amountIn(text: string): number | null {
  const sign = /[.,](?=[^.,]*$)/.exec(text)?.[0] ?? '.'
  const parts = text.replaceAll(sign === ',' ? '.' : ',', '').split(sign)
  const amount = Number(parts.join(parts.length === 2 ? '.' : ''))
  return Number.isFinite(amount) && amount > 0 ? amount : null
}

/** Returns a portfolio as CSV (RFC 4180), which {@link holdingsIn} reads. */
export const holdingsCsv = (watchlist: Watchlist): string =>
  ['slug,amount', ...[...watchlist].map(([slug, held]) => `${slug},${held ?? ''}`)]
    .map((line) => `${line}\r\n`)
    .join('')

/** Reads a portfolio from CSV: a slug or a symbol and an amount in each line. Lines of other things are left out. */
export function holdingsIn(
  csv: string,
  rows: readonly { readonly slug: string; readonly symbol: string }[],
): Watchlist {
  const slugs = new Map(rows.toReversed().map(({ slug, symbol }) => [symbol.toLowerCase(), slug]))
  for (const { slug } of rows) slugs.set(slug, slug)
  const entries = csv.split(/\r?\n/).flatMap((line) => {
    const [, name = '', amount = ''] = /^"?([^",;\t]+)"?\s*[,;\t]\s*"?([^"]*)"?\s*$/.exec(line) ?? []
    const slug = slugs.get(name.trim().toLowerCase())
    return slug === undefined ? [] : [[slug, amountIn(amount)] as const]
  })
  return new Map(entries.slice(0, MOST))
}

/** What the amounts of a list are worth. */
interface Worth {
  /** Sum of the holdings with a known price; null: none. */
  readonly value_usd: number | null
  /** Change of that sum over the holdings whose change is known; null: none. */
  readonly change_24h_usd: number | null
  readonly percent_change_24h: number | null
  /** Holdings without a known price. */
  readonly unpriced: number
}

interface Priced {
  readonly slug: string
  readonly price_usd: number | null
  readonly percent_change_24h: number | null
}

/** Returns what the amounts of a list are worth, and how that changed in 24 hours. */
export function worthOf(watchlist: Watchlist, rows: readonly Priced[]): Worth {
  const holdings = rows.flatMap(({ slug, price_usd, percent_change_24h: change }) => {
    const held = watchlist.get(slug) ?? null
    if (held === null) return []
    const value = price_usd === null ? null : held * price_usd
    return [{ value, before: value === null || change === null ? null : value / (1 + change / 100) }]
  })
  const known = holdings.flatMap(({ value }) => (value === null ? [] : [value]))
  const moved = holdings.flatMap(({ value, before }) => (value === null || before === null ? [] : [{ value, before }]))
  const before = moved.reduce((sum, holding) => sum + holding.before, 0)
  const now = moved.reduce((sum, holding) => sum + holding.value, 0)
  return {
    value_usd: known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0),
    change_24h_usd: before > 0 ? now - before : null,
    percent_change_24h: before > 0 ? (now / before - 1) * 100 : null,
    unpriced: holdings.length - known.length,
  }
}
