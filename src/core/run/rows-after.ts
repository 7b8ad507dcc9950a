import { range } from 'd3-array'
import { extendEvents, isAfterGap, listingFacts, type EventFacts } from '../history/events.ts'
import type { Asset } from '../contract/asset.ts'
import { RUN_DAYS, type SourceRow } from '../contract/collector.ts'
import type { LastRun } from '../contract/last-run.ts'
import type { DayRatesRow } from '../contract/observations.ts'
import { byKey } from '../contract/order.ts'
import { narrowestOf } from '../contract/rights.ts'
import { type Ms, DAY_MS, MINUTE_MS, dayIn, dayOf, isoOf } from '../contract/time.ts'
import type { Feed } from '../feed/feed.ts'
import type { Listing } from '../feed/listing.ts'
import { pegsAfter } from '../feed/pegs.ts'
import { extendBars } from '../history/bars.ts'
import { FOLLOWING } from '../history/demands.ts'
import { adoptDays, daysFromCandles, extendDays, seenDays } from '../history/days.ts'
import { agreeingWith } from '../history/agreeing-figures.ts'
import { bucketOf, timestampOf } from '../history/grid.ts'
import { type ListingPast, type PastClock, copyOf, noPast } from '../history/past.ts'
import type { PastAnswer } from '../history/answers.ts'
import { extendRates } from '../history/past-rates.ts'
import { backfill, clipPoints, observe, observeDay, settleMidnights } from '../history/points.ts'
import type { Rows, RunRow, RunsRow, SiteRow } from '../history/rows.ts'
import { extendTotals } from '../history/totals.ts'
import { gridOf } from '../contract/history.ts'

/** What a run adds to the rows besides its feed. */
interface RunAnswers extends Pick<EventFacts, 'moved'>, Pick<LastRun, 'unpublished'>, Pick<Rows, 'requests'> {
  /** Answers about the past by slug. */
  readonly prices: ReadonlyMap<string, readonly PastAnswer[]>
  readonly rates: readonly DayRatesRow[]
  readonly sources: readonly SourceRow[]
  readonly site: SiteRow
  /** Of this run. */
  readonly run: Omit<RunRow, 'latest'>
}

/** Returns the rows after a run, and the events of it. Equal arguments give equal rows. */
export function rowsAfter(rows: Rows, feed: Pick<Feed, 'snapshot' | 'stocks'>, answers: RunAnswers, now: Ms) {
  const { snapshot, stocks } = feed
  const clock = pastClockOf(rows, answers.run.cadence_ms, now)
  const runs = runsAfter(rows, answers.unpublished, clock)
  const { past, held } = pastAfter(rows, snapshot, answers, { runs, clock })
  const pegs = new Map(pegsAfter(rows.pegs, snapshot).map((row) => [row.slug, row]))
  const next = {
    site: answers.site,
    run: { ...answers.run, latest: isoOf(clock.latest) },
    runs,
    listings: new Map(snapshot.listings.map((listing) => [listing.asset.slug, withPast(listing, past, clock)])),
    sources: new Map(answers.sources.map((row) => [row.source_id, row])),
    rates: new Map(snapshot.rates.map((rate) => [rate.symbol, rate])),
    pairs: snapshot.pairs,
    pegs,
    stocks,
    past,
    pastRates: extendRates(rows.pastRates, { fetched: answers.rates, before: rows.rates, now }),
    totals: extendTotals(rows.totals, snapshot),
    requests: answers.requests,
    documents: rows.documents,
  }
  const facts: EventFacts = {
    ...factsOf(next, next.run),
    moved: answers.moved ?? null,
    pastHeld: held,
    successor: (slug) => snapshot.bySlug.get(slug)?.asset.replaced_by ?? null,
  }
  const before = rows.run && factsOf(rows, rows.run)
  const { events, added } = extendEvents(rows.events, before, facts, snapshot.at)
  return { rows: { ...next, events } satisfies Rows, events: added }
}

