import { group } from 'd3-array'
import { by } from '../contract/order.ts'
import type { DayRatesRow } from '../contract/observations.ts'
import { roundPrice } from '../contract/numbers.ts'
import { COINS, type RatesOfSource } from '../contract/rate-of-day.ts'
import { RatesOfYear, ratesFile, ratesYear } from '../contract/rates.ts'
import { readJson } from '../contract/read-json.ts'
import { memberIn } from '../contract/text.ts'
import { DAY_MS, dayIn, dayOf } from '../contract/time.ts'
import type { Previous } from '../feed/listing.ts'
import type { Report } from '../sources/collect.ts'
import type { DayRates, Http, PastRates, Source } from '../sources/source.ts'
import { SourceError } from '../sources/source-error.ts'
import type { Keyed } from './keyed.ts'
import type { LastDocuments } from './last-series.ts'

/** Rates of a world without a past. */
export const NO_PAST_RATES: Keyed<RatesOfYear> = { keys: [], isChanged: () => false, of: (year) => ofYear(year, []) }

/** The days of one source in a year. */
type Span = RatesOfYear['sources'][number]

/** Returns the days of each source in a published year, read from the head of its document alone. */
function spansOf({ last }: LastDocuments, year: string): readonly Span[] {
  const { data } = RatesOfYear.shape.sources.safeParse(memberIn(last.head(ratesFile(year)), 'sources'))
  return data ?? []
}

const yearsIn = ({ files }: LastDocuments): string[] => files.flatMap((file) => ratesYear(file) ?? []).toSorted()

/** A range of days, both of them included. */
interface Range {
  readonly from: string
  readonly to: string
}

/**
 * Returns the days whose rates a source is to be asked for; null if none are due. A day that it has just set comes first;
 * then, one year a run, the years before, back to the first day of its series.
 *
 * @param newest the newest day that the source is known to have set rates for; null: unknown
 */
export function dueRates(
  { id, first }: Pick<Source, 'id'> & Pick<PastRates, 'first'>,
  newest: string | null,
  published: LastDocuments,
): Range | null {
  const known = new Map(
    yearsIn(published).flatMap((year) => {
      const own = spansOf(published, year).find(({ source }) => source === id)
      return own ? [[year, own] as const] : []
    }),
  )
  const last = [...known.values()].at(-1)?.to
  if (newest !== null && newest >= first && (last === undefined || newest > last)) {
    const start = `${newest.slice(0, 4)}-01-01`
    const from = last === undefined ? (start < first ? first : start) : dayOf(Date.parse(last) + DAY_MS)
    return { from, to: newest }
  }
  if (last === undefined) return null
  for (let year = Number(last.slice(0, 4)) - 1; year >= Number(first.slice(0, 4)); year--) {
    if (known.has(String(year))) continue
    const start = `${year}-01-01`
    return { from: start < first ? first : start, to: `${year}-12-31` }
  }
  return null
}

/** Arguments of {@link fetchPastRates}. */
interface RatesRequest extends LastDocuments {
  readonly reports: readonly Report[]
  readonly connect: (source: Source) => Http
  /** Whether anything may be requested. */
  readonly isOff: boolean
  /** Rows that are known already, such as those of recordings: such a source is not asked. */
  readonly given: readonly DayRatesRow[]
}

/** Requests the rates of past days that are due, with one request of each source. A failure is tried again by the next run. */
export async function fetchPastRates(request: RatesRequest) {
  const { reports, connect, isOff, given } = request
  const failures: string[] = []
  const rows = [...given]
  for (const { source, error, references } of reports) {
    const { id, pastRates } = source
    if (isOff || error !== null || !pastRates || given.some(({ source_id }) => source_id === id)) continue
    const set = references.flatMap(({ of, at }) => ('currency' in of ? [dayOf(at)] : []))
    const due = dueRates({ id, first: pastRates.first }, set.toSorted().at(-1) ?? null, request)
    if (due === null) continue
    try {
      // eslint-disable-next-line no-await-in-loop -- one source has rates of the past
      const days = await pastRates.ask(connect(source), due)
      if (days.length === 0) failures.push(`rates: ${id} has none from ${due.from} to ${due.to}`)
      rows.push(...days.flatMap((day) => rowOf(id, day, due)))
    } catch (cause) {
      if (!(cause instanceof SourceError)) throw cause
      failures.push(`rates ${due.from} to ${due.to}: ${cause.message}`)
    }
  }
  return { rows: rows.toSorted(by(({ source_id, day }) => `${source_id} ${day}`)), failures }
}

