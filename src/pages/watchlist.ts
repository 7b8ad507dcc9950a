import type { AssetRow } from '../client/answers.ts'
import { decimal } from '../contract/numbers.ts'

/** Watched slugs in the order they were added, with the amount that the reader holds of each; null: none given. */
export type Watchlist = ReadonlyMap<string, number | null>

/** The most listings of one list, so that its address fits every browser and server. */
export const MOST_WATCHED = 100

/** Returns a list of the first entries, as many as one may have. A later amount of a listing replaces an earlier one. */
export const limited = (entries: Iterable<readonly [string, number | null]>): Watchlist =>
  new Map([...new Map(entries)].slice(0, MOST_WATCHED))

const SLUG = /^[a-z0-9-]{1,64}$/

/** Reads a list from an address or the browser: `bitcoin:0.5,ethereum`. Parts that are invalid are left out. */
export function watchlistIn(text: string): Watchlist {
  const entries = text.split(',').flatMap((part) => {
    const [slug = '', amount = ''] = part.split(':')
    if (!SLUG.test(slug)) return []
    const held = Number(amount)
    return [[slug, amount !== '' && Number.isFinite(held) && held > 0 ? held : null] as const]
  })
  return limited(entries)
}

/** Returns the text that {@link watchlistIn} reads. */
export const textOf = (watchlist: Watchlist): string =>
  [...watchlist].map(([slug, held]) => (held === null ? slug : `${slug}:${held}`)).join(',')

/** Returns the list with a listing added at its end, or without it if it was there. */
export const toggled = (watchlist: Watchlist, slug: string): Watchlist =>
  watchlist.has(slug)
    ? new Map([...watchlist].filter(([watched]) => watched !== slug))
    : new Map([...watchlist, [slug, null] as const].slice(-MOST_WATCHED))

/** Returns the reader's own list with the listings of another one that it lacks. Amounts of the own list stay. */
export const merged = (own: Watchlist, other: Watchlist): Watchlist => limited([...own, ...other, ...own])

/** Reads an amount with a decimal point or comma: the last one, if there is one of its kind. Null: it is no amount. */
export function amountIn(written: string): number | null {
  const text = written.replaceAll(/[\s']/g, '')
  const sign = /[.,](?=[^.,]*$)/.exec(text)?.[0] ?? '.'
  const parts = text.replaceAll(sign === ',' ? '.' : ',', '').split(sign)
  const amount = Number(parts.join(parts.length === 2 ? '.' : ''))
  return Number.isFinite(amount) && amount > 0 ? amount : null
}

/** Returns the text of an amount that {@link amountIn} reads; `''`: there is none. */
export const writtenOf = (held: number | null): string => (held === null ? '' : decimal(held))

/** Returns a portfolio as CSV (RFC 4180), which {@link holdingsIn} reads. */
export const holdingsCsv = (watchlist: Watchlist): string =>
  ['slug,amount', ...[...watchlist].map(([slug, held]) => `${slug},${writtenOf(held)}`)]
    .map((line) => `${line}\r\n`)
    .join('')

/**
 * Reads a portfolio from CSV: a slug or a symbol and an amount in each line. `unknown` has the names and lines that are no
 * listing, after the first line, which may have headings.
 */
export function holdingsIn(csv: string, rows: readonly Readonly<Record<'slug' | 'symbol', string>>[]) {
  const slugs = new Map(rows.toReversed().map(({ slug, symbol }) => [symbol.toLowerCase(), slug]))
  for (const { slug } of rows) slugs.set(slug, slug)
  const unknown: string[] = []
  const entries = csv.split(/\r?\n/).flatMap((line, at) => {
    const [, name = '', amount = ''] = /^"?([^",;\t]+)"?\s*[,;\t]\s*"?([^"]*)"?\s*$/.exec(line) ?? []
    const slug = slugs.get(name.trim().toLowerCase())
    if (slug !== undefined) return [[slug, amountIn(amount)] as const]
    if (at > 0 && line.trim() !== '') unknown.push(name || line)
    return []
  })
  return { holdings: limited(entries), unknown }
}

type Priced = Pick<AssetRow, 'slug' | 'price_usd' | 'percent_change_24h'>

/** Returns what the amount of a listing is worth; null: there is none, or no known price. */
export function valueOf(watchlist: Watchlist, { slug, price_usd }: Pick<Priced, 'slug' | 'price_usd'>): number | null {
  const held = watchlist.get(slug) ?? null
  return held === null || price_usd === null ? null : held * price_usd
}

/**
 * Returns what the amounts of a list are worth in dollars, and how that changed in 24 hours: the sum of the holdings with a
 * known price, and the change of those whose change is known, too; null: there are none. `unpriced` are without a known
 * price, such as those that are no longer listed.
 */
export function worthOf(watchlist: Watchlist, rows: readonly Priced[]) {
  const held = [...watchlist.values()].filter((amount) => amount !== null)
  let [value, now, before, priced] = [0, 0, 0, 0]
  for (const row of rows) {
    const worth = valueOf(watchlist, row)
    if (worth === null) continue
    value += worth
    priced++
    // Nothing is known of a price before it lost everything.
    if (row.percent_change_24h === null || row.percent_change_24h <= -100) continue
    now += worth
    before += worth / (1 + row.percent_change_24h / 100)
  }
  return {
    value_usd: priced > 0 ? value : null,
    change_24h_usd: before > 0 ? now - before : null,
    percent_change_24h: before > 0 ? (now / before - 1) * 100 : null,
    unpriced: held.length - priced,
  }
}
