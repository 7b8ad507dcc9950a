import { group } from 'd3-array'
import * as z from 'zod'
import type { DetailedRow, MarketsRow } from '../core/contract/asset.ts'
import { type Currency, convertAmount, convertPrice } from '../core/contract/conversion.ts'
import { type EndpointSpec, type Key, fileOf, perKey } from '../core/contract/endpoint-spec.ts'
import { roundPercent } from '../core/contract/numbers.ts'
import { once } from '../core/contract/once.ts'
import { byKey } from '../core/contract/order.ts'
import { renameFile } from '../core/contract/paths.ts'
import { API_FOLDER } from '../core/contract/prefix.ts'
import { COINS, ratesOn, yearsOf } from '../core/contract/rate-of-day.ts'
import type { RateOfDay, RateRow } from '../core/contract/rates.ts'
import { checked, parseJson, readJson } from '../core/contract/read-json.ts'
import { DAY_MS, dayOf } from '../core/contract/time.ts'
import { Slug, Timestamp } from '../core/contract/words.ts'
import { documents } from '../core/endpoints/table.ts'
import type { TreeReader } from '../core/tree/reader.ts'

export type DocumentName = keyof typeof documents
type Document<Of extends DocumentName> = z.infer<z.ZodObject<(typeof documents)[Of]['members']>> & {
  readonly timestamp: string
}

const schemaOf = perKey(({ members }: EndpointSpec) => z.object({ ...members, timestamp: Timestamp }))

const isDocument = <Of extends DocumentName>(of: Of, value: unknown): value is Document<Of> =>
  checked(value, schemaOf(documents[of])).success

export const documentRows = <Row>(list: { readonly rows: readonly Row[] } | null): readonly Row[] => list?.rows ?? []

/** A currency of an answer: what one unit is worth, and how that changed in 24 hours if it is known. */
export interface Unit extends Currency {
  /** The listing that it is; null for money of a country. */
  readonly slug: string | null
  readonly percent_change_24h: number | null
  readonly percent_change_7d: number | null
}

export type OpenPublication = NonNullable<Awaited<ReturnType<typeof openPublication>>>

/** Reads publications, each only once for all requests. */
export function publications(): (read: TreeReader) => Promise<OpenPublication | null> {
  let open: { readonly snapshotId: string; readonly publication: () => Promise<OpenPublication | null> } | null = null
  return async (read) => {
    const index = readJson(await read(`${API_FOLDER}.json`), z.object({ snapshotId: z.string() }))
    if (index === null) return null
    if (open?.snapshotId !== index.snapshotId) open = { ...index, publication: once(() => openPublication(read)) }
    return open.publication()
  }
}

/** Returns the function that reads the documents of a tree, each null where it is not published. */
export const documentsIn =
  (read: TreeReader) =>
  async <Of extends DocumentName>(of: Of, key: Key = {}): Promise<Document<Of> | null> => {
    const value = parseJson((await read(fileOf(documents[of], key))) ?? '')
    return isDocument(of, value) ? value : null
  }

const Renamed = z.object({ replaced_by: Slug })

/** Returns the slug that replaced another, or that has it as an alias; null: none. */
export const successorOf = async (read: TreeReader, slug: string): Promise<string | null> =>
  readJson(await read(renameFile(slug).slice(1)), Renamed)?.replaced_by ?? null