function pastAfter(
  rows: Rows,
  { listings, bySlug }: Feed['snapshot'],
  { prices, sources }: Pick<RunAnswers, 'prices' | 'sources'>,
  { runs, clock }: Pick<Rows, 'runs'> & { readonly clock: PastClock },
) {
  const past = new Map<string, ListingPast>()
  const today = dayOf(clock.now)
  const isNewBucket = runs.get(today)?.half_hours !== rows.runs.get(today)?.half_hours
  const held: NonNullable<EventFacts['pastHeld']>[number][] = []
  const byId = new Map(sources.map((row) => [row.source_id, row]))
  const labelOf = (id: string) => byId.get(id)?.source_label ?? id
  for (const { asset } of listings) {
    const { slug, aliases } = asset
    // An alias may be the slug of another listing.
    const formerSlugs = aliases.filter((alias) => bySlug.get(alias)?.asset.replaced_by === slug)
    const formers = formerSlugs.flatMap((alias) => rows.past.get(alias) ?? [])
    const standing = rows.past.get(slug) ?? formers[0]
    if (asset.replaced_by !== null) continue
    if (asset.listing_status === 'delisted') {
      if (standing) past.set(slug, standing)
      continue
    }
    const own = standing ? copyOf(standing) : noPast()
    past.set(slug, own)
    adoptDays(own, formers)
    clipPoints(own, clock)
    const observation = observationOf(asset, byId)
    if (observation) {
      observe(own, observation, clock)
      if (isOwnDay(rows, clock.now)) observeDay(own, observation, clock, isNewBucket)
    }
    const answers = prices.get(slug) ?? []
    held.push(...extendDays(own, answers, clock).map((bar) => ({ slug, ...bar })))
    extendBars(own, answers, clock)
    daysFromCandles(own, clock, labelOf)
    backfill(own, answers, clock)
    settleMidnights(own, clock.latest)
    if ((asset.market_cap_rank ?? 0) > FOLLOWING.kept) own.bars.clear()
  }
  return { past: new Map([...past].toSorted(byKey)), held }
}

function withPast(listing: Listing, past: Rows['past'], clock: PastClock): Listing {
  const own = past.get(listing.asset.slug)
  if (own === undefined || listing.asset.listing_status === 'delisted') return listing
  return { ...listing, asset: agreeingWith(own, clock, listing.asset) }
}

export function pastClockOf({ run }: Rows, cadenceMs: number, now: Ms): PastClock {
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

/** Whether the day of a run is not before the newest that runs saw: a clock that went back changes no closes. */
const isOwnDay = ({ runs }: Rows, now: Ms): boolean => dayOf(now) >= (seenDays(runs).at(-1) ?? '')

function observationOf({ price_usd, volume_24h_usd, market_cap_usd, price_basis }: Asset, sources: Rows['sources']) {
  if (price_usd === null || price_basis.method === 'carried') return null
  const rights = narrowestOf(
    price_basis.sources.map(({ source_id }) => sources.get(source_id)?.rights.class ?? 'unknown'),
  )
  return { price_usd, volume_24h_usd, market_cap_usd, rights }
}

/** Returns the facts of a publication, which no listing has left. */
const factsOf = (
  { listings, sources, requests, pegs }: Pick<Rows, 'listings' | 'sources' | 'requests' | 'pegs'>,
  run: RunAnswers['run'],
): EventFacts => ({
  run,
  pegs,
  listings: listingFacts([...listings.values()].map(({ asset }) => asset)),
  successor: () => null,
  sources: [...sources.values()],
  methodology: run.methodology,
  requests: requests.rows,
})

/**
 * Returns the runs by day after a publication: those before, this one, the runs between the two that published nothing, and
 * the gap before it. Only the first run of a half hour counts for closes.
 */
function runsAfter(rows: Rows, unpublished: RunAnswers['unpublished'], { now, grid }: PastClock): Rows['runs'] {
  const { runs, run } = rows
  const days = new Map(runs)
  const add = (day: string, name: Exclude<keyof RunsRow, 'day' | 'as_of'>, more: number): RunsRow => {
    const before = days.get(day) ?? { ...NO_RUNS, day }
    const row = { ...before, [name]: before[name] + more }
    days.set(day, row)
    return row
  }
  for (const { at, outcome } of unpublished)
    if (run === null || at > run.at) add(dayIn(at), outcome === 'refused' ? 'refused' : 'failed', 1)
  if (run !== null && isAfterGap(run, now)) {
    const [from, to] = [Math.max(Date.parse(run.at), now - RUN_DAYS * DAY_MS), Date.parse(isoOf(now))]
    for (const start of range(bucketOf(from, '1d'), to, DAY_MS)) {
      const gap = Math.min(to, start + DAY_MS) - Math.max(from, start)
      add(dayOf(start), 'gap_minutes', Math.round(gap / MINUTE_MS))
    }
  }
  // A run at the time of the last one takes its place.
  const today = add(dayOf(now), 'published', Number(run?.at !== isoOf(now)))
  const bucket = timestampOf(bucketOf(now, grid[1]))
  if (isOwnDay(rows, now) && bucket > (today.as_of ?? ''))
    days.set(today.day, { ...add(today.day, 'half_hours', 1), as_of: bucket })
  return new Map([...days].toSorted(byKey))
}

const NO_RUNS = { published: 0, refused: 0, failed: 0, gap_minutes: 0, half_hours: 0, as_of: null }
