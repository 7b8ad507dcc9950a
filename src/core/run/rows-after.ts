import { extendEvents, isAfterGap, listingFacts, type EventFacts } from '../history/events.ts'
import type { Asset } from '../contract/asset.ts'
import type { SourceRow } from '../contract/collector.ts'
import { RUN_DAYS, type RunDay } from '../contract/collector.ts'
import type { LastRun } from '../contract/last-run.ts'
import type { DayRatesRow } from '../contract/observations.ts'
import { byKey } from '../contract/order.ts'
import { narrowestOf } from '../contract/rights.ts'
import { type Ms, DAY_MS, MINUTE_MS, dayIn, dayOf, isoOf } from '../contract/time.ts'
import type { Feed } from '../feed/feed.ts'
import { type Health, healthOf } from '../feed/health.ts'
import type { Listing } from '../feed/listing.ts'
import { pegsAfter } from '../feed/pegs.ts'
import { METHODOLOGY } from '../feed/methodology.ts'
import { extendBars } from '../history/bars.ts'
import { FOLLOWING } from '../history/candle-plan.ts'
import { type HeldPast, type SeenDay, adoptDays, daysFromCandles, extendDays } from '../history/days.ts'
import { agreeingWith } from '../history/agreeing-figures.ts'
import { bucketOf, timestampOf } from '../history/grid.ts'
import { CHANGES, type ListingPast, type PastClock, copyOf, noPast } from '../history/past.ts'
import type { PastPrices } from '../history/past-prices.ts'
import { extendRates } from '../history/past-rates.ts'
import {
  type Extending,
  type ObservedPrice,
  backfill,
  clipPoints,
  noteAll,
  observe,
  observeDay,
} from '../history/points.ts'
import { hasPoints } from '../history/series.ts'
import type { RunRow, SiteRow } from '../history/row-schemas.ts'
import type { Rows } from '../history/rows.ts'
import { extendTotals } from '../history/totals.ts'
import { gridOf } from '../contract/history.ts'
import { closedPart, partOf } from '../tree/tables.ts'

/** What a run adds to the rows besides its feed. */
interface RunAnswers extends Pick<EventFacts, 'moved' | 'closing'> {
  readonly prices: Pick<PastPrices, 'backfills' | 'bars' | 'daily'>
  readonly rates: readonly DayRatesRow[]
  readonly sources: readonly SourceRow[]
  readonly requests: Rows['requests']
  readonly site: SiteRow
  /** Of this run. */
  readonly run: Omit<RunRow, 'latest'>
  /** Runs since the last publication that published nothing. */
  readonly unpublished: LastRun['unpublished']
}

/**
 * Returns the rows after a run, and what changed in them, for the documents and the parts of tables that depend on it.
 * Equal arguments give equal rows.
 */
export function rowsAfter(
  rows: Rows,
  { snapshot, stocks }: Pick<Feed, 'snapshot' | 'stocks'>,
  answers: RunAnswers,
  now: Ms,
) {
  const changed = new Set<string>([CHANGES.run])
  const clock = clockOf(rows, answers.run.cadence_ms, now)
  noteBuckets(rows, clock, changed)
  const seen = seenAfter(rows.seen, clock)
  const isNewBucket = seen !== rows.seen && isCounted(rows.seen, seen, dayOf(now))
  const today = dayOf(clock.latest)
  const startOfToday = bucketOf(clock.latest, '1d')
  const mark: Extending['mark'] = (table, bucket, width) => {
    if (rows.run !== null && bucket < startOfToday) changed.add(closedPart(table, partOf(bucket, width, today)))
  }
  const { past, held } = pastAfter(rows, snapshot, answers, { clock, isNewBucket, changed, mark })
  noteHealth(rows, healthOf(snapshot.listings, snapshot.sources), changed)
  const pegs = new Map(pegsAfter(rows.pegs, snapshot).map((row) => [row.slug, row]))
  const facts: EventFacts = {
    pegs,
    moved: answers.moved ?? null,
    closing: answers.closing,
    pastHeld: held,
    build: { at: snapshot.at, nextAt: snapshot.nextBuildAt },
    listings: listingFacts(snapshot.listed.map(({ asset }) => asset)),
    successor: (slug) => snapshot.bySlug.get(slug)?.asset.replaced_by ?? null,
    sources: snapshot.sources,
    methodology: METHODOLOGY,
    requests: answers.requests.rows,
  }
  const { events, added } = extendEvents(rows.events, { before: factsOf(rows), now: facts, at: snapshot.at }, changed)
  const next: Rows = {
    site: answers.site,
    run: { ...answers.run, latest: isoOf(clock.latest) },
    runDays: runDaysAfter(rows, answers.unpublished, now),
    seen,
    listings: new Map(snapshot.listings.map((listing) => [listing.asset.slug, withPast(listing, past, clock)])),
    sources: new Map(answers.sources.map((row) => [row.source_id, row])),
    rates: new Map(snapshot.rates.map((rate) => [rate.symbol, rate])),
    pairs: snapshot.pairs,
    pegs,
    stocks,
    past,
    pastRates: extendRates(rows.pastRates, { fetched: answers.rates, before: rows.rates, now }, changed),
    totals: extendTotals(rows.totals, snapshot, changed),
    events,
    requests: answers.requests,
    documents: rows.documents,
  }
  return { rows: next, changed, events: added }
}

