import { DAILY, type DailyColumns, type DailySeries, type DailySource } from '../contract/daily.ts'
import { roundPrice } from '../contract/numbers.ts'
import type { PastRow } from '../contract/observations.ts'
import { by } from '../contract/order.ts'
import { type RightsClass, narrowestOf } from '../contract/rights.ts'
import { DAY_MS, dayOf } from '../contract/time.ts'
import { type CombinedBar, combinedBar } from './bar-consensus.ts'
import { factorOf } from './believed-bars.ts'
import { isEndOf } from './daily-plan.ts'
import { type VenueBar, barsIn, venueBars } from './venue-bars.ts'

export interface DailyAnswer {
  readonly answer: PastRow
  readonly rights: RightsClass
  /** Returns the price in US dollars of the quote currency at a time in ms since 1970; null if it is unknown. */
  readonly rateAt: (ms: number) => number | null
}

/** A place in the past of a listing beyond which the bars of a venue are held back. */
export interface HeldPast {
  readonly slug: string
  readonly source_id: string
  /** Day and close of the last bar that is published, or is known otherwise. */
  readonly known: string
  /** Day and close of the first bar that is held back. */
  readonly held: string
}

/** Why a listing has no days. */
export const NO_DAYS =
  'No day was reported so far by a venue with daily bars: they are requested with a later run, or there are none.'

type Day = { readonly [Name in keyof DailyColumns]: DailyColumns[Name][number] }

/** Arguments of {@link extendDaily}. */
interface DailyExtension {
  readonly slug: string
  /** What is published so far; null: nothing. */
  readonly before: DailySeries | null
  readonly answers: readonly DailyAnswer[]
  /** Time of the run in ms since 1970. */
  readonly now: number
  /** Returns a price of the listing on a day in ms since 1970, if one is known otherwise. */
  readonly knownOn: (day: number) => number | null
}

interface Venue extends Pick<DailyAnswer, 'rateAt'> {
  readonly source_id: string
  readonly bars: ReadonlyMap<number, VenueBar>
  isHeld: boolean
}

/**
 * Extends the daily bars of a listing by the answers of venues, which are combined as candles are. A published day stays.
 * What contradicts the days beside it is held back, see {@link DAILY}.
 */
export function extendDaily(extension: DailyExtension): {
  readonly series: DailySeries
  readonly held: readonly HeldPast[]
} {
  const { slug, before, answers, now, knownOn } = extension
  const days = daysOf(before)
  const venues = answers.toSorted(by(({ answer }) => answer.source_id)).map(({ answer, rateAt }): Venue => {
    const own = venueBars(answer, { now, rateAt }).flatMap((bars) => [...barsIn(bars)])
    const [from, to] = answer.asked ?? [0, now]
    const bars = new Map(own.filter(([day]) => day >= from && day <= to))
    return { source_id: answer.source_id, rateAt, bars, isHeld: false }
  })
  const last = before?.to == null ? -Infinity : Date.parse(before.to)
  const all = [...new Set(venues.flatMap(({ bars }) => [...bars.keys()]))].toSorted((a, b) => a - b)
  const newer = all.filter((day) => day > last && before?.to != null)
  const older = all.slice(0, all.length - newer.length).toReversed()
  const held = [older, newer].flatMap((own) => {
    const [first] = own
    const next = first === undefined ? null : nextTo(first, own === newer ? -DAY_MS : DAY_MS, days, knownOn)
    return fillDays({ slug, days, venues }, own, next)
  })
  const isHeld = new Set(held.map(({ source_id }) => source_id))
  return { series: seriesOf(extension, days, isHeld), held }
}

interface Close {
  readonly day: number
  readonly close: number
}

/** Returns the close of the nearest day before (`step` below 0) or after a day; else what is known otherwise of the day. */
function nextTo(day: number, step: number, days: ReadonlyMap<number, Day>, knownOn: DailyExtension['knownOn']) {
  const beyond = [...days.keys()].filter((one) => (one - day) * step > 0)
  const nearest = step < 0 ? Math.max(...beyond) : Math.min(...beyond)
  const close = days.get(nearest)?.close_usd ?? null
  if (close !== null) return { day: nearest, close }
  const known = knownOn(day)
  return known === null ? null : { day, close: known }
}

/** Sets the bars of days, from the one beside those that are known. Returns what is held back. */
function fillDays(
  { slug, days, venues }: { slug: string; days: Map<number, Day>; venues: readonly Venue[] },
  order: readonly number[],
  known: Close | null,
): HeldPast[] {
  const held: HeldPast[] = []
  let next = known
  const hold = (venue: Venue, day: number, close: number) => {
    venue.isHeld = true
    const text = (one: Close) => `${dayOf(one.day)} ${roundPrice(one.close)}`
    held.push({ slug, source_id: venue.source_id, known: text(next ?? { day, close }), held: text({ day, close }) })
  }
  for (const day of order) {
    const own = venues.flatMap((venue) => {
      const bar = venue.isHeld ? undefined : venue.bars.get(day)
      return bar ? [{ venue, bar }] : []
    })
    const standing = days.get(day)?.close_usd ?? null
    if (standing !== null) next = { day, close: standing }
    const reference = next?.close ?? null
    const others = [...own.map(({ bar }) => bar.close), ...(standing === null ? [] : [standing])]
    const far = own.filter(({ bar }) => others.some((other) => isApart(bar.close, other, reference)))
    for (const { venue, bar } of far) hold(venue, day, bar.close)
    const kept = own.filter((one) => !far.includes(one))
    const bar = standing === null ? combinedBar(kept.map((one) => one.bar)) : null
    if (!bar) continue
    if (reference !== null && bar.venues < 2 && factorOf(bar.close, reference) >= DAILY.step_factor) {
      for (const one of kept) hold(one.venue, day, one.bar.close)
      continue
    }
    next = { day, close: bar.close }
    const reported = kept.flatMap((one) => (one.venue.rateAt(day + DAY_MS - 1) === 1 ? [one.bar] : []))
    days.set(day, dayOfBar(bar, reported))
  }
  return held
}

