import { range } from 'd3-array'
import type { Asset } from '../contract/asset.ts'
import { roundMoney, roundPrice } from '../contract/numbers.ts'
import { RIGHTS, type RightsClass, narrowestOf } from '../contract/rights.ts'
import { type Ms, DAY_MS, INTERVAL_MS } from '../contract/time.ts'
import { type PastAnswer, pointsFrom } from './answers.ts'
import type { Columns } from './columns.ts'
import { bucketOf, windowOf } from './grid.ts'
import {
  DAY_BASIS,
  type DayColumn,
  type ListingPast,
  POINT_RANGES,
  type PastClock,
  type PointColumn,
  originOf,
  pointsOf,
  pricesOf,
  rangesByWidth,
} from './past.ts'

/** What a run saw of a listing, with the narrowest rights of the sources of the price. */
interface ObservedPrice extends Pick<Asset, 'volume_24h_usd' | 'market_cap_usd'> {
  readonly price_usd: number
  readonly rights: RightsClass
}

/** Sets the price of a listing in the open buckets. A late one fills empty buckets only; a coarse one has the last finer one. */
export function observe(past: ListingPast, seen: ObservedPrice, { grid, now, latest, lateBefore }: PastClock): void {
  const [price, volume] = [roundPrice(seen.price_usd), seen.volume_24h_usd && roundMoney(seen.volume_24h_usd)]
  const finest = pointsOf(past, grid[1])
  for (const days of POINT_RANGES) {
    const columns = pointsOf(past, grid[days])
    const bucket = bucketOf(now, grid[days])
    // The clock of a run may be so far behind that its bucket has left the window.
    if (bucket < windowOf(days, grid[days], latest).from) continue
    const last = columns === finest ? null : finest.last('price_usd', bucket + columns.width - 1)
    if (last !== null && last >= bucket) columns.assign(bucket, finest.row(last))
    else if (now >= lateBefore || !columns.has('price_usd', bucket))
      columns.assign(bucket, { price_usd: price, volume_24h_usd: volume, origin: 0 })
  }
}

/** Returns the start of the first bucket before `end` that has a price of a run; null: none has. */
export function firstOwn(points: Columns<PointColumn> | undefined, from: number, end: number): number | null {
  return points?.buckets('price_usd', from, end - 1).find((bucket) => points.at('origin', bucket) === 0) ?? null
}

/**
 * Sets the day of a listing to what a run saw of it.
 *
 * @param isNewBucket whether no run was counted in this half hour of the day so far
 */
export function observeDay({ days }: ListingPast, seen: ObservedPrice, clock: PastClock, isNewBucket: boolean): void {
  const day = bucketOf(clock.now, '1d')
  const isOwn = days.at('basis', day) === DAY_BASIS.runs
  if (isOwn && clock.now < clock.lateBefore) return
  const price = roundPrice(seen.price_usd)
  const rights = isOwn ? narrowestOf([rightsAt(days, day), seen.rights]) : seen.rights
  days.assign(day, {
    close_usd: price,
    open_usd: isOwn ? days.at('open_usd', day) : price,
    high_usd: isOwn ? Math.max(days.at('high_usd', day), price) : price,
    low_usd: isOwn ? Math.min(days.at('low_usd', day), price) : price,
    volume_24h_usd: seen.volume_24h_usd,
    market_cap_usd: seen.market_cap_usd,
    runs: isOwn ? days.at('runs', day) + Number(isNewBucket) : 1,
    basis: DAY_BASIS.runs,
    rights: RIGHTS.indexOf(rights),
    origin: 0,
    added: Number.NaN,
  })
}

export const rightsAt = (days: Columns<DayColumn>, day: number): RightsClass =>
  RIGHTS[days.at('rights', day)] ?? 'unknown'