const rowOf = (source_id: string, { day, rates_usd }: DayRates, { from, to }: Range): DayRatesRow[] =>
  day < from || day > to
    ? []
    : [{ source_id, kind: 'day-rates', day, rates_usd: roundedRates(Object.entries(rates_usd)) }]

const roundedRates = (rates: readonly (readonly [string, number])[]): Record<string, number> =>
  Object.fromEntries(rates.map(([symbol, rate]) => [symbol, roundPrice(rate)]))

/** Arguments of {@link extendedRates}. */
interface RatesInputs extends LastDocuments {
  readonly fetched: { readonly rows: readonly DayRatesRow[] }
  readonly previous: Pick<Previous, 'rates'>
  /** Time of the run in ms since 1970. */
  readonly now: number
}

/**
 * Extends the rates of past days by those that were requested, and on the first run of a day by what the last run of the
 * day before measured. A rate that is published never changes. Coins have the rate of their closes, which are not repeated.
 */
export function extendedRates({ files, last, fetched, previous, now }: RatesInputs): Keyed<RatesOfYear> {
  const published = yearsIn({ files, last })
  const read = (year: string) => readJson(last.read(ratesFile(year)), RatesOfYear)
  const today = dayOf(now)
  const newRows = [
    ...fetched.rows.map(({ source_id, day, rates_usd }) => ({ day, source: source_id, rates_usd })),
    ...measuredBefore(today, previous),
  ].filter(({ day }) => day <= today)
  const changed = new Map<string, RatesOfYear>()
  for (const [year, added] of group(newRows, ({ day }) => day.slice(0, 4))) {
    const spans = spansOf({ files, last }, year)
    // Days are added in order, so a source has a day if its span ends with it.
    if (added.every(({ day, source }) => spans.some((span) => span.source === source && span.to === day))) continue
    const before = read(year)?.rows ?? []
    const known = new Set(before.map(keyOf))
    const fresh = added.filter((row) => !known.has(keyOf(row)))
    if (fresh.length > 0) changed.set(year, ofYear(year, [...before, ...fresh]))
  }
  return {
    keys: [...new Set([...published, ...changed.keys()])].toSorted(),
    isChanged: (year) => changed.has(year),
    of: (year) => changed.get(year) ?? read(year) ?? ofYear(year, []),
  }
}

const keyOf = ({ day, source }: RatesOfSource): string => `${day} ${source}`

const MEASURED: ReadonlySet<string> = new Set(['exchanges', 'crosses', 'aggregators'])

/** The rates that the last run of an earlier day measured. */
function measuredBefore(today: string, { rates }: Pick<Previous, 'rates'>): RatesOfSource[] {
  const measured = [...rates.values()].filter(
    ({ symbol, method, as_of }) => MEASURED.has(method) && !(symbol in COINS) && dayIn(as_of) < today,
  )
  return [...group(measured, ({ as_of }) => dayIn(as_of))].map(([day, own]) => ({
    day,
    source: 'rates',
    rates_usd: roundedRates(own.map(({ symbol, price_usd }) => [symbol, price_usd])),
  }))
}

/** Returns a year with its rows in order. */
export function ofYear(year: string, unsorted: readonly RatesOfSource[]): RatesOfYear {
  const rows = unsorted.toSorted(by(keyOf)).map((row) => ({ ...row }))
  const sources = [...group(rows, ({ source }) => source)]
    .map(([source, own]) => ({ source, from: own[0]?.day ?? '', to: own.at(-1)?.day ?? '' }))
    .toSorted(by((row) => row.source))
  return { year, sources, count: rows.length, rows }
}
