import { least, range, sort } from 'd3-array'
import { CLOSES_DAYS, type ClosesList, type ClosesOfDay, DAILY, type DailySource } from '../contract/daily.ts'
import { roundPrice } from '../contract/numbers.ts'
import { by, byKey } from '../contract/order.ts'
import { RIGHTS, type RightsClass, narrowestOf } from '../contract/rights.ts'
import { type Ms, DAY_MS, dayOf } from '../contract/time.ts'
import { type CombinedBar, combinedBar } from './bar-consensus.ts'
import { factorOf } from './believed-bars.ts'
import { isEndOf } from './demands.ts'
import { bucketOf, timestampOf } from './grid.ts'
import { DAY_BASIS, type DayColumn, type ListingPast, type PastClock, originOf } from './past.ts'
import { rightsAt } from './points.ts'
import type { Rows } from './rows.ts'
import { type PastAnswer, type VenueBars, startsOf, venueBars } from './answers.ts'

/** A day whose bar at a venue is held back: alone, or with all days before it. */
export interface HeldBar {
  readonly source_id: string
  /** Day and close of the nearest day that is published, or is known otherwise. */
  readonly known: string
  /** Day and close of the bar that is held back. */
  readonly held: string
}

interface Venue {
  readonly answer: PastAnswer
  readonly bars: VenueBars
  /** Whether its bars beyond the current day are of another asset or unit. */
  isHeld: boolean
}

/**
 * Extends the days of a listing by daily bars of venues, which are combined as candles are. A day that a run saw keeps its
 * prices, and a day with a bar keeps that. What contradicts the days beside it is held back, see {@link DAILY}.
 */
export function extendDays(past: ListingPast, answers: readonly PastAnswer[], { now, added }: PastClock): HeldBar[] {
  const daily = answers.filter(({ days }) => days === 'all')
  if (daily.length === 0) return []
  const venues = daily.toSorted(by(({ source_id }) => source_id)).map((answer): Venue => {
    const [from, to] = answer.asked ?? [0, now]
    const bars = venueBars(answer, '1d', now)
    bars.clip(from, to)
    return { answer, bars, isHeld: false }
  })
  const all = sort(new Set(venues.flatMap(({ bars }) => bars.buckets('close_usd'))))
  const newest = past.days.last('venues') ?? Infinity
  const [older, newer] = [all.filter((day) => day <= newest), all.filter((day) => day > newest)]
  const held = [
    ...fill(past, venues, { order: older.toReversed(), step: -DAY_MS, added }),
    ...fill(past, venues, { order: newer, step: DAY_MS, added }),
  ]
  past.asked = askedAfter(past.asked, daily, new Set(held.map(({ source_id }) => source_id)))
  return held
}

function fill(
  past: ListingPast,
  venues: readonly Venue[],
  { order, step, added }: { readonly order: readonly number[]; readonly step: number; readonly added: number },
): HeldBar[] {
  const { days } = past
  const held: HeldBar[] = []
  const [first = Number.NaN] = order
  const text = (day: number, price: number) => `${dayOf(day)} ${roundPrice(price)}`
  // The nearest day with a price, on the side that the days are filled from.
  let inner = step < 0 ? days.first('close_usd', first) : days.last('close_usd', first)
  for (const day of order) {
    const standing = days.value('close_usd', day)
    const neighbour = inner === null ? null : days.value('close_usd', inner)
    const judged = judge(venues, day, { neighbour, step, standing })
    for (const { venue, close, isLasting } of judged.held) {
      venue.isHeld ||= isLasting
      const known = text(inner ?? day, neighbour ?? close)
      held.push({ source_id: venue.answer.source_id, known, held: text(day, close) })
    }
    const bar = combinedBar(
      judged.kept.map(({ venue }) => venue.bars),
      day,
    )
    if (bar) setBar(past, day, bar, { kept: judged.kept, neighbour, added })
    if (days.has('close_usd', day)) inner = day
  }
  return held
}

interface Candidate {
  readonly venue: Venue
  readonly close: number
}

/**
 * Decides which bars of a day count. Closes that are apart are never averaged: the one nearer to the neighbours counts. A
 * bar that leaves its neighbours alone, while they agree with each other, is held back for this day, and one that leaves
 * them for good is held back with all that lies beyond it.
 */
