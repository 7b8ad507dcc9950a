import * as z from 'zod'
import { by } from '../contract/order.ts'
import { DAY_MS } from '../contract/time.ts'
import {
  type ClosedDay,
  type CloseRow,
  CLOSES_FILE,
  ClosesMembers,
  ClosesOfDayMembers,
  closesDay,
  closesFile,
} from '../contract/closes.ts'
import type { GridInterval } from '../contract/history.ts'
import { readJson } from '../contract/read-json.ts'
import { type RightsClass, narrowestOf } from '../contract/rights.ts'
import type { Asset } from '../contract/asset.ts'
import type { Feed } from '../feed/feed.ts'
import { bucketOf, timestampOf } from './grid.ts'
import type { ExtendedCandles } from './extended-candles.ts'
import type { Readable } from './last-series.ts'

/** The closes of one day, as published. */
export type ClosesOfDay = z.infer<z.ZodObject<typeof ClosesOfDayMembers>>

/** The list of days, as published. */
type ClosesList = z.infer<z.ZodObject<typeof ClosesMembers>>

/** The closes of all days, extended by this run. */
export interface ExtendedCloses {
  readonly list: ClosesList
  /** Days that have a document, oldest first. */
  readonly days: readonly string[]
  /** Whether this run changed a day. */
  isChanged(this: void, day: string): boolean
  /** Returns a day, changed or not. */
  closesOf(this: void, day: string): ClosesOfDay
}

/** Closes of a world without any. */
export const NO_CLOSES: ExtendedCloses = {
  list: { today: null, missing: 0, keptDays: null, count: 0, rows: [] },
  days: [],
  isChanged: () => false,
  closesOf: (day) => emptyDay(day),
}

/** Days after which a day that no run saw is no longer filled: until then candles may still come. */
export const FILL_DAYS = 7

/** Least number of days that stay in a tree: a day enters the archive when no run changes it any more. */
export const LEAST_KEPT_DAYS = FILL_DAYS + 2

const dayOf = (ms: number): string => timestampOf(ms).slice(0, 10)
const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)

const OfDay = z.object(ClosesOfDayMembers)
const List = z.object(ClosesMembers)

/** Arguments of {@link extendedCloses}. */
export interface ClosesInputs {
  readonly snapshot: Pick<Feed['snapshot'], 'listed' | 'sources'>
  /** Files of the last publication. A day that is lost is none of them: it is missing from then on. */
  readonly files: readonly string[]
  readonly last: Readable
  readonly candles: Pick<ExtendedCandles, 'candleSlugs' | 'candlesOf'>
  /** Time of the run in ms since 1970. */
  readonly now: number
  /** Width of the buckets in which runs are counted. */
  readonly interval: GridInterval
  /** Number of days that stay in the tree; null: all. */
  readonly keptDays: number | null
}

/**
 * Extends the closes by the prices of this run. Only the day of the run changes, and days that no run saw while they are
 * filled from candles. A day before the newest one never changes, whatever the clock does.
 */
export function extendedCloses(inputs: ClosesInputs): ExtendedCloses {
  const { files, last, now, keptDays } = inputs
  const published = files.flatMap((file) => closesDay(file) ?? []).toSorted()
  const newest = published.at(-1) ?? ''
  const own = dayOf(now)
  const today = own >= newest ? own : newest
  const read = (day: string): ClosesOfDay | null => readJson(last.read(closesFile(day)), OfDay)
  const before = new Map(readJson(last.read(CLOSES_FILE), List)?.rows.map((row) => [row.day, row]))
  const extended = own === today ? extendedDay(newest === today ? read(today) : null, inputs) : null
  const changed = new Map(extended === null ? [] : [[today, extended]])
  const first = [...published, ...before.keys(), ...changed.keys()].toSorted()[0] ?? null
  const all = daysFrom(first, today, keptDays)
  for (const day of all.slice(-FILL_DAYS - 1, -1)) {
    if (published.includes(day) && before.get(day)?.basis === 'runs') continue
    const filled = filledDay(day, published.includes(day) ? read(day) : null, inputs)
    if (filled) changed.set(day, filled)
  }
  const known = new Set([...published, ...changed.keys()])
  const days = all.filter((day) => known.has(day))
  const rows = all.map((day): ClosedDay => {
    if (!known.has(day)) return { day, basis: null, listings: 0, runs: 0 }
    const [closes, standing] = [changed.get(day), before.get(day)]
    return !closes && standing?.basis ? standing : closedDay(closes ?? read(day) ?? emptyDay(day))
  })
  return {
    list: {
      today: all.at(-1) ?? null,
      missing: all.length - days.length,
      keptDays,
      count: rows.length,
      rows: rows.toReversed(),
    },
    days,
    isChanged: (day) => changed.has(day),
    closesOf: (day) => changed.get(day) ?? read(day) ?? emptyDay(day),
  }
}

const closedDay = ({ day, basis, runs, count }: ClosesOfDay): ClosedDay => ({ day, basis, listings: count, runs })

