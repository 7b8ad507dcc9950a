import { isDeepStrictEqual } from 'node:util'
import { hoursSince, isoOf } from '../contract/time.ts'
import type { DexPair } from '../contract/dex-pair.ts'
import type { Market } from '../contract/market.ts'
import { type Hearing, STALENESS, carried, carriedBeside } from './freshness.ts'
import type { Identity } from './identify.ts'
import type { PublishedPrice } from './price.ts'
import { qualityOf } from './quality.ts'

/** Returns the carried markets of a listing: the last rows of silent exchanges, marked stale. */
export function carriedMarkets({ before }: Identity, fresh: readonly Market[], hearing: Hearing): Market[] {
  const last = (before?.markets ?? []).flatMap((value) =>
    value.exchange_type === 'cex' ? [{ value, seenAt: value.collected_at, source: value.exchange_id }] : [],
  )
  return carriedBeside({ fresh, last, keyOf: marketKey }, hearing).map((market) => {
    const stale = { ...market, is_stale: true, is_outlier: false, used_in_price: false, weight: null }
    return { ...stale, ...qualityOf(stale) }
  })
}

const marketKey = ({ exchange_id, pair }: Market): string => `${exchange_id} ${pair}`

/**
 * Returns the carried pools: the last ones of silent sources that no other source reports, marked stale.
 *
 * @param idOf returns the id of the source with a label
 */
export function carriedPairs(
  previous: readonly DexPair[],
  fresh: readonly DexPair[],
  idOf: (label: string) => string | null,
  hearing: Hearing,
): DexPair[] {
  const last = previous.flatMap((value) => {
    const source = idOf(value.source_label)
    return source === null ? [] : [{ value, seenAt: value.collected_at, source }]
  })
  return carriedBeside({ fresh, last, keyOf: ({ pair_id }) => pair_id }, hearing).map((pair) => ({
    ...pair,
    is_stale: true,
  }))
}

/** Returns the last published price if there is no newer one and it may be carried, otherwise the given one. */
export function carriedPrice({ before }: Identity, priced: PublishedPrice, hearing: Hearing): PublishedPrice {
  const { price_usd = null, last_updated = null, price_basis } = before?.asset ?? {}
  if (priced.price_usd !== null || price_usd === null || last_updated === null || !price_basis) return priced
  const last = carried({ value: price_usd, seenAt: last_updated, source: null }, hearing)
  return last === null ? priced : { price_usd: last.value, basis: { ...price_basis, method: 'carried' } }
}

/** Returns a row with the time since which its price, book and volume are unchanged, from its last published row. */
export function withUnchangedSince(row: Market, before: Market | undefined, at: string): Market {
  const same =
    before !== undefined &&
    row.last_price === (before.last_price ?? before.price) &&
    row.bid === before.bid &&
    row.ask === before.ask &&
    row.volume_24h_base === before.volume_24h_base
  const unchanged_since = same ? (before.unchanged_since ?? before.collected_at) : at
  return row.unchanged_since === unchanged_since ? row : { ...row, unchanged_since }
}

/** Whether a market is unchanged while markets of the asset at other venues moved. */
export function isFrozen(market: Market, markets: readonly Market[], now: number): boolean {
  const { exchange_id, unchanged_since: since } = market
  if (since === null || hoursSince(since, now) < STALENESS.unchanged_hours) return false
  return markets.some((other) => other.exchange_id !== exchange_id && (other.unchanged_since ?? '') > since)
}

/** Returns the rows, with unchanged ones marked as stale. */
export const withFrozen = (markets: readonly Market[], now: number): Market[] =>
  markets.map((market) => (isFrozen(market, markets, now) ? { ...market, is_stale: true } : market))

/**
 * The last run that a listing was named in, as published; null while a source names it, while the registry does, and
 * while a source that knew it is silent: silence says nothing of the listing.
 */
export function lastSeenOf(
  { entry, before, sighted, withheld }: Identity,
  { isSilent, lastHeard, now }: Hearing,
): string | null {
  if (entry || sighted.length + withheld.length > 0 || !before) return null
  const { external_ids, last_seen } = before.asset
  const known = Object.keys(external_ids)
  if (last_seen !== null || known.some(isSilent)) return last_seen
  return newest(known.map(lastHeard)) ?? isoOf(now)
}

/** When a source that knows a listing last answered, as published; null for a listing that none ever knew. */
export function heardAtOf({ before }: Identity, { lastHeard }: Hearing): string | null {
  return newest(Object.keys(before?.asset.external_ids ?? {}).map(lastHeard)) ?? before?.asset.last_updated ?? null
}

const newest = (times: readonly (string | null)[]): string | null =>
  times
    .filter((time) => time !== null)
    .toSorted()
    .at(-1) ?? null

/** Returns a row with the time of the last one, for up to an hour, if its figures are the same. */
export function keepTime<Row extends { readonly collected_at: string }>(
  row: Row,
  before: Row | undefined,
  now: number,
): Row {
  if (!before || hoursSince(before.collected_at, now) >= 1) return row
  return sameFigures(row, before) ? { ...row, collected_at: before.collected_at } : row
}

/** Whether two rows are equal, apart from times and members that depend on other rows. */
function sameFigures(row: object, before: object): boolean {
  const known = new Map(Object.entries(before))
  const entries = Object.entries(row)
  const counted = (names: readonly string[]) => names.filter((name) => !COMPARED.has(name)).length
  return (
    entries.every(
      ([name, value]) =>
        COMPARED.has(name) ||
        (known.has(name) && (value === known.get(name) || isDeepStrictEqual(value, known.get(name)))),
    ) && counted(entries.map(([name]) => name)) === counted([...known.keys()])
  )
}

const COMPARED = new Set([
  'collected_at',
  'is_stale',
  'used_in_price',
  'weight',
  'is_outlier',
  'quality',
  'quality_score',
  'quality_reasons',
])