function judge(
  venues: readonly Venue[],
  day: number,
  { neighbour, step, standing }: Readonly<Record<'neighbour' | 'standing', number | null> & Record<'step', number>>,
) {
  const all: Candidate[] = venues.flatMap((venue) => {
    const close = venue.isHeld ? null : venue.bars.value('close_usd', day)
    return close === null ? [] : [{ venue, close }]
  })
  const held: (Candidate & { readonly isLasting: boolean })[] = []
  const reference = standing ?? neighbour
  const isFar = (close: number, other: number) => factorOf(close, other) >= DAILY.contradiction_factor
  const kept = all.filter((own) => {
    const { venue, close } = own
    const isSeconded = all.some((other) => other !== own && areNear(other, own))
    if (reference === null || isSeconded) return true
    const outer = venue.bars.value('close_usd', day + step)
    const isIsolated =
      outer !== null &&
      factorOf(close, reference) >= DAILY.isolated_factor &&
      factorOf(close, outer) >= DAILY.isolated_factor &&
      factorOf(outer, reference) < DAILY.isolated_factor
    const contradicts = standing !== null && isFar(close, standing)
    const isOther = all.some(
      (one) => isFar(close, one.close) && factorOf(close, reference) > factorOf(one.close, reference),
    )
    const isStep = factorOf(close, reference) >= DAILY.step_factor
    if (!isIsolated && !contradicts && !isOther && !isStep) return true
    held.push({ isLasting: !isIsolated, ...own })
    return false
  })
  const isApart = kept.some((one) => kept.some((other) => !areNear(one, other)))
  if (!isApart) return { kept, held }
  const near = kept.filter(({ close }) => reference !== null && factorOf(close, reference) < DAILY.isolated_factor)
  const best = least(near, ({ close }) => factorOf(close, reference ?? 1))
  const chosen = best ? kept.filter((one) => areNear(one, best)) : []
  for (const one of kept) if (!chosen.includes(one)) held.push({ isLasting: false, ...one })
  return { kept: chosen, held }
}

const areNear = (a: Candidate, b: Candidate): boolean => factorOf(a.close, b.close) <= 1 + DAILY.apart_percent / 100

/** @param neighbour close of the day beside it */
function setBar(
  past: ListingPast,
  day: number,
  bar: CombinedBar,
  { kept, neighbour, added }: { kept: readonly Candidate[]; neighbour: number | null; added: number },
): void {
  const { days } = past
  if (days.has('venues', day)) return
  days.assign(day, {
    venue_volume_base: Number(bar.volume_base.toPrecision(3)),
    venue_volume_usd: Number(bar.volume_usd.toPrecision(3)),
    venues: bar.venues,
    measured: added,
  })
  // Its row in the closes of the day is published, and never changes.
  if (days.at('basis', day) <= DAY_BASIS.candles) return
  const reported = kept.filter(({ venue }) => venue.answer.rateAt(day + DAY_MS - 1) === 1)
  const isReported = reported.some(({ venue: { bars } }) =>
    PRICES.every((name) => roundPrice(bars.at(name, day)) === roundPrice(bar[name])),
  )
  const priceOf = isReported ? roundPrice : (price: number) => Number(price.toPrecision(DAILY.computed_digits))
  // The wick of one venue that leaves the days beside it by a factor is not known to be the market's.
  const isWild = (extreme: number) =>
    bar.venues === 1 &&
    factorOf(extreme, bar.close_usd) >= DAILY.wick_factor &&
    factorOf(extreme, neighbour ?? bar.close_usd) >= DAILY.wick_factor
  const tamed = (extreme: number) => (isWild(extreme) ? Number.NaN : priceOf(extreme))
  const [open_usd, high_usd, low_usd] = [tamed(bar.open_usd), tamed(bar.high_usd), tamed(bar.low_usd)]
  const prices = { close_usd: priceOf(bar.close_usd), open_usd, high_usd, low_usd }
  const rights = kept.map(({ venue }) => venue.answer.rights)
  const labels = kept.map(({ venue }) => venue.answer.label)
  setPrices(past, day, prices, { rights, labels, added })
}

