import { by } from '../contract/order.ts'
import { DAY_MS, dayIn, dayOf } from '../contract/time.ts'
import {
  type ClosedDay,
  type CloseRow,
  CLOSES_FILE,
  ClosesList,
  ClosesOfDay,
  closesDay,
  closesFile,
} from '../contract/closes.ts'
import type { GridInterval } from '../contract/history.ts'
import { readJson } from '../contract/read-json.ts'
import { type RightsClass, narrowestOf } from '../contract/rights.ts'
import type { Asset } from '../contract/asset.ts'
import type { Feed } from '../feed/feed.ts'
import { bucketOf, timestampOf } from './grid.ts'
import type { Keyed } from './keyed.ts'
import type { ExtendedCandles } from './extended-candles.ts'
import { daysOf } from './daily-series.ts'
import type { ExtendedDaily } from './extended-daily.ts'
import type { Readable } from './last-series.ts'

export interface ExtendedCloses extends Keyed<ClosesOfDay> {
  readonly list: ClosesList
}

/** Closes of a world without any. */
export const NO_CLOSES: ExtendedCloses = {
  list: { today: null, missing: 0, keptDays: null, olderFrom: null, count: 0, rows: [] },
  keys: [],
  isChanged: () => false,
  of: (day) => emptyDay(day),
}

/** How days that no run saw are filled with the bars of venues. */
export const FILLING = {
  /** Days for which every run fills such a day with candles, as they come. */
  recent_days: 7,
  /**
   * Rows of older days that the first run of a day fills from `/daily`, in turn, because it reads those of all listings: 100
   * days of 1,250 of them. More would be over a gigabyte.
   */
  rows_a_turn: 125_000,
} as const