interface Extended extends Pick<Extending, 'changed' | 'mark'> {
  readonly clock: PastClock
  /** Whether it is the first run of its half hour. */
  readonly isNewBucket: boolean
}

function pastAfter(
  rows: Rows,
  { listings }: Feed['snapshot'],
  { prices, sources }: Pick<RunAnswers, 'prices' | 'sources'>,
  { clock, isNewBucket, ...notes }: Extended,
) {
  const past = new Map<string, ListingPast>()
  const held: HeldPast[] = []
  const byId = new Map(sources.map((row) => [row.source_id, row]))
  const labelOf = (id: string) => byId.get(id)?.source_label ?? id
  for (const { asset } of listings) {
    const { slug } = asset
    const standing = pastOf(rows.past, asset)
    if (asset.replaced_by !== null) continue
    if (asset.listing_status === 'delisted') {
      if (standing) past.set(slug, standing)
      if (standing) endPast({ slug, past: standing, ...notes }, rows.listings.get(slug)?.asset)
      continue
    }
    const extending: Extending = { slug, past: standing ? copyOf(standing) : noPast(), ...notes }
    adoptDays(extending, formerPasts(rows.past, asset))
    clipPoints(extending, clock)
    const observation = observationOf(asset, byId)
    if (observation) {
      observe(extending, observation, clock)
      if (isOwnDay(rows.seen, clock.now)) observeDay(extending, observation, { ...clock, isNewBucket })
    }
    held.push(...extendDays(extending, prices.daily.get(slug) ?? [], clock))
    extendBars(extending, prices.bars.get(slug) ?? [], clock)
    daysFromCandles(extending, clock, labelOf)
    backfill(extending, prices.backfills.get(slug) ?? [], clock)
    dropFallen(extending, asset)
    noteBeginning(rows, extending, standing)
    past.set(slug, extending.past)
  }
  const gone = [...rows.past].filter(([slug]) => !past.has(slug))
  for (const [slug, own] of gone) noteAll({ slug, past: own, ...notes })
  if (gone.length > 0) notes.changed.add(CHANGES.slugs)
  return { past: new Map([...past].toSorted(byKey)), held }
}

function withPast(listing: Listing, past: Rows['past'], clock: PastClock): Listing {
  const own = past.get(listing.asset.slug)
  if (own === undefined || listing.asset.listing_status === 'delisted') return listing
  return { ...listing, asset: agreeingWith(own, clock, listing.asset) }
}

/** Has everything of a listing written in the run that delists it: its windows end with its last point from then on. */
function endPast(extending: Extending, before: Asset | undefined): void {
  if (before?.listing_status !== 'delisted') noteAll(extending)
}

function dropFallen(extending: Extending, { market_cap_rank }: Asset): void {
  const { bars } = extending.past
  if ((market_cap_rank ?? 0) <= FOLLOWING.kept || bars.size === 0) return
  noteAll(extending)
  bars.clear()
}

function noteBeginning({ run }: Rows, extending: Extending, before: ListingPast | undefined): void {
  // Everything is written in a first run.
  if (run === null) return
  if ((before === undefined || !hasPoints(before)) && hasPoints(extending.past)) noteAll(extending)
}

function clockOf({ run }: Rows, cadenceMs: number, now: Ms): PastClock {
  const grid = gridOf(cadenceMs)
  const last = run === null ? null : Date.parse(run.latest)
  return {
    grid,
    now,
    latest: Math.max(now, last ?? now),
    lateBefore: last === null ? -Infinity : bucketOf(last, grid[1]),
    // A first publication shows all that it has at once.
    added: bucketOf(Math.max(now, last ?? now), '1d') - (last === null ? DAY_MS : 0),
  }
}

/** Notes the widths of which a new bucket began: the windows of all listings end with it. */
function noteBuckets({ run }: Rows, { grid, latest }: PastClock, changed: Set<string>): void {
  const last = run === null ? null : Date.parse(run.latest)
  const before = run === null ? null : gridOf(run.cadence_ms)
  for (const interval of Object.values(grid))
    if (last === null || before?.[1] !== grid[1] || bucketOf(last, interval) !== bucketOf(latest, interval))
      changed.add(CHANGES.bucket(interval))
  if (last === null || dayOf(last) === dayOf(latest)) return
  // What was the open part is a closed one now.
  const day = bucketOf(last, '1d')
  for (const table of ['points', 'bars', 'days'] as const)
    for (const width of [1, DAY_MS]) changed.add(closedPart(table, partOf(day, width, dayOf(latest))))
}

