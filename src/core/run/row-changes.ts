import { isDeepStrictEqual } from 'node:util'
import { DAYS, type GridInterval, gridOf } from '../contract/history.ts'
import { groupBy } from '../contract/order.ts'
import { type Ms, DAY_MS, dayIn, dayOf } from '../contract/time.ts'
import { healthOf } from '../feed/health.ts'
import { bucketOf } from '../history/grid.ts'
import { CHANGES, PAST_TABLES, type PastTable, type PastSeries, isSlow, pastSeries } from '../history/past.ts'
import { firstOwn } from '../history/points.ts'
import type { Rows, RunRow } from '../history/rows.ts'
import { hasPoints } from '../history/series.ts'
import { areSame, closedPart, partOf, rowsLeft } from '../tree/tables.ts'

/**
 * Returns the names of what a run changed in the rows, see {@link CHANGES}: documents that show it are composed again. Among
 * them are tables and parts of them, see {@link closedPart} and {@link rowsLeft}. Empty where no row changed; null for the first
 * publication of a publisher by a version of the program, or at another cadence: all of them.
 */
export function changesBetween(before: Rows, after: Rows): ReadonlySet<string> | null {
  const settings = ({ site, run }: Rows) => [site, run?.cadence_ms]
  if (before.run === null || after.run === null || !isDeepStrictEqual(settings(before), settings(after))) return null
  const changed = new Set<string>()
  noteBuckets(before.run, after.run, changed)
  for (const [group, rows] of after.totals) if (rows !== before.totals.get(group)) changed.add(CHANGES.totals(group))
  for (const [year, rows] of after.pastRates) if (rows !== before.pastRates.get(year)) changed.add(CHANGES.year(year))
  for (const [day, rows] of after.events) if (rows !== before.events.get(day)) changed.add(CHANGES.events(day))
  noteHealth(before, after, changed)
  for (const slug of new Set([...before.past.keys(), ...after.past.keys()])) {
    const change = changeOf(slug, before, after)
    if (change === null) continue
    if (!change.now) changed.add(CHANGES.slugs)
    noteTables(change, after.run, changed)
    noteSeries(change, after.run, changed)
    noteDays(change, after.run, changed)
  }
  return changed.size === 0 && areSame(before, after) ? changed : changed.add(CHANGES.run)
}

/** Notes the widths of which a new bucket began, which ends the windows of all listings, and the parts that it closed. */
function noteBuckets(before: RunRow, after: RunRow, changed: Set<string>): void {
  const [last, latest] = [Date.parse(before.latest), Date.parse(after.latest)]
  const grid = gridOf(after.cadence_ms)
  for (const interval of Object.values(grid))
    if (bucketOf(last, interval) !== bucketOf(latest, interval)) changed.add(CHANGES.bucket(interval))
  if (dayOf(last) === dayOf(latest)) return
  for (const table of PAST_TABLES)
    for (const width of [1, DAY_MS]) changed.add(closedPart(table, partOf(bucketOf(last, '1d'), width, dayOf(latest))))
}

function noteHealth(before: Rows, after: Rows, changed: Set<string>): void {
  const healthIn = ({ listings, sources }: Rows) => healthOf([...listings.values()], [...sources.values()])
  const old = healthIn(before)
  for (const [slug, own] of healthIn(after))
    if (JSON.stringify(own) !== JSON.stringify(old.get(slug))) changed.add(CHANGES.health(slug))
}

type PastChange = NonNullable<ReturnType<typeof changeOf>>

/**
 * The past of a listing before and after a run, and its series with the buckets of a changed value: all of them where a series
 * is new, or gone (`isMoved`). `isWhole`: all of its documents change. Null where nothing changed.
 */
function changeOf(slug: string, before: Rows, after: Rows) {
  const [old, now] = [before.past.get(slug), after.past.get(slug)]
  const isDelisted = ({ listings }: Rows) => listings.get(slug)?.asset.listing_status === 'delisted'
  // The windows of a listing begin with its first point, and end with its last when it is delisted.
  const isWhole = !old || !now || isDelisted(before) !== isDelisted(after) || hasPoints(old) !== hasPoints(now)
  if (!isWhole && old === now) return null
  const all = [old, now].flatMap((past) => (past ? pastSeries(past) : []))
  const nameOf = ({ table, interval, source_id = '' }: PastSeries) => `${table} ${interval} ${source_id}`
  const touched = [...groupBy(all, nameOf).values()].flatMap((both) => {
    const [one, next] = both
    const known = isWhole ? null : next?.columns.touched
    const buckets = known ? [...known] : both.flatMap(({ key, columns }) => columns.buckets(key))
    return one ? [{ buckets, isMoved: isWhole || next === undefined, ...one }] : []
  })
  return { slug, old, now, isWhole, touched }
}

/** Returns the buckets of a series with a changed value. */
const touchedIn = ({ touched }: PastChange, table: PastTable, interval: GridInterval): readonly Ms[] =>
  touched.find((one) => one.table === table && one.interval === interval)?.buckets ?? []

/** Notes the tables of which a series left closed parts: one of a listing that is delisted may have lost what it had of it. */
function noteTables({ touched }: PastChange, { latest }: RunRow, changed: Set<string>): void {
  const isClosed = (bucket: Ms) => dayOf(bucket) < dayIn(latest)
  for (const { table, columns, buckets, isMoved } of touched)
    if (isMoved && buckets.some((bucket) => isClosed(bucket) && columns.touched?.has(bucket) === false))
      changed.add(rowsLeft(table))
}

/** Notes the ranges of history and candles. */
function noteSeries(change: PastChange, run: RunRow, changed: Set<string>): void {
  const { slug, now, isWhole } = change
  const latest = Date.parse(run.latest)
  const grid = gridOf(run.cadence_ms)
  const finest = touchedIn(change, 'points', grid[1])
  for (const range of DAYS) {
    const interval = grid[range]
    const open = bucketOf(latest, interval)
    const touched = touchedIn(change, interval === '1d' ? 'days' : 'points', interval)
    // The open bucket of a slow range shows the first value in it.
    const first = firstOwn(now?.points.get(grid[1]), open, latest + 1)
    const isShown = (bucket: Ms) => !isSlow(range) || bucket !== open
    if (isWhole || touched.some(isShown) || (first !== null && finest.includes(first)))
      changed.add(CHANGES.points(slug, interval))
    if (isWhole || touchedIn(change, 'bars', interval).length > 0) changed.add(CHANGES.bars(slug, interval))
  }
}

/** Notes the days since the listing, and the closes of days. */
function noteDays(change: PastChange, { latest }: RunRow, changed: Set<string>): void {
  const { slug, old, now, isWhole } = change
  const today = bucketOf(Date.parse(latest), '1d')
  const closed = touchedIn(change, 'days', '1d').filter((day) => day !== today)
  if (isWhole || closed.length > 0 || old?.asked !== now?.asked) changed.add(CHANGES.daily(slug))
  // What was added today is shown from tomorrow on, and volumes of venues are not shown.
  const isShown = (day: Ms) =>
    !((now?.days.at('added', day) ?? 0) >= today) && now?.days.at('close_usd', day) !== old?.days.at('close_usd', day)
  for (const day of closed) if (isWhole || isShown(day)) changed.add(CHANGES.day(dayOf(day)))
}
