import type { AssetRow, MarketsRow } from '../client/answers.ts'

/** Members of a listing that the table shows. */
export type TableRow = AssetRow &
  Pick<MarketsRow, 'percent_change_1h' | 'percent_change_7d' | 'carried' | 'sparkline_7d' | 'contracts'>

/** Returns a row of the short list, shown until the full feed is loaded. Members of the full feed are unknown. */
export const withoutFeed = (row: AssetRow): TableRow => ({
  ...row,
  percent_change_1h: null,
  percent_change_7d: null,
  carried: null,
  sparkline_7d: [],
  contracts: [],
})

/** Sortable columns of the table. */
export const COLUMNS = [
  'market_cap_rank',
  'name',
  'price_usd',
  'percent_change_1h',
  'percent_change_24h',
  'percent_change_7d',
  'market_cap_usd',
  'volume_24h_usd',
] as const
export type Column = (typeof COLUMNS)[number]

export interface Order {
  readonly column: Column
  readonly descending: boolean
}

export const BY_RANK: Order = { column: 'market_cap_rank', descending: false }

/** Search, filter and order of the list. */
interface Question {
  readonly words: string
  readonly verifiedOnly: boolean
  /** Null: as published. All listings are published by rank, unranked last; gainers, losers and trending by their own measure. */
  readonly order: Order | null
  /** Ids of the listings at other services, by slug. */
  readonly ids?: ReadonlyMap<string, readonly string[]>
}

/** Characters of an address from which on a search looks into the contracts. */
const LEAST_OF_ADDRESS = 6
/** Characters of an id at another service from which on a search finds it by its beginning. Some are short numbers. */
const LEAST_OF_ID = 4

/**
 * Returns how well a row matches a search: exact symbol, name, slug, contract or id at another service, then a prefix, then
 * a part.
 */
function fit({ symbol, name, slug, contracts }: TableRow, words: string, ids: readonly string[]): number {
  const [ticker, title] = [symbol.toLowerCase(), name.toLowerCase()]
  const isAddress = words.length >= LEAST_OF_ADDRESS && !words.includes(' ')
  const found = isAddress
    ? contracts.map(({ address }) => address.toLowerCase()).filter((one) => one.startsWith(words))
    : []
  const names = [ticker, title]
  const isExact = [...names, slug, ...found, ...ids].includes(words)
  if (isExact) return 3
  if (found.length > 0 || names.some((text) => text.startsWith(words))) return 2
  if (words.length >= LEAST_OF_ID && ids.some((id) => id.startsWith(words))) return 1
  const isPart = names.some((text) => text.includes(words)) || slug.includes(words.replaceAll(' ', '-'))
  return isPart ? 1 : 0
}

/** Returns the rows in an order. Unknown values come last in both directions. The sort is stable. */
export function ordered(rows: readonly TableRow[], order: Order | null): readonly TableRow[] {
  if (order === null) return rows
  const { column, descending } = order
  const sign = descending ? -1 : 1
  if (column === 'name')
    return rows.toSorted((a, b) => {
      const [left, right] = [a.name.toLowerCase(), b.name.toLowerCase()]
      return left === right ? 0 : sign * (left < right ? -1 : 1)
    })
  return rows.toSorted((a, b) => {
    const [left, right] = [a[column], b[column]]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return sign * (left - right)
  })
}

/** Returns the matching rows. Without an explicit order, the best matches come first. */
export function answered(
  rows: readonly TableRow[],
  { words, verifiedOnly, order, ids }: Question,
): readonly TableRow[] {
  const text = words.trim().toLowerCase()
  const fitting = verifiedOnly ? rows.filter(({ verification_status }) => verification_status === 'verified') : rows
  if (text === '') return ordered(fitting, order)
  const fits = fitting
    .map((row) => ({ row, score: fit(row, text, ids?.get(row.slug) ?? []) }))
    .filter(({ score }) => score > 0)
  const found = order === null ? fits.toSorted((a, b) => b.score - a.score) : fits
  return ordered(
    found.map(({ row }) => row),
    order,
  )
}