/** Sets empty closed buckets to past prices of sources, and the coarser buckets to the last of those that were set in them. */
export function backfill(past: ListingPast, answers: readonly PastAnswer[], clock: PastClock): void {
  const { grid, now, latest, added } = clock
  let [finer, before]: [ReturnType<typeof pricesOf>, readonly Ms[]] = [pricesOf(past, 1, grid), []]
  for (const days of [...POINT_RANGES, 365] as const) {
    const own = pricesOf(past, days, grid)
    const { interval, columns, price: name } = own
    const window = windowOf(days, interval, latest)
    const names = days === 365 ? ([name, 'origin', 'basis', 'added'] as const) : ([name, 'origin'] as const)
    const filled: Ms[] = []
    const fill = (bucket: Ms, price: number, origin: number, replaces = false): void => {
      if (bucket < window.from || bucket >= window.to || (columns.has(name, bucket) && !replaces)) return
      if (filled.length === 0) for (const one of names) columns.room(one, window.from, bucket)
      columns.set(name, bucket, price)
      columns.set('origin', bucket, origin)
      if (replaces) columns.set('volume_24h_usd', bucket, Number.NaN)
      if (days === 365) past.days.assign(bucket, { basis: DAY_BASIS.price, added })
      filled.push(bucket)
    }
    for (const bucket of before.toSorted((a, b) => b - a)) {
      const start = bucketOf(bucket, interval)
      // What is nearer to the end of a coarse bucket takes its place, so that both ranges have one price for that moment.
      const isLast = days < 90 && finer.columns.last(finer.price, start + columns.width - 1) === bucket
      fill(start, finer.columns.at(finer.price, bucket), finer.columns.at('origin', bucket), isLast)
    }
    for (const answer of answers) {
      if (answer.interval !== interval || answer.days === 'all') continue
      const points = pointsFrom(answer, now)
      if (points.size === 0) continue
      const origin = originOf(past, answer.label)
      for (const [bucket, price] of points) fill(bucket, roundPrice(price), origin)
    }
    ;[finer, before] = [own, filled]
  }
}

/**
 * Gives the bucket with which a day ended its close, so that every answer has one price for that moment. Where runs stopped
 * before, what another source saw later stays.
 */
export function settleMidnights({ points, days }: ListingPast, latest: Ms): void {
  const midnight = bucketOf(latest, '1d')
  for (const columns of points.values())
    for (const day of range(midnight - 30 * DAY_MS, midnight, DAY_MS)) {
      const bucket = day + DAY_MS - columns.width
      const [close, origin] = [days.at('close_usd', day), days.at('origin', day)]
      const isLater = origin === 0 && columns.at('origin', bucket) > 0
      if (!columns.has('price_usd', bucket) || Number.isNaN(close) || isLater) continue
      columns.assign(bucket, { price_usd: close, origin })
      if (origin > 0) columns.set('volume_24h_usd', bucket, Number.NaN)
    }
}

/** Drops points that are older than their windows. Points of another grid, as after a change of the cadence, are converted. */
export function clipPoints(past: ListingPast, { grid, latest }: PastClock): void {
  const widths = rangesByWidth(POINT_RANGES, grid)
  for (const [interval, own] of past.points) {
    if (widths.has(interval) || INTERVAL_MS[interval] > INTERVAL_MS[grid[1]]) continue
    const columns = pointsOf(past, grid[1])
    for (const bucket of own.buckets('price_usd')) columns.assign(bucketOf(bucket, grid[1]), own.row(bucket))
  }
  keepWindows(past, { grid, latest })
}

/** Drops points outside of their windows, and those of another grid. */
export function keepWindows({ points }: ListingPast, { grid, latest }: Pick<PastClock, 'grid' | 'latest'>): void {
  const widths = rangesByWidth(POINT_RANGES, grid)
  for (const [interval, columns] of points) {
    const days = widths.get(interval)
    const window = days && windowOf(days, interval, latest)
    if (window) columns.clip(window.from, window.to)
    else points.delete(interval)
  }
}

/** Whether at least half of the days of the last year have a price. */
export function hasYear({ days }: ListingPast, latest: Ms): boolean {
  const { from, to, buckets } = windowOf(365, '1d', latest)
  return days.buckets('close_usd', from, to).length * 2 >= buckets
}