/** Whether the day of a run is not before the newest that runs saw: a clock that went back changes no closes. */
const isOwnDay = (seen: Rows['seen'], now: Ms): boolean => dayOf(now) >= ([...seen.keys()].at(-1) ?? '')

/** Returns the days that runs saw with this run: only the first run of a half hour counts. */
function seenAfter(seen: Rows['seen'], { now, grid }: PastClock): Rows['seen'] {
  const day = dayOf(now)
  if (!isOwnDay(seen, now)) return seen
  const bucket = timestampOf(bucketOf(now, grid[1]))
  const before = seen.get(day)
  if (before && bucket <= before.as_of) return seen
  const today: SeenDay = { day, half_hours: (before?.half_hours ?? 0) + 1, as_of: bucket }
  return new Map([...seen, [day, today]])
}

const isCounted = (before: Rows['seen'], after: Rows['seen'], day: string): boolean =>
  before.get(day)?.half_hours !== after.get(day)?.half_hours

const pastOf = (past: Rows['past'], { slug, aliases }: Asset): ListingPast | undefined =>
  past.get(slug) ?? aliases.map((alias) => past.get(alias)).find((one) => one !== undefined)

const formerPasts = (past: Rows['past'], { slug, aliases }: Asset): readonly ListingPast[] =>
  past.has(slug) ? aliases.flatMap((alias) => past.get(alias) ?? []) : []

function observationOf(
  { price_usd, volume_24h_usd, market_cap_usd, price_basis }: Asset,
  sources: ReadonlyMap<string, SourceRow>,
): ObservedPrice | null {
  if (price_usd === null || price_basis.method === 'carried') return null
  const rights = narrowestOf(
    price_basis.sources.map(({ source_id }) => sources.get(source_id)?.rights.class ?? 'unknown'),
  )
  return { price_usd, volume_24h_usd, market_cap_usd, rights }
}

/** Notes the listings whose sources are in another state than in the last publication. */
function noteHealth(rows: Rows, now: ReadonlyMap<string, Health>, changed: Set<string>): void {
  const before = healthOf([...rows.listings.values()], [...rows.sources.values()])
  for (const [slug, health] of now)
    if (JSON.stringify(health) !== JSON.stringify(before.get(slug))) changed.add(CHANGES.health(slug))
}

/** Returns the facts of the last publication; null before the first. */
function factsOf({ run, listings, sources, requests, pegs }: Rows): EventFacts | null {
  if (run === null) return null
  return {
    build: { at: run.at, nextAt: run.next_at },
    pegs,
    listings: listingFacts([...listings.values()].map(({ asset }) => asset)),
    successor: () => null,
    sources: [...sources.values()],
    methodology: run.methodology,
    requests: requests.rows,
  }
}

/**
 * Returns the runs by day after a publication: those before, this one, the runs between the two that published nothing, and
 * the gap before it.
 */
function runDaysAfter({ runDays, run }: Rows, unpublished: LastRun['unpublished'], now: Ms): RunDay[] {
  const days = new Map(runDays.map((one) => [one.day, one]))
  const add = (day: string, name: Exclude<keyof RunDay, 'day'>, more: number) => {
    const before = days.get(day) ?? { day, published: 0, refused: 0, failed: 0, gap_minutes: 0 }
    days.set(day, { ...before, [name]: before[name] + more })
  }
  for (const { at, outcome } of unpublished)
    if (run === null || at > run.at) add(dayIn(at), outcome === 'refused' ? 'refused' : 'failed', 1)
  if (run !== null && isAfterGap({ at: run.at, nextAt: run.next_at }, now)) {
    const from = Math.max(Date.parse(run.at), now - RUN_DAYS * DAY_MS)
    for (const [day, minutes] of minutesByDay(from, Date.parse(isoOf(now)))) add(day, 'gap_minutes', minutes)
  }
  add(dayOf(now), 'published', 1)
  return [...days.values()].toSorted((a, b) => (a.day < b.day ? -1 : 1)).slice(-RUN_DAYS)
}

/** Returns the minutes of each day, UTC, between two times in ms since 1970, rounded. */
function minutesByDay(from: number, to: number): ReadonlyMap<string, number> {
  const minutes = new Map<string, number>()
  for (let start = from, end; start < to; start = end) {
    end = Math.min(to, (Math.floor(start / DAY_MS) + 1) * DAY_MS)
    minutes.set(dayOf(start), Math.round((end - start) / MINUTE_MS))
  }
  return minutes
}
