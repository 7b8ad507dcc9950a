import * as z from 'zod'
import { type Member, type Without, outline, reader, reasons } from './dialect.ts'
import { optional } from './optional.ts'
import { type ContractSighting, type Http, type Observation, rejected, rows } from './source.ts'
import { Id, IsoTime, Link, NonNegative, Percent, Positive, Text } from './wire.ts'

/** What a listing may report. Market cap and supplies are 0 where they are unknown. */
const FIGURES = {
  rank: Positive.pipe(z.int().nullable()),
  price_usd: Positive,
  percent_change_1h: Percent,
  percent_change_24h: Percent,
  percent_change_7d: Percent,
  high_24h_usd: Positive,
  low_24h_usd: Positive,
  market_cap_usd: Positive,
  fully_diluted_valuation_usd: Positive,
  volume_24h_usd: NonNegative,
  circulating_supply: Positive,
  total_supply: Positive,
  max_supply: Positive,
  ath_usd: Positive,
  ath_at: IsoTime,
  logo_url: Link,
  at: IsoTime,
} as const

/** An aggregator's list, in the words of its API. */
interface ListingDialect {
  /** Where a row has each figure; absent: it is not reported. */
  readonly row: Readonly<Record<'id' | 'symbol' | 'name' | 'price_usd', Member>> &
    Readonly<Partial<Record<keyof typeof FIGURES | 'slug', Member>>>
  /** Returns the slugs that a listing may have, that of the row by default. */
  readonly slugsOf?: (id: string, symbol: string) => readonly string[]
  /** Whether 0 is written for what was never measured, such as a change. */
  readonly isZeroUnknown?: true
  readonly without?: Without
}

/** The members of a sighting that the rows of a list have. */
export const reportedIn = (row: ListingDialect['row']): string[] =>
  Object.keys(row).filter((name) => name in FIGURES && name !== 'max_supply')

const Listing = z.object({ id: Id, symbol: Text(64), name: Text(200), slug: Text(200), ...FIGURES })

/**
 * Returns the sightings in a list. A row of an id that came before is skipped: a listing that overtakes another between two
 * requests is on both pages.
 */
export function listings(
  { row: members, slugsOf, isZeroUnknown, without }: ListingDialect,
  listed: readonly unknown[],
  contracts: ReadonlyMap<string, readonly ContractSighting[]> = new Map(),
): Iterable<Observation> {
  const seen = new Set<string>()
  const priceIn = reader(members.price_usd)
  const measured = (value: number | null) => (isZeroUnknown && value === 0 ? null : value)
  const wire = { take: outline({ slug: members.id, ...members }), members, reasonOf: reasons(without) }
  return rows(
    Listing,
    listed,
    ({ id, slug, symbol, ...row }, item) => {
      if (seen.has(id)) return { kind: 'skipped', reason: 'listed twice' }
      seen.add(id)
      // A price that is missing is no price that is unknown: the source has renamed it.
      if (priceIn(item) === undefined) return rejected(`${members.price_usd}: missing`)
      return {
        ...row,
        kind: 'sighting',
        id,
        slugs: slugsOf?.(id, symbol) ?? [slug],
        symbol: symbol.toUpperCase(),
        contracts: contracts.get(id) ?? [],
        percent_change_1h: measured(row.percent_change_1h),
        percent_change_24h: measured(row.percent_change_24h),
        percent_change_7d: measured(row.percent_change_7d),
        volume_24h_usd: measured(row.volume_24h_usd),
      }
    },
    wire,
  )
}

/** Requests the profiles of listings, each of which may fail. */
export const profilesAt = (http: Http, ids: readonly string[], pathOf: (id: string) => string) =>
  optional(
    ids.map((id) => ({ what: `profile of ${id}`, answer: http.json(pathOf(encodeURIComponent(id)), z.unknown()) })),
  )

/** Links of a profile. One that is odd is no data. */
export const Links = z.array(Link).catch([])

/** The first of some links; null if there is none. */
export const firstOf = (urls: readonly (string | null)[]): string | null => urls.find((url) => url !== null) ?? null

/** The texts that are data, each once. */
export const textsIn = (texts: readonly (string | null)[]): string[] => [
  ...new Set(texts.filter((text) => text !== null)),
]
