import { isDeepStrictEqual } from 'node:util'
import { max } from 'd3-array'
import type { Asset } from '../contract/asset.ts'
import { type Market, marketKey } from '../contract/market.ts'
import { byKey, groupBy } from '../contract/order.ts'
import { roundPrice } from '../contract/numbers.ts'
import { type Ms, hoursSince, isoOf } from '../contract/time.ts'
import type { Sighting } from '../sources/source.ts'
import { type SourceHealth, carriedBeside } from './freshness.ts'
import type { Identity } from './identify.ts'
import { youngPrice } from './listing.ts'
import { qualityOf } from './market-rows.ts'
import { LIMITS } from './methodology.ts'
import type { PublishedPrice } from './price.ts'
import { isWithin } from './statistics.ts'

export function carriedMarkets({ before }: Identity, fresh: readonly Market[], hearing: SourceHealth): Market[] {
  const last = (before?.markets ?? []).filter(({ exchange_type }) => exchange_type === 'cex')
  const sourceOf = ({ exchange_id }: Market) => exchange_id
  return carriedBeside(fresh, last, { keyOf: marketKey, sourceOf }, hearing).map((market) => {
    const stale = { ...market, is_stale: true, is_outlier: false, used_in_price: false, weight: null }
    return { ...stale, ...qualityOf(stale) }
  })
}

export function carriedPrice({ before }: Identity, priced: PublishedPrice, hearing: SourceHealth): PublishedPrice {
  const last = youngPrice(before, hearing.now)
  if (priced.price_usd !== null || !before || last === null) return priced
  return { price_usd: last.price_usd, basis: { ...before.asset.price_basis, method: 'carried' } }
}

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

/** Whether a market is unchanged while one of these markets moved at another venue. */
export function isFrozen(market: Market, markets: readonly Market[], now: Ms): boolean {
  const { exchange_id, unchanged_since: since } = market
  if (since === null || hoursSince(since, now) < LIMITS.unchanged_hours) return false
  return markets.some((other) => other.exchange_id !== exchange_id && (other.unchanged_since ?? '') > since)
}

/**
 * The last run that a listing was named in, as published; null while a source names it, while the registry does, and
 * while a source that knew it is silent: silence says nothing of the listing.
 */
export function lastSeenOf({ entry, before, sighted, withheld }: Identity, { isSilent, lastHeard, now }: SourceHealth) {
  if (entry || sighted.length + withheld.length > 0 || !before) return null
  const { external_ids, last_seen } = before.asset
  const known = Object.keys(external_ids)
  if (last_seen !== null || known.some(isSilent)) return last_seen
  return newest(known.map(lastHeard)) ?? isoOf(now)
}

/** When a source that knows a listing last answered, as published; null for a listing that none ever knew. */
export function heardAtOf({ before }: Identity, { lastHeard }: SourceHealth): string | null {
  return newest(Object.keys(before?.asset.external_ids ?? {}).map(lastHeard)) ?? before?.asset.last_updated ?? null
}

const newest = (times: readonly (string | null)[]): string | null => max(times, (time) => time) ?? null

/** Returns a row with the time of the last one, for up to an hour, if its figures are the same. */
export function keepTime<Row extends { readonly collected_at: string }>(row: Row, before: Row | undefined, now: Ms) {
  if (!before || hoursSince(before.collected_at, now) >= 1) return row
  return isDeepStrictEqual(figuresOf(row), figuresOf(before)) ? { ...row, collected_at: before.collected_at } : row
}

/** The figures of a row, without times and members that depend on other rows. */
const figuresOf = (row: object) => Object.fromEntries(Object.entries(row).filter(([name]) => !COMPARED.has(name)))

const COMPARED = new Set(
  'collected_at is_stale used_in_price weight is_outlier quality quality_score quality_reasons'.split(' '),
)

type IsCredible = (sighting: Sighting) => boolean

type Figure = keyof Sighting & keyof Asset

/** Figures that change seldom, which may be carried for longer. */
const FACTS = new Set<Figure>(['circulating_supply', 'total_supply', 'max_supply', 'ath_usd'])

export type ReportedFigures = ReturnType<typeof reportedFigures>

