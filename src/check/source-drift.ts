import { max } from 'd3-array'
import { groupBy } from '../core/contract/order.ts'
import { type Ms, HOUR_MS, MINUTE_MS } from '../core/contract/time.ts'
import { median } from '../core/feed/statistics.ts'
import { type Report, countOf } from '../core/sources/collect.ts'
import type { Quote, Sighting } from '../core/sources/source.ts'

/** From where on an answer is not what was expected. */
const DRIFT = {
  /** Share of the rows of the last publication that a list has at least. */
  rows_percent: 70,
  unreadable_percent: 10,
  /** Share of rows with a member that the source is declared to report. */
  filled_percent: 5,
  /** How far the newest time of a list may be from the clock. */
  age_minutes: 15,
  /** Typical distance of prices from the median of the others. */
  price_bp: 100,
  /** Factor between its typical change of a day and that of the others. */
  change_factor: 5,
  /** Least number of figures in common, each with three others that have it. */
  compared: 10,
} as const

export function driftOf(reports: readonly Report[], expected: ReadonlyMap<string, number>, now: Ms) {
  const compared = groupBy(
    reports.flatMap((report) => figuresOf(report, now)),
    ({ key }) => key,
  )
  return reports.map((report) => {
    const { error } = report
    const check = answeredBy(report, compared, expected, now)
    const failure = error?.code === 'source_invalid' ? [error.message] : []
    // A source that is silent or refuses for a while is no drift.
    return { ...check, error: error?.message ?? null, drift: error ? failure : driftIn(check, report, now) }
  })
}

type Figure = ReturnType<typeof figuresOf>[number]
type Figures = ReadonlyMap<string, readonly Figure[]>

function answeredBy(report: Report, compared: Figures, expected: ReadonlyMap<string, number>, now: Ms) {
  const { id, type } = report.source
  const own = [...compared.values()].flat().filter(({ source }) => source === id)
  return {
    source_id: id,
    rows: report.rows,
    /** Rows of the last publication; null: not known. Of an aggregator, some pages are asked for. */
    expected_rows: type === 'exchange' ? (expected.get(id) ?? null) : null,
    filled: filledIn(report),
    age_seconds: ageOf(report, now),
    price_bp: typical(own, compared, 'price', (own, other) => Math.abs(own / other - 1) * 10_000),
    change_factor: typical(own, compared, 'change', (own, other) => (Math.abs(other) < 1 ? null : own / other)),
  }
}

const listOf = ({ quotes, sightings }: Report): readonly (Quote | Sighting)[] =>
  quotes.length > 0 ? quotes : sightings

/** The figures of a list. A pair that was not traded for long has the price of then. */
function figuresOf({ source: { id }, quotes, sightings }: Report, now: Ms) {
  const traded = quotes.filter(({ traded_at: at }) => at === undefined || now - at < DRIFT.age_minutes * MINUTE_MS)
  return [
    ...traded.map((row) => ({ ...row, key: `${row.base}/${row.quote}`, price: row.last })),
    ...sightings.map((row) => ({ ...row, key: `${row.symbol}/USD`, price: row.price_usd })),
  ].map(({ key, price, percent_change_24h: change }) => ({ source: id, key, price, change }))
}

function typical(
  own: readonly Figure[],
  compared: Figures,
  member: 'price' | 'change',
  distance: (own: number, other: number) => number | null,
): number | null {
  const distances = own.flatMap((figure) => {
    const others = (compared.get(figure.key) ?? []).flatMap((other) =>
      other.source === figure.source ? [] : (other[member] ?? []),
    )
    const value = figure[member]
    return value === null || others.length < 3 ? [] : (distance(value, median(others)) ?? [])
  })
  return distances.length < DRIFT.compared ? null : median(distances)
}

const percent = (part: number, whole: number): number => (whole === 0 ? 0 : Math.round((part / whole) * 100))

function filledIn(report: Report): Record<string, number> {
  const list = listOf(report).map((row) => new Map<string, unknown>(Object.entries(row)))
  const isFilled = (name: string) => list.filter((row) => (row.get(name) ?? null) !== null).length
  const declared = report.error ? [] : (report.source.reports ?? [])
  return Object.fromEntries(declared.map((name) => [name, percent(isFilled(name), list.length)]))
}

function ageOf(report: Report, now: Ms): number | null {
  const newest = max(listOf(report), ({ at }) => at)
  return newest === undefined ? null : Math.round((now - newest) / 1000)
}

function driftIn(check: ReturnType<typeof answeredBy>, { source, rejected, rows }: Report, now: Ms): string[] {
  const { expected_rows: most, filled, age_seconds: age, price_bp, change_factor: change } = check
  const unreadable = percent(countOf(rejected), rows)
  const faults = [
    most !== null && rows < (most * DRIFT.rows_percent) / 100 && `${rows} rows instead of ${most}`,
    unreadable > DRIFT.unreadable_percent && `${unreadable} % of the rows are unreadable: ${rejected[0]?.reason ?? ''}`,
    ...Object.entries(filled).map(
      ([name, share]) => share < DRIFT.filled_percent && `${share} % of the rows have ${name}`,
    ),
    source.type === 'exchange' &&
      age !== null &&
      Math.abs(age) > DRIFT.age_minutes * 60 &&
      `its newest time is ${new Date(now - age * 1000).toISOString()}, ${(age * 1000) / HOUR_MS} hours from the clock`,
    price_bp !== null &&
      price_bp > DRIFT.price_bp &&
      `its prices are typically ${Math.round(price_bp)} bp from those of the others`,
    change !== null &&
      (change > DRIFT.change_factor || change < 1 / DRIFT.change_factor) &&
      `its change of 24 hours is typically ${Number(change.toPrecision(2))} times that of the others`,
  ]
  return faults.filter((fault) => fault !== false)
}

export const driftLines = (checks: ReturnType<typeof driftOf>): string[] => [
  ...checks.flatMap(
    ({ source_id, rows, expected_rows, filled, age_seconds, price_bp, change_factor, error, drift }) => [
      [
        `${drift.length > 0 ? 'drift ' : error === null ? 'ok    ' : 'silent'} ${source_id.padEnd(13)}`,
        `${rows}${expected_rows === null ? '' : ` of ${expected_rows}`} rows`,
        ...(age_seconds === null ? [] : [`age ${age_seconds} s`]),
        ...(price_bp === null ? [] : [`prices ${price_bp.toFixed(1)} bp`]),
        ...(change_factor === null ? [] : [`change x${change_factor.toFixed(2)}`]),
        ...Object.entries(filled).map(([name, share]) => `${name} ${share} %`),
      ].join('  '),
      ...(drift.length === 0 && error !== null ? [error] : drift).map((text) => `       ${text}`),
    ],
  ),
  `${checks.length} sources asked, ${checks.filter(({ drift }) => drift.length > 0).length} not as expected`,
]