async function openPublication(read: TreeReader) {
  const document = documentsIn(read)
  const [markets, rates, ids] = await Promise.all([
    document('markets'),
    document('rates'),
    document('sourceIds', { source: 'coingecko' }),
  ])
  if (markets === null) return null
  async function ratesOf(days: readonly string[]): Promise<(day: string) => ReadonlyMap<string, RateOfDay>> {
    const years = [...new Set(days.flatMap(yearsOf))].map((year) => document('ratesOfYear', { year }))
    const all = (await Promise.all(years)).flatMap(documentRows)
    return (day) => ratesOn(all, day)
  }
  const [yesterday = '', weekAgo = ''] = [1, 7].map((days) => dayOf(Date.parse(markets.timestamp) - days * DAY_MS))
  const pastRates = await ratesOf([yesterday, weekAgo])
  const bySlug = new Map(markets.rows.map((row) => [row.slug, row]))
  const idsOf = group(documentRows(ids), ({ slug }) => slug)
  const claims = markets.rows.flatMap((row) => (idsOf.get(row.slug) ?? []).map(({ id }) => [id, row] as const))
  // Of two entries of one key, a map keeps the last: the better ranked listing has an id.
  const byId = new Map(claims.toReversed())
  const known = (id: string): MarketsRow | null => byId.get(id) ?? bySlug.get(id) ?? null
  return {
    at: markets.timestamp,
    listings: markets.rows,
    symbols: bySymbol(markets.rows),
    /** Currencies by their symbol in lower case. */
    units: unitsOf(documentRows(rates), known, [pastRates(yesterday), pastRates(weekAgo)]),
    known,
    /** Returns the id of a listing in the other API: that of CoinGecko where it is known, otherwise the slug. */
    idOf: (slug: string): string => idsOf.get(slug)?.find(({ id }) => byId.get(id)?.slug === slug)?.id ?? slug,
    /** Returns a listing by its id in the other API, its slug, or a former slug, which takes a read. */
    async listing(id: string): Promise<MarketsRow | null> {
      const found = known(id)
      if (found !== null || !Slug.safeParse(id).success) return found
      const successor = await successorOf(read, id)
      return successor === null ? null : known(successor)
    },
    ratesOf,
    async listed(of: 'category' | 'gainers' | 'losers' | 'trending', key?: Key) {
      return documentRows(await document(of, key)).flatMap(({ slug }) => bySlug.get(slug) ?? [])
    },
    document,
  }
}

function unitsOf(
  rates: readonly z.infer<typeof RateRow>[],
  known: (id: string) => MarketsRow | null,
  past: readonly ReadonlyMap<string, RateOfDay>[],
): ReadonlyMap<string, Unit> {
  const money = rates.map(({ symbol, price_usd }): Unit => {
    const [percent_change_24h = null, percent_change_7d = null] = past.map((of) => {
      const before = of.get(symbol)?.price_usd
      return symbol === 'USD' ? 0 : before === undefined ? null : (price_usd / before - 1) * 100
    })
    return { symbol, price_usd, slug: null, percent_change_24h, percent_change_7d }
  })
  // A coin is worth its own price, which the rate of a quote currency may differ from a little.
  const coins = Object.entries(COINS).flatMap(([symbol, id]): Unit[] => {
    const { slug, price_usd = null, percent_change_24h = null, percent_change_7d = null } = known(id) ?? {}
    if (slug === undefined || price_usd === null) return []
    return [{ symbol, price_usd, slug, percent_change_24h, percent_change_7d }]
  })
  const units = [...money, ...coins].map((unit) => [unit.symbol.toLowerCase(), unit] as const)
  return new Map([...new Map(units)].toSorted(byKey))
}

export const priceIn = (price_usd: number | null, unit: Currency): number | null =>
  price_usd === null ? null : convertPrice(price_usd, unit)

export const amountIn = (amount_usd: number | null, unit: Currency): number | null =>
  amount_usd === null ? null : convertAmount(amount_usd, unit)

export function changeIn(percent: number | null, ofUnit: number | null): number | null {
  if (percent === null || ofUnit === null) return null
  return ofUnit === 0 ? percent : roundPercent(((1 + percent / 100) / (1 + ofUnit / 100) - 1) * 100)
}

export const changeFrom = (price: number | null, percent: number | null): number | null =>
  price === null || percent === null || percent <= -100
    ? null
    : Number((price - price / (1 + percent / 100)).toPrecision(8))

/** The figures of a row in one unit, by the names that CoinGecko has for them. */
export const figuresIn = (row: DetailedRow, unit: Unit) => {
  const current_price = priceIn(row.price_usd, unit)
  const percent = changeIn(row.percent_change_24h, unit.percent_change_24h)
  return {
    current_price,
    market_cap: amountIn(row.market_cap_usd, unit),
    fully_diluted_valuation: amountIn(row.fully_diluted_valuation_usd, unit),
    total_volume: amountIn(row.volume_24h_usd, unit),
    high_24h: priceIn(row.high_24h_usd, unit),
    low_24h: priceIn(row.low_24h_usd, unit),
    price_change_24h: changeFrom(current_price, percent),
    price_change_percentage_24h: percent,
  }
}

/** Symbols, in upper case, are not unique: one means the first listing that has a price and no flag. */
export function bySymbol<Row extends DetailedRow>(listings: readonly Row[]): ReadonlyMap<string, Row> {
  const found = new Map<string, Row>()
  for (const listing of listings) {
    const { symbol, price_usd, verification_status, market_flag } = listing
    const isMeant = price_usd !== null && verification_status !== 'flagged' && market_flag === null
    if (isMeant && !found.has(symbol.toUpperCase())) found.set(symbol.toUpperCase(), listing)
  }
  return found
}