/** Sets the prices of a day to those of a bar. */
function setPrices(
  past: ListingPast,
  day: number,
  prices: Readonly<Partial<Record<(typeof PRICES)[number], number>>>,
  { rights, labels, added }: { rights: readonly RightsClass[]; labels: readonly string[]; added: number },
): void {
  const { days } = past
  const isReplaced = days.at('basis', day) === DAY_BASIS.price && days.at('added', day) < added
  days.assign(day, {
    replaced_usd: isReplaced ? days.at('close_usd', day) : Number.NaN,
    ...prices,
    basis: DAY_BASIS.candles,
    rights: RIGHTS.indexOf(narrowestOf(rights)),
    origin: originOf(past, [...new Set(labels)].toSorted().join(', ')),
    added,
  })
}

const PRICES = ['close_usd', 'open_usd', 'high_usd', 'low_usd'] as const

/** Returns the venues that were asked, after their answers. One that had a day held back may have older ones. */
function askedAfter(before: readonly DailySource[], answers: readonly PastAnswer[], held: ReadonlySet<string>) {
  const keyOf = ({ source_id, market }: Pick<DailySource, 'source_id' | 'market'>): string => `${source_id} ${market}`
  const sources = new Map(before.map((source) => [keyOf(source), source]))
  for (const answer of answers) {
    const { source_id, market, asked } = answer
    if (!asked) continue
    const [from, to] = [dayOf(asked[0]), dayOf(asked[1])]
    const known = sources.get(keyOf(answer))
    const isOlder = known === undefined || from < known.from
    const oldest = startsOf(answer).find((at) => at >= asked[0])
    const isEnd = isOlder && isEndOf(oldest, asked[0]) && !held.has(source_id)
    sources.set(keyOf(answer), {
      source_id,
      market,
      from: isOlder ? from : known.from,
      to: known === undefined || to > known.to ? to : known.to,
      complete: (known?.complete ?? false) || isEnd,
    })
  }
  return [...sources.values()].toSorted(by(keyOf))
}

/** Adds the days of listings that became this one, where it has none of its own. */
export function adoptDays(past: ListingPast, formers: readonly ListingPast[]): void {
  const { days } = past
  for (const former of formers)
    for (const day of former.days.buckets('close_usd')) {
      if (days.has('close_usd', day)) continue
      days.assign(day, former.days.row(day))
      const label = former.labels[former.days.at('origin', day) - 1]
      days.set('origin', day, label === undefined ? 0 : originOf(past, label))
    }
}

/** Sets days that no run saw to the daily bars of candles, which are of more venues and come sooner. */
export function daysFromCandles(past: ListingPast, { now, added }: PastClock, labelOf: (id: string) => string): void {
  const series = past.bars.get('1d')
  if (!series) return
  const { columns, rights, sources } = series
  const { days } = past
  const today = bucketOf(now, '1d')
  for (const day of columns.buckets('close_usd', undefined, today - DAY_MS)) {
    if (days.has('close_usd', day) && days.at('basis', day) !== DAY_BASIS.price) continue
    const { volume_base: _volume, venues: _venues, ...prices } = columns.row(day)
    setPrices(past, day, prices, { rights, labels: sources.map(labelOf), added })
  }
}

/** The start of the first daily bar of a listing, and the end of the last one, in ms since 1970; null if no venue has one. */
export function spanOfDays({ days }: ListingPast): { readonly from: number; readonly to: number } | null {
  const [from, last] = [days.first('venues'), days.last('venues')]
  return from === null || last === null ? null : { from, to: last + DAY_MS }
}

