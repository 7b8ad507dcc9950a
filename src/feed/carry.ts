import { isDeepStrictEqual } from 'node:util'
import type { Market } from '../contract/market.ts'
import type { Identity } from './identify.ts'
import type { Previous } from './listing.ts'
import { STALENESS } from './market-rows.ts'
import type { PublishedPrice } from './price.ts'
import { qualityOf } from './quality.ts'
import { hoursSince } from './time.ts'

/** The last rows of venues that gave no answer in this run, marked stale, until they are too old to show. */
export function carriedMarkets({ before }: Identity, answered: ReadonlySet<string>, now: number): Market[] {
  return (before?.markets ?? [])
    .filter(
      ({ exchange_id, exchange_type, collected_at }) =>
        exchange_type === 'cex' && !answered.has(exchange_id) && hoursSince(collected_at, now) <= STALENESS.carry_hours,
    )
    .map((market) => {
      const stale = { ...market, is_stale: true, is_outlier: false, used_in_price: false, weight: null }
      const { quality, quality_score, quality_reasons } = qualityOf(stale)
      return { ...stale, quality, quality_score, quality_reasons }
    })
}

/** Returns the last published price if there is no newer one and it is recent enough, otherwise the given one. */
export function carriedPrice({ before }: Identity, priced: PublishedPrice, now: number): PublishedPrice {
  const old = before?.asset
  if (
    priced.price_usd !== null ||
    !old ||
    old.price_usd === null ||
    old.last_updated === null ||
    hoursSince(old.last_updated, now) > STALENESS.carry_hours
  )
    return priced
  return { price_usd: old.price_usd, basis: { ...old.price_basis, method: 'carried' } }
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

/** The youngest change of any of these markets, as published; empty where none is known. */
function lastMove(markets: readonly Market[]): string {
  let last = ''
  for (const { unchanged_since } of markets)
    if (unchanged_since !== null && unchanged_since > last) last = unchanged_since
  return last
}

/** Returns the rows, with unchanged ones marked as stale. */
export function withFrozen(markets: readonly Market[], now: number): Market[] {
  const last = lastMove(markets)
  return markets.map((market) =>
    market.unchanged_since !== last && isFrozen(market, markets, now) ? { ...market, is_stale: true } : market,
  )
}

/**
 * The last run that a listing was named in, as published; null while a source names it, while the registry does, and
 * while a source that knew it is silent: silence says nothing of the listing.
 */
export function lastSeenOf(
  { entry, before, sighted, withheld }: Identity,
  previous: Previous,
  answered: ReadonlySet<string>,
  at: string,
): string | null {
  if (entry || sighted.length + withheld.length > 0 || !before) return null
  const { external_ids, last_seen } = before.asset
  const known = Object.keys(external_ids)
  if (known.some((source) => !answered.has(source))) return last_seen
  const seen = known.flatMap((source) => previous.sources.get(source)?.last_success ?? []).toSorted()
  return last_seen ?? seen.at(-1) ?? at
}

/** When a source that knows a listing last answered, as published; null for a listing that none ever knew. */
export function heardAtOf({ before }: Identity, previous: Previous): string | null {
  const sources = Object.keys(before?.asset.external_ids ?? {})
  const heard = sources.flatMap((source) => previous.sources.get(source)?.last_success ?? []).toSorted()
  return heard.at(-1) ?? before?.asset.last_updated ?? null
}

/** Rows whose figures did not move keep the time they were collected at, for an hour at the most. */
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