const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`)

/** Arguments of {@link extendedCloses}. */
export interface ClosesInputs {
  readonly snapshot: Pick<Feed['snapshot'], 'listed' | 'sources'>
  /** Files of the last publication. A day that is lost is none of them: it is missing from then on. */
  readonly files: readonly string[]
  readonly last: Readable
  readonly candles: Pick<ExtendedCandles, 'candleSlugs' | 'candlesOf'>
  readonly daily: Pick<ExtendedDaily, 'keys' | 'oldest' | 'between'>
  /** Time of the run in ms since 1970. */
  readonly now: number
  /** Width of the buckets in which runs are counted. */
  readonly interval: GridInterval
  /** Number of days for which a day made of bars stays; null: for ever. */
  readonly keptDays: number | null
}

/**
 * Extends the closes by the prices of this run. Only the day of the run changes, and days that no run saw, also those before
 * the first run, to which bars of venues are added. What runs saw stays, whatever the clock does.
 */
export function extendedCloses(inputs: ClosesInputs): ExtendedCloses {
  const days = publishedDays(inputs)
  const { published, before, read, newest, isSeen } = days
  const { daily, now, keptDays } = inputs
  const own = dayOf(now)
  const today = own >= newest ? own : newest
  const extended = own === today ? extendedDay(newest === today ? read(today) : null, inputs) : null
  const first = days.first ?? (extended === null ? null : today)
  const listed = first === null ? [] : daysBetween(first, today)
  const there = new Set(published)

  const oldest = keptDays === null ? '' : daysBefore(today, keptDays - 1)
  const isKept = (day: string): boolean => day >= oldest || isSeen(day)
  const unseen = listed.slice(0, -1).filter((day) => isKept(day) && !(isSeen(day) && there.has(day)))
  const isRecent = (day: string): boolean => day >= daysBefore(today, FILLING.recent_days)
  const past = (from: string): string[] => [
    ...daysBetween(daily.oldest() ?? from, daysBefore(from, 1)).filter(isKept),
    ...unseen.filter((day) => !isRecent(day)),
  ]
  const turn = first === null || newest === today ? [] : inTurn(past(first), daily.keys.length, now)
  const changed = filledDays([...turn, ...unseen.filter(isRecent)], read, inputs)
  if (extended !== null) changed.set(today, extended)

  const known = new Set([...published.filter(isKept), ...changed.keys()].toSorted())
  const rows = listed.map((day): ClosedDay => {
    if (!known.has(day)) return { day, basis: null, listings: 0, runs: 0 }
    const [closes, standing] = [changed.get(day), before.get(day)]
    return !closes && standing?.basis ? standing : closedDay(closes ?? read(day) ?? emptyDay(day))
  })
  return {
    list: {
      today: listed.at(-1) ?? null,
      missing: rows.filter(({ basis }) => basis === null).length,
      keptDays,
      olderFrom: [...known].find((day) => day < (listed[0] ?? '')) ?? null,
      count: rows.length,
      rows: rows.toReversed(),
    },
    keys: [...known],
    isChanged: (day) => changed.has(day),
    of: (day) => changed.get(day) ?? read(day) ?? emptyDay(day),
  }
}

/** Reads the days of the last publication. `first`: the first one that a run saw; null: none did. */
function publishedDays({ files, last }: ClosesInputs) {
  const published = files.flatMap((file) => closesDay(file) ?? []).toSorted()
  const read = (day: string): ClosesOfDay | null => readJson(last.read(closesFile(day)), ClosesOfDay)
  const before = new Map(readJson(last.read(CLOSES_FILE), ClosesList)?.rows.map((row) => [row.day, row]))
  // Where the list is lost, the days themselves tell what runs saw.
  const isSeen = (day: string): boolean => (before.get(day) ?? (before.size === 0 ? read(day) : null))?.basis === 'runs'
  const first = [...before.keys()].toSorted()[0] ?? published.find(isSeen) ?? null
  return { published, before, read, newest: published.at(-1) ?? '', isSeen, first }
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

const daysBefore = (day: string, count: number): string => dayOf(startOf(day) - count * DAY_MS)

/** Returns the days from one to another, both of them included, oldest first. */
const daysBetween = (from: string, to: string): string[] =>
  Array.from({ length: Math.max(0, (startOf(to) - startOf(from)) / DAY_MS + 1) }, (_, at) => daysBefore(from, -at))

/** Returns the days whose turn it is on the day of a run, which are fewer the more listings there are. */
function inTurn(days: readonly string[], listings: number, now: number): readonly string[] {
  const most = Math.max(1, Math.floor(FILLING.rows_a_turn / Math.max(1, listings)))
  const turns = Math.max(1, Math.ceil(days.length / most))
  const from = (Math.floor(now / DAY_MS) % turns) * most
  return days.slice(from, from + most)
}

/** Returns the day of a run with its prices; null if it has none, or they change nothing. */
function extendedDay(published: ClosesOfDay | null, { snapshot, now, interval }: ClosesInputs): ClosesOfDay | null {
  const bucket = timestampOf(bucketOf(now, interval))
  const day = dayOf(now)
  const before = published?.basis === 'runs' ? published : emptyDay(day)
  const isNew = before.runs === 0 || bucket > before.asOf
  const rows = new Map(before.rows.map((row) => [row.slug, row]))
  const rightsOf = new Map(snapshot.sources.map(({ source_id, rights }) => [source_id, rights.class]))
  let isChanged = isNew
  for (const { asset } of snapshot.listed) {
    const standing = rows.get(asset.slug)
    const seen = observedDay(asset, rightsOf)
    const row = seen && (standing ? joinedRow(standing, seen, isNew) : seen)
    if (row === null || (standing && JSON.stringify(standing) === JSON.stringify(row))) continue
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

const bySlug = (rows: Iterable<CloseRow>): CloseRow[] => [...rows].toSorted(by((row) => row.slug))

/** Returns the days to which bars are added: those of `/daily`, else of the candles. A published row stays. */
function filledDays(
  wanted: readonly string[],
  read: (day: string) => ClosesOfDay | null,
  inputs: ClosesInputs,
): Map<string, ClosesOfDay> {
  const before = new Map(wanted.map((day) => [day, read(day)]))
  const days = wanted.filter((day) => before.get(day)?.basis !== 'runs')
  const filled = new Map(
    days.map((day) => [day, new Map(before.get(day)?.rows.map((row) => [row.slug, row]))] as const),
  )
  for (const { slug, day, prices, rights } of barsOf(days, inputs)) {
    const { close_usd, open_usd, high_usd, low_usd } = prices
    const rows = filled.get(day)
    if (!rows || rows.has(slug) || !close_usd || !open_usd || !high_usd || !low_usd) continue
    const bar = { slug, close_usd, open_usd, high_usd, low_usd }
    rows.set(slug, { ...bar, volume_24h_usd: null, market_cap_usd: null, runs: 0, rights })
  }
  const isNew = ([day, rows]: readonly [string, ReadonlyMap<string, CloseRow>]): boolean =>
    rows.size > (before.get(day)?.count ?? 0)
  return new Map(
    [...filled].filter(isNew).map(([day, rows]) => {
      const asOf = timestampOf(startOf(day) + DAY_MS)
      return [day, { day, basis: 'candles', runs: 0, asOf, count: rows.size, rows: bySlug(rows.values()) }]
    }),
  )
}

/** Yields the bars of all listings on some days, in order: those of `/daily`, then the candles, which are of the last year. */
function* barsOf(days: readonly string[], { candles, daily, now }: ClosesInputs) {
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return
  for (const slug of daily.keys) {
    const series = daily.between(slug, { from: first, to: last })
    for (const [start, prices] of daysOf(series))
      yield { slug, day: dayIn(timestampOf(start)), prices, rights: series?.rights ?? 'unknown' }
  }
  for (const slug of startOf(last) < now - 365 * DAY_MS ? [] : candles.candleSlugs) {
    const { rows, rights } = candles.candlesOf(slug, 365)
    for (const bar of rows) yield { slug, day: dayIn(bar.timestamp), prices: bar, rights }
  }
}