export function reportedFigures(identity: Identity, hearing: SourceHealth, priced: PublishedPrice) {
  const { before, sighted } = identity
  const old = before?.asset ?? null
  const keptSince = new Map<string, string>()
  if (priced.basis.method === 'carried' && old?.last_updated != null) keptSince.set('price_usd', old.last_updated)
  const reporters = new Map<string, string>()

  const lastOf = lastFigures(identity, hearing)
  /** Returns the published value, and notes it as carried. */
  const keep = (name: Figure, last = lastOf(name)): number | null => {
    if (last === null) return null
    keptSince.set(name, last.seenAt)
    if (last.source !== null) reporters.set(name, last.source)
    return last.value
  }
  /** Keeps a value that is recent and whose source is silent: one that answered without it no longer knows it. */
  const keepIfSilent = (name: Figure): number | null => {
    const last = lastOf(name)
    const hours = FACTS.has(name) ? LIMITS.fact_hours : LIMITS.carry_hours
    if (last === null || hoursSince(last.seenAt, hearing.now) > hours) return null
    // Where several sources made a figure, any that lists the asset could report it again.
    const isSilent = last.source === null ? sighted.length === 0 : hearing.isSilent(last.source)
    return isSilent ? keep(name, last) : null
  }
  const reported = (name: Figure, round: (value: number) => number, isCredible?: IsCredible): number | null => {
    for (const { source, sighting } of sighted) {
      const value = numberOf(sighting[name])
      if (value === null || isCredible?.(sighting) === false) continue
      reporters.set(name, source.id)
      return round(value)
    }
    return null
  }
  return {
    reported,
    keep,
    keepIfSilent,
    pick: (name: Figure, round: (value: number) => number, isCredible?: IsCredible): number | null =>
      reported(name, round, isCredible) ?? keepIfSilent(name),
    /** Notes that a figure is published as our own price, or not at all, instead of as it was picked. */
    replace: (name: Figure, by: 'price' | null): void => {
      reporters.delete(name)
      keptSince.delete(name)
      const pricedSince = by === null ? undefined : keptSince.get('price_usd')
      if (pricedSince !== undefined) keptSince.set(name, pricedSince)
    },
    reportedBySource: (name: Figure, source: string, value: number): number => {
      reporters.set(name, source)
      return value
    },
    reportedBy: (): Asset['told_by'] => {
      const names = groupBy([...reporters].toSorted(byKey), ([, source]) => source)
      return Object.fromEntries([...names].toSorted(byKey).map(([source, own]) => [source, own.map(([name]) => name)]))
    },
    carries: (name: Figure): boolean => keptSince.has(name),
    carried: (): Asset['carried'] => {
      const names = [...keptSince].toSorted(byKey)
      return names.length === 0 ? null : Object.fromEntries(names)
    },
  }
}

export function lastFigures(identity: Identity, hearing: SourceHealth) {
  const old = identity.before?.asset
  const heardAt = heardAtOf(identity, hearing)
  const reporters = new Map(
    Object.entries(old?.told_by ?? {}).flatMap(([source, names]) => names.map((name) => [name, source] as const)),
  )
  return (name: Figure) => {
    const value = numberOf(old?.[name])
    const source = reporters.get(name) ?? null
    const seenAt = old?.carried?.[name] ?? (source === null ? null : hearing.lastHeard(source)) ?? heardAt
    return value === null || seenAt === null ? null : { value, seenAt, source }
  }
}

const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null)

/** A price of our own that was the highest so far stays it, unless it is far above what the sources know. */
function ownHigh({ ath_usd = null, ath_date = null, told_by = {} }: Partial<Asset> = {}, reported: number | null) {
  const isOwn = ath_date !== null && !Object.values(told_by).flat().includes('ath_usd')
  return isOwn && isWithin(LIMITS.few_percent, ath_usd ?? 0, reported ?? 0) ? { ath_usd, ath_date } : null
}

/** Returns the ranges that sources report, extended to hold the published price, so that the figures never contradict it. */
export function rangesOf(
  { before, sighted }: Identity,
  figures: ReportedFigures,
  { price_usd, last_updated, now }: Pick<Asset, 'price_usd' | 'last_updated'> & { readonly now: Ms },
) {
  const isCredible = ({ price_usd: own }: Sighting) =>
    own === null || price_usd === null || isWithin(LIMITS.few_percent, own, price_usd)
  const pick = (name: 'high_24h_usd' | 'low_24h_usd' | 'ath_usd') => figures.pick(name, roundPrice, isCredible)
  const extended = (name: 'high_24h_usd' | 'low_24h_usd' | 'ath_usd', value: number | null, by: number | null) => {
    if (value === null || by === null) return value
    const wider = name === 'low_24h_usd' ? Math.min(value, by) : Math.max(value, by)
    if (wider !== value) figures.replace(name, 'price')
    return wider
  }
  const [high, low, ath] = [pick('high_24h_usd'), pick('low_24h_usd'), pick('ath_usd')]
  const isRange = high === null || low === null || low <= high
  if (!isRange) for (const name of ['high_24h_usd', 'low_24h_usd'] as const) figures.replace(name, null)
  const high_24h_usd = isRange ? extended('high_24h_usd', high, price_usd) : null
  const low_24h_usd = isRange ? extended('low_24h_usd', low, price_usd) : null
  const own = ownHigh(before?.asset, ath)
  const seen = [own?.ath_usd, high_24h_usd, low_24h_usd, price_usd].map((value) => value ?? 0)
  const ath_usd = extended('ath_usd', ath, Math.max(...seen))
  const reachedAt = () => {
    if (ath_usd === null) return null
    // When a high of the last day was reached is unknown, unless it is the price itself.
    if (ath_usd !== ath) return ath_usd === own?.ath_usd ? own.ath_date : ath_usd === price_usd ? last_updated : null
    if (figures.carries('ath_usd')) return before?.asset.ath_date ?? null
    const at =
      sighted.find(({ sighting }) => sighting.ath_usd !== null && isCredible(sighting))?.sighting.ath_at ?? null
    return at === null || at > now ? null : isoOf(at)
  }
  return { high_24h_usd, low_24h_usd, ath_usd, ath_date: reachedAt() }
}