/** Whether a close contradicts that of another venue, and is not the one nearer to the day beside. */
const isApart = (close: number, other: number, reference: number | null): boolean =>
  factorOf(close, other) >= DAILY.contradiction_factor &&
  (reference === null || factorOf(close, reference) >= factorOf(other, reference))

const rounded = (volume: number | null): number | null => (volume === null ? null : Number(volume.toPrecision(3)))

const PRICES = ['close', 'open', 'high', 'low'] as const

/** Returns a bar as it is published: with the prices of one that a venue reported, or else with as many digits as computed ones have. */
function dayOfBar(bar: CombinedBar, reported: readonly VenueBar[]): Day {
  const isReported = reported.some((one) => PRICES.every((name) => roundPrice(one[name]) === roundPrice(bar[name])))
  const priceOf = isReported ? roundPrice : (price: number) => Number(price.toPrecision(DAILY.computed_digits))
  return {
    close_usd: priceOf(bar.close),
    open_usd: priceOf(bar.open),
    high_usd: priceOf(bar.high),
    low_usd: priceOf(bar.low),
    venue_volume_base: rounded(bar.volume),
    venue_volume_usd: rounded(bar.volume_usd),
    venues: bar.venues,
  }
}

/** Returns the days of a series that have a bar, oldest first, by their start in ms since 1970. */
export function daysOf(series: DailySeries | null): Map<number, Day> {
  const days = new Map<number, Day>()
  const first = Date.parse(series?.from ?? '')
  for (const [at, venues] of (series?.columns.venues ?? []).entries()) {
    if (!series || venues === 0) continue
    const { columns } = series
    days.set(first + at * DAY_MS, {
      close_usd: columns.close_usd[at] ?? null,
      open_usd: columns.open_usd[at] ?? null,
      high_usd: columns.high_usd[at] ?? null,
      low_usd: columns.low_usd[at] ?? null,
      venue_volume_base: columns.venue_volume_base[at] ?? null,
      venue_volume_usd: columns.venue_volume_usd[at] ?? null,
      venues,
    })
  }
  return days
}

/** A series of a listing without days. */
export const noDays = (slug: string): DailySeries =>
  seriesOf({ slug, before: null, answers: [], now: 0 }, new Map(), new Set())

function seriesOf(
  { slug, before, answers, now }: Omit<DailyExtension, 'knownOn'>,
  days: ReadonlyMap<number, Day>,
  held: ReadonlySet<string>,
): DailySeries {
  const starts = [...days.keys()].toSorted((a, b) => a - b)
  const [first, last] = [starts[0] ?? 0, starts.at(-1) ?? -DAY_MS]
  const rows = Array.from({ length: (last - first) / DAY_MS + 1 }, (_, at) => days.get(first + at * DAY_MS))
  const from = starts.length === 0 ? null : dayOf(first)
  const column = <Name extends keyof Day>(name: Name) => rows.map((day): Day[Name] | null => day?.[name] ?? null)
  return {
    slug,
    from,
    to: from === null ? null : dayOf(last),
    missing: rows.length - days.size,
    sources: sourcesOf(before?.sources ?? [], answers, held),
    notice: from === null ? NO_DAYS : null,
    olderAdded: from === (before?.from ?? null) ? (before?.olderAdded ?? null) : dayOf(now),
    rights: narrowestOf([...(before ? [before.rights] : []), ...answers.map(({ rights }) => rights)]),
    columns: {
      close_usd: column('close_usd'),
      open_usd: column('open_usd'),
      high_usd: column('high_usd'),
      low_usd: column('low_usd'),
      venue_volume_base: column('venue_volume_base'),
      venue_volume_usd: column('venue_volume_usd'),
      venues: rows.map((day) => day?.venues ?? 0),
    },
  }
}

function sourcesOf(
  before: readonly DailySource[],
  answers: readonly DailyAnswer[],
  held: ReadonlySet<string>,
): DailySource[] {
  const keyOf = ({ source_id, market }: Pick<DailySource, 'source_id' | 'market'>): string => `${source_id} ${market}`
  const sources = new Map(before.map((source) => [keyOf(source), source]))
  for (const { answer } of answers) {
    const { source_id, market, bars, asked } = answer
    if (!asked) continue
    const [from, to] = [dayOf(asked[0]), dayOf(asked[1])]
    const known = sources.get(keyOf(answer))
    const isOlder = known === undefined || from < known.from
    const oldest = bars.find(([at]) => at >= asked[0])?.[0]
    const isEnd = isOlder && isEndOf(oldest, asked[0])
    sources.set(keyOf(answer), {
      source_id,
      market,
      from: isOlder ? from : known.from,
      to: known === undefined || to > known.to ? to : known.to,
      complete: (known?.complete ?? false) || isEnd || held.has(source_id),
    })
  }
  return [...sources.values()].toSorted(by(keyOf))
}