const emptyDay = (day: string): ClosesOfDay => ({
  day,
  basis: 'runs',
  runs: 0,
  asOf: `${day}T00:00:00Z`,
  count: 0,
  rows: [],
})

/** Returns the days from the first to the newest one that stay in the tree, oldest first. */
function daysFrom(first: string | null, today: string, keptDays: number | null): string[] {
  if (first === null) return []
  const oldest = keptDays === null ? 0 : startOf(today) - (keptDays - 1) * DAY_MS
  const days: string[] = []
  for (let at = Math.max(startOf(first), oldest); at <= startOf(today); at += DAY_MS) days.push(dayOf(at))
  return days
}

/** Returns the day of a run with its prices; null if it has none, or they change nothing. */
function extendedDay(published: ClosesOfDay | null, { snapshot, now, interval }: ClosesInputs): ClosesOfDay | null {
  const bucket = timestampOf(bucketOf(now, interval))
  const day = dayOf(now)
  const before = published?.basis === 'runs' ? published : emptyDay(day)
  const isNew = before.runs === 0 || bucket > before.asOf
  const rows = new Map(before.rows.map((row) => [row.slug, row]))
  const rightsOf = rightsBySource(snapshot.sources)
  let isChanged = isNew
  for (const { asset } of snapshot.listed) {
    const standing = rows.get(asset.slug)
    const seen = observedDay(asset, rightsOf)
    const row = seen && (standing ? joinedRow(standing, seen, isNew) : seen)
    if (row === null || (standing && sameRow(standing, row))) continue
    rows.set(asset.slug, row)
    isChanged = true
  }
  if (!isChanged || rows.size === 0) return null
  const runs = before.runs + (isNew ? 1 : 0)
  return { day, basis: 'runs', runs, asOf: isNew ? bucket : before.asOf, count: rows.size, rows: bySlug(rows.values()) }
}

/** Returns the day of a listing as this run alone saw it; null if it did not. */
function observedDay(
  { slug, price_usd: price, volume_24h_usd, market_cap_usd, price_basis }: Asset,
  rightsOf: ReadonlyMap<string, RightsClass>,
): CloseRow | null {
  if (price === null || price_basis.method === 'carried') return null
  const rights = narrowestOf(price_basis.sources.map(({ source_id }) => rightsOf.get(source_id) ?? 'unknown'))
  const prices = { close_usd: price, open_usd: price, high_usd: price, low_usd: price }
  return { slug, ...prices, volume_24h_usd, market_cap_usd, runs: 1, rights }
}

/** Returns a row with what a later run saw. Only the first run of a half hour counts. */
const joinedRow = (row: CloseRow, seen: CloseRow, isNew: boolean): CloseRow => ({
  ...seen,
  open_usd: row.open_usd,
  high_usd: Math.max(row.high_usd, seen.high_usd),
  low_usd: Math.min(row.low_usd, seen.low_usd),
  runs: row.runs + (isNew ? 1 : 0),
  rights: narrowestOf([row.rights, seen.rights]),
})

const sameRow = (a: CloseRow, b: CloseRow): boolean =>
  a.close_usd === b.close_usd &&
  a.high_usd === b.high_usd &&
  a.low_usd === b.low_usd &&
  a.volume_24h_usd === b.volume_24h_usd &&
  a.market_cap_usd === b.market_cap_usd &&
  a.runs === b.runs &&
  a.rights === b.rights

const bySlug = (rows: Iterable<CloseRow>): CloseRow[] => [...rows].toSorted(by((row) => row.slug))

const rightsBySource = (sources: ClosesInputs['snapshot']['sources']): ReadonlyMap<string, RightsClass> =>
  new Map(sources.map(({ source_id, rights }) => [source_id, rights.class]))

/** Returns a day that no run saw with the daily bars of venues; null if there are no new ones. A published row stays. */
function filledDay(day: string, before: ClosesOfDay | null, { candles }: ClosesInputs): ClosesOfDay | null {
  if (before?.basis === 'runs') return null
  const timestamp = `${day}T00:00:00Z`
  const rows = new Map(before?.rows.map((row) => [row.slug, row]))
  for (const slug of candles.candleSlugs) {
    const { rows: bars, rights } = candles.candlesOf(slug, 365)
    const bar = rows.has(slug) ? undefined : bars.findLast((one) => one.timestamp === timestamp)
    if (!bar) continue
    const { close_usd, open_usd, high_usd, low_usd } = bar
    const prices = { close_usd, open_usd, high_usd, low_usd }
    rows.set(slug, { slug, ...prices, volume_24h_usd: null, market_cap_usd: null, runs: 0, rights })
  }
  if (rows.size === (before?.count ?? 0)) return null
  const asOf = timestampOf(startOf(day) + DAY_MS)
  return { day, basis: 'candles', runs: 0, asOf, count: rows.size, rows: bySlug(rows.values()) }
}
