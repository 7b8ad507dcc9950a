import { DAYS, gridOf } from '../contract/history.ts'
import { type Ms, DAY_MS, dayIn, dayOf } from '../contract/time.ts'
import { healthOf } from '../feed/health.ts'
import type { Columns } from '../history/columns.ts'
import { bucketOf } from '../history/grid.ts'
import { CHANGES, type ListingPast, isSlow } from '../history/past.ts'
import { firstOwn } from '../history/points.ts'
import type { Rows, RunRow } from '../history/rows.ts'
import { hasPoints } from '../history/series.ts'
import { PAST_TABLES, type PastTable, closedPart, partOf } from '../tree/tables.ts'

/**
 * Returns the names of what a run changed in the rows, see {@link CHANGES}, and of the closed parts of tables that it changed:
 * documents that show it are composed again, and those parts are written again.
 */
export function changesBetween(before: Rows, after: Rows): ReadonlySet<string> {
  const changed = new Set<string>([CHANGES.run])
  // A first publication composes and writes everything.
  if (before.run === null || after.run === null) return changed
  noteBuckets(before.run, after.run, changed)
  for (const [group, rows] of after.totals) if (rows !== before.totals.get(group)) changed.add(CHANGES.totals(group))
  for (const [year, rows] of after.pastRates) if (rows !== before.pastRates.get(year)) changed.add(CHANGES.year(year))
  for (const [day, rows] of after.events) if (rows !== before.events.get(day)) changed.add(CHANGES.events(day))
  noteHealth(before, after, changed)
  for (const slug of new Set([...before.past.keys(), ...after.past.keys()])) {
    const change = changeOf(slug, before, after)
    if (change === null) continue
    if (!change.now) changed.add(CHANGES.slugs)
    noteParts(change, after.run, changed)
    noteSeries(change, after.run, changed)
    noteDays(change, after.run, changed)
  }
  return changed
}

/** Notes the widths of which a new bucket began, which ends the windows of all listings, and the parts that it closed. */
function noteBuckets(before: RunRow, after: RunRow, changed: Set<string>): void {
  const [last, latest] = [Date.parse(before.latest), Date.parse(after.latest)]
  const grid = gridOf(after.cadence_ms)
  const isOther = gridOf(before.cadence_ms)[1] !== grid[1]
  for (const interval of Object.values(grid))
    if (isOther || bucketOf(last, interval) !== bucketOf(latest, interval)) changed.add(CHANGES.bucket(interval))
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

/** The past of a listing before and after a run. */
interface PastChange {
  readonly slug: string
  readonly old: ListingPast | undefined
  readonly now: ListingPast | undefined
  /** Whether all of its documents change. */
  readonly isWhole: boolean
}

/** Returns null where nothing changed. */
function changeOf(slug: string, before: Rows, after: Rows): PastChange | null {
  const [old, now] = [before.past.get(slug), after.past.get(slug)]
  const isDelisted = ({ listings }: Rows) => listings.get(slug)?.asset.listing_status === 'delisted'
  // The windows of a listing begin with its first point, and end with its last when it is delisted.
  const isWhole = !old || !now || isDelisted(before) !== isDelisted(after) || hasPoints(old) !== hasPoints(now)
  return isWhole || old !== now ? { slug, old, now, isWhole } : null
}

/** Returns the buckets of a series with a changed value: all of them where it is new, or gone. */
function touchedIn(table: PastTable, interval: string, { old, now, isWhole }: PastChange): Ms[] {
  const [before, own] = [old, now].map((past) => past && seriesOf(table, past).get(interval))
  if (!isWhole && before && own?.touched) return [...own.touched]
  return [before, own].flatMap((series) => (series ? bucketsOf(series) : []))
}

function noteParts(change: PastChange, { latest }: RunRow, changed: Set<string>): void {
  const today = dayIn(latest)
  const pasts = [change.old, change.now].filter((past) => past !== undefined)
  for (const table of PAST_TABLES)
    for (const [interval, { width }] of new Map(pasts.flatMap((past) => [...seriesOf(table, past)])))
      for (const bucket of touchedIn(table, interval, change))
        if (dayOf(bucket) < today) changed.add(closedPart(table, partOf(bucket, width, today)))
}

/** Notes the ranges of history and candles. */
function noteSeries(change: PastChange, run: RunRow, changed: Set<string>): void {
  const { slug, now, isWhole } = change
  const latest = Date.parse(run.latest)
  const grid = gridOf(run.cadence_ms)
  const finest = touchedIn('points', grid[1], change)
  for (const range of DAYS) {
    const interval = grid[range]
    const open = bucketOf(latest, interval)
    const touched = touchedIn(interval === '1d' ? 'days' : 'points', interval, change)
    // The open bucket of a slow range shows the first value in it.
    const first = firstOwn(now?.points.get(grid[1]), open, latest + 1)
    const isShown = (bucket: Ms) => !isSlow(range) || bucket !== open
    if (isWhole || touched.some(isShown) || (first !== null && finest.includes(first)))
      changed.add(CHANGES.points(slug, interval))
    if (isWhole || touchedIn('bars', interval, change).length > 0) changed.add(CHANGES.bars(slug, interval))
  }
}

/** Notes the days since the listing, and the closes of days. */
function noteDays(change: PastChange, { latest }: RunRow, changed: Set<string>): void {
  const { slug, old, now, isWhole } = change
  const today = bucketOf(Date.parse(latest), '1d')
  const closed = touchedIn('days', '1d', change).filter((day) => day !== today)
  if (isWhole || closed.length > 0 || old?.asked !== now?.asked) changed.add(CHANGES.daily(slug))
  // What was added today is shown from tomorrow on, and volumes of venues are not shown.
  const isShown = (day: Ms) =>
    !((now?.days.at('added', day) ?? 0) >= today) && now?.days.at('close_usd', day) !== old?.days.at('close_usd', day)
  for (const day of closed) if (isWhole || isShown(day)) changed.add(CHANGES.day(dayOf(day)))
}

type Series = Pick<Columns<string>, 'from' | 'to' | 'width' | 'isEmpty' | 'touched'>

/** Returns the series of a table by width. */
function seriesOf(table: PastTable, { points, bars, days }: ListingPast): ReadonlyMap<string, Series> {
  if (table === 'points') return points
  if (table === 'days') return new Map([['1d', days]])
  return new Map([...bars].map(([interval, { columns }]) => [interval, columns]))
}

function bucketsOf({ from, to, width, isEmpty }: Series): Ms[] {
  const buckets: Ms[] = []
  if (isEmpty) return buckets
  for (let bucket = from; bucket <= to; bucket += width) buckets.push(bucket)
  return buckets
}
