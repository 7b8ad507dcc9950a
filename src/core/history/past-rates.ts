import { group } from 'd3-array'
import { by } from '../contract/order.ts'
import type { DayRatesRow } from '../contract/observations.ts'
import { roundPrice } from '../contract/numbers.ts'
import { COINS } from '../contract/rate-of-day.ts'
import type { RatesOfSource } from '../contract/rates.ts'
import { type Ms, DAY_MS, dayIn, dayOf } from '../contract/time.ts'
import type { Previous } from '../feed/listing.ts'
import type { Report } from '../sources/collect.ts'
import type { Http, PastRates, Source } from '../sources/source.ts'
import { SourceError } from '../sources/source-error.ts'
import type { Rows } from './rows.ts'

/**
 * Returns the days whose rates a source is to be asked for; null if none are due. A day that it has just set comes first;
 * then, one year a run, the years before, back to the first day of its series.
 *
 * @param newest the newest day that the source is known to have set rates for; null: unknown
 */
export function dueRates(
  { id, first }: Pick<Source, 'id'> & Pick<PastRates, 'first'>,
  newest: string | null,
  rates: Rows['pastRates'],
): { readonly from: string; readonly to: string } | null {
  const years = [...rates.keys()].filter((year) => rates.get(year)?.some(({ source }) => source === id)).toSorted()
  const last = rates.get(years.at(-1) ?? '')?.findLast(({ source }) => source === id)?.day
  const startOf = (year: string) => (first.startsWith(year) ? first : `${year}-01-01`)
  if (newest !== null && newest >= first && (last === undefined || newest > last))
    return { from: last === undefined ? startOf(newest.slice(0, 4)) : dayOf(Date.parse(last) + DAY_MS), to: newest }
  if (last === undefined) return null
  for (let year = Number(last.slice(0, 4)) - 1; year >= Number(first.slice(0, 4)); year--) {
    if (!years.includes(String(year))) return { from: startOf(String(year)), to: `${year}-12-31` }
  }
  return null
}

interface RatesRequest {
  readonly known: Rows['pastRates']
  readonly reports: readonly Report[]
  readonly connect: (source: Source) => Http
  /** Rows that are known already, such as those of recordings: such a source is not asked. */
  readonly given: readonly DayRatesRow[]
}

/** Requests the rates of past days that are due, with one request of each source. A failure is tried again by the next run. */
export async function fetchPastRates(request: RatesRequest) {
  const { reports, connect, given } = request
  const failures: string[] = []
  const rows = [...given]
  for (const { source, error, references } of reports) {
    const { id, pastRates } = source
    if (error !== null || !pastRates || given.some(({ source_id }) => source_id === id)) continue
    const set = references.flatMap(({ of, at }) => ('currency' in of ? [dayOf(at)] : []))
    const due = dueRates({ id, first: pastRates.first }, set.toSorted().at(-1) ?? null, request.known)
    if (due === null) continue
    try {
      // eslint-disable-next-line no-await-in-loop -- one source has rates of the past
      const days = await pastRates.ask(connect(source), due)
      if (days.length === 0) failures.push(`rates: ${id} has none from ${due.from} to ${due.to}`)
      for (const { day, rates_usd } of days.filter((one) => one.day >= due.from && one.day <= due.to)) {
        const rounded = roundedRates(Object.entries(rates_usd))
        rows.push({ source_id: id, kind: 'day-rates', day, rates_usd: rounded })
      }
    } catch (cause) {
      if (!(cause instanceof SourceError)) throw cause
      failures.push(`rates ${due.from} to ${due.to}: ${cause.message}`)
    }
  }
  return { rows: rows.toSorted(by(({ source_id, day }) => `${source_id} ${day}`)), failures }
}

const roundedRates = (rates: readonly (readonly [string, number])[]): Record<string, number> =>
  Object.fromEntries(rates.map(([symbol, rate]) => [symbol, roundPrice(rate)]))

/**
 * Returns the rates of past days with those that were requested, and on the first run of a day with what the last run of the
 * day before measured. Coins have the rate of their closes, which are not repeated.
 *
 * @param before the reference rates of the last run
 * @param now time of the run in ms since 1970
 */
export function extendRates(
  known: Rows['pastRates'],
  { fetched, before, now }: Readonly<{ fetched: readonly DayRatesRow[]; before: Previous['rates']; now: Ms }>,
): Rows['pastRates'] {
  const today = dayOf(now)
  const offered = [
    ...fetched.map(({ source_id, day, rates_usd }) => ({ day, source: source_id, rates_usd })),
    ...measuredBefore(today, before),
  ].filter(({ day }) => day <= today)
  const years = new Map(known)
  for (const [year, added] of group(offered, ({ day }) => day.slice(0, 4))) {
    const rows = years.get(year) ?? []
    const there = new Set(rows.map(keyOf))
    const fresh = added.filter((row) => !there.has(keyOf(row)))
    if (fresh.length === 0) continue
    years.set(year, [...rows, ...fresh].toSorted(by(keyOf)))
  }
  return years
}

const keyOf = ({ day, source }: RatesOfSource): string => `${day} ${source}`

const MEASURED: ReadonlySet<string> = new Set(['exchanges', 'crosses', 'aggregators'])

function measuredBefore(today: string, rates: Previous['rates']): RatesOfSource[] {
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
export function ofYear(year: string, unsorted: readonly RatesOfSource[]) {
  const rows = unsorted.toSorted(by(keyOf)).map((row) => ({ ...row }))
  const sources = [...group(rows, ({ source }) => source)]
    .map(([source, own]) => ({ source, from: own[0]?.day ?? '', to: own.at(-1)?.day ?? '' }))
    .toSorted(by((row) => row.source))
  return { year, sources, count: rows.length, rows }
}