/** Returns the daily bars of a listing, in columns; null if no venue has one. */
export function dailyOf(past: ListingPast, slug: string) {
  const { days, asked } = past
  const span = spanOfDays(past)
  if (span === null) return null
  const { from: first, to: end } = span
  const starts = range(first, end, DAY_MS)
  // A past close alone is no bar.
  const isBar = (day: number) => days.at('basis', day) <= DAY_BASIS.candles && days.has('venues', day)
  const known = starts.filter(isBar)
  const column = (name: DayColumn) => starts.map((day) => (isBar(day) ? days.value(name, day) : null))
  const added = days.value('added', first)
  return {
    slug,
    from: dayOf(first),
    to: dayOf(end - DAY_MS),
    missing: starts.length - known.length,
    sources: [...asked],
    olderAdded: added === null ? null : dayOf(added),
    rights: narrowestOf([...new Set(known.map((day) => rightsAt(days, day)))]),
    columns: {
      close_usd: column('close_usd'),
      open_usd: column('open_usd'),
      high_usd: column('high_usd'),
      low_usd: column('low_usd'),
      venue_volume_base: column('venue_volume_base'),
      venue_volume_usd: column('venue_volume_usd'),
      venues: column('venues').map((count) => count ?? 0),
    },
  }
}

/** What the closes of all listings are made of. */
interface ClosesInputs extends Pick<Rows, 'past' | 'runs'> {
  /** Start of the day of the last run. */
  readonly today: Ms
}

/**
 * Whether a listing has a close of a day: what runs saw of it, or where none saw the day, bars that were there before today.
 */
function isClosed({ days }: ListingPast, day: number, isSeen: boolean, today: Ms): boolean {
  if (!days.has('high_usd', day) || !days.has('low_usd', day)) return false
  if (isSeen) return days.at('basis', day) === DAY_BASIS.runs
  return days.at('basis', day) === DAY_BASIS.candles && days.at('added', day) < today
}

export function closesOf(day: string, { past, runs, today }: ClosesInputs): ClosesOfDay {
  const start = Date.parse(day)
  const { as_of = null, half_hours = 0 } = runs.get(day) ?? {}
  const closed = [...past].filter(([, own]) => isClosed(own, start, as_of !== null, today))
  const rows = closed.toSorted(byKey).map(([slug, { days }]) => ({
    slug,
    close_usd: days.at('close_usd', start),
    open_usd: days.at('open_usd', start),
    high_usd: days.at('high_usd', start),
    low_usd: days.at('low_usd', start),
    volume_24h_usd: days.value('volume_24h_usd', start),
    market_cap_usd: days.value('market_cap_usd', start),
    runs: days.value('runs', start) ?? 0,
    rights: rightsAt(days, start),
  }))
  const basis = as_of === null ? 'candles' : 'runs'
  return { day, basis, runs: half_hours, asOf: as_of ?? timestampOf(start + DAY_MS), count: rows.length, rows }
}

/** Number of listings with a close of each of the last {@link CLOSES_DAYS}, by the start of the day: the days of {@link closesOf}. */
export function closedDays({ past, runs, today }: ClosesInputs): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  const seen = new Set(seenDays(runs).map((day) => Date.parse(day)))
  for (const own of past.values())
    for (const day of own.days.buckets('high_usd', today - CLOSES_DAYS * DAY_MS))
      if (isClosed(own, day, seen.has(day), today)) counts.set(day, (counts.get(day) ?? 0) + 1)
  return counts
}

/** Returns the days that runs saw, oldest first. */
export const seenDays = (runs: Rows['runs']): readonly string[] =>
  [...runs.values()].flatMap(({ day, as_of }) => (as_of === null ? [] : [day]))

/** Returns the list of the days from the first that a run saw to the last, newest first. */
export function closesList(counts: ReadonlyMap<number, number>, { runs, today }: ClosesInputs): ClosesList {
  const [first] = seenDays(runs)
  const from = first === undefined ? Infinity : Date.parse(first)
  const rows = range(from, today + 1, DAY_MS).map((start): ClosesList['rows'][number] => {
    const day = dayOf(start)
    const { as_of = null, half_hours = 0 } = runs.get(day) ?? {}
    const listings = counts.get(start) ?? 0
    const basis = as_of !== null ? 'runs' : listings > 0 ? 'candles' : null
    return { day, basis, listings, runs: half_hours }
  })
  const older = first === undefined ? [] : [...counts.keys()].filter((day) => day < from)
  return {
    today: rows.at(-1)?.day ?? null,
    missing: rows.filter(({ basis }) => basis === null).length,
    olderFrom: older.length === 0 ? null : dayOf(Math.min(...older)),
    count: rows.length,
    rows: rows.toReversed(),
  }
}
