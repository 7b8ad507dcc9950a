import { group, min } from 'd3-array'
import { closedDays } from '../core/history/days.ts'
import { by, byKey } from '../core/contract/order.ts'
import { COINS } from '../core/contract/rate-of-day.ts'
import { DAY_MS, dayIn, dayOf } from '../core/contract/time.ts'
import type { TableView } from '../core/endpoints/compose.ts'
import type { PublicationData } from '../core/endpoints/endpoint.ts'
import { bucketOf } from '../core/history/grid.ts'
import { CHANGES, DAY_BASIS, DAY_COLUMNS, type DayColumn, type ListingPast } from '../core/history/past.ts'
import { rightsAt } from '../core/history/points.ts'
import { type Cell, type Groups, type ParquetColumn, parquetOf } from './parquet-file.ts'

const columns = (list: readonly (readonly [name: string, type: ParquetColumn['type'], description: string])[]) =>
  list.map(([name, type, description]) => ({ name, type, description }))

const LISTING_COLUMNS = columns([
  ['slug', 'text', 'Listing, or a former slug of one.'],
  ['symbol', 'text', 'Its symbol.'],
  ['name', 'text', 'Its name.'],
  ['first_day', 'date', 'Its first day with a price, or else in this API; null: that is lost.'],
  ['last_day', 'date', 'The last day on which a source listed it; null: it is still listed.'],
  ['successor', 'text', 'The slug that replaces it; null: none does.'],
])

const DAILY_COLUMNS = columns([
  ['slug', 'text', 'Listing.'],
  ['day', 'date', 'Day in UTC.'],
  ['close_usd', 'number', 'Last price of the day.'],
  ['open_usd', 'number', 'First price of the day.'],
  ['high_usd', 'number', 'Highest price of the day.'],
  ['low_usd', 'number', 'Lowest price of the day.'],
  ['volume_24h_usd', 'number', 'Rolling 24h volume at the close.'],
  ['market_cap_usd', 'number', 'Market cap at the close.'],
  ['venue_volume_base', 'number', 'Units that the venues of the bar traded, not the whole market.'],
  ['venue_volume_usd', 'number', 'The same in US dollars.'],
  ['venues', 'count', 'Number of these venues; null: no venue has the day.'],
  ['runs', 'count', 'Half hours of the day in which a run saw the price.'],
  ['basis', 'text', '`runs` or `candles` as in /closes; `price`: a single past price of a source.'],
  ['rights', 'text', 'Narrowest rights of the sources of the prices; null: of a past price.'],
])

const RATE_COLUMNS = columns([
  ['day', 'date', 'Day in UTC that the rate is of. A day without one has none.'],
  ['currency', 'text', 'Symbol of the currency.'],
  ['rate_usd', 'number', 'US dollars for one unit.'],
  [
    'source',
    'text',
    'A central bank by its `source_id`; `closes`: the close of the coin; `rates`: measured at venues.',
  ],
])

/** Number of past days of the table that is written again each day. Those before stand in a table a year. */
const RECENT_DAYS = 365

/** Returns the tables for analysts, as Parquet files: views of the days before today, so that they change once a day. */
export function tableViews(world: PublicationData): readonly TableView[] {
  const today = bucketOf(world.clock.latest, '1d')
  const view = (schema: ParquetColumn[], groups: Groups, own: Pick<TableView, 'table'> & Partial<TableView>) => ({
    path: `tables/${own.table}.parquet`,
    schema,
    days: null,
    reads: [CHANGES.slugs, CHANGES.bucket('1d')],
    content: () => parquetOf(schema, groups),
    ...own,
  })
  const daily = (name: string, from: number, to: number) =>
    view(DAILY_COLUMNS, dailyGroups(world, { from, to, today }), {
      table: 'daily',
      path: `tables/${name}.parquet`,
      days: { from: dayOf(from), to: dayOf(to) },
    })
  const thisYear = new Date(today).getUTCFullYear()
  const oldest = min(world.past.values(), (past) => firstShown(past, today)) ?? today
  const years = Array.from({ length: thisYear - new Date(oldest).getUTCFullYear() }, (_, at) => thisYear - 1 - at)
  return [
    view(LISTING_COLUMNS, [listingRows(world)], { table: 'listings', reads: undefined }),
    view(RATE_COLUMNS, rateGroups(world, today), {
      table: 'rates',
      reads: [CHANGES.slugs, CHANGES.bucket('1d'), ...[...world.pastRates.keys()].map(CHANGES.year)],
    }),
    daily('daily', today - RECENT_DAYS * DAY_MS, today - DAY_MS),
    ...years.map((year) => daily(`daily-${year}`, Date.UTC(year, 0, 1), Date.UTC(year, 11, 31))),
  ]
}

/** Returns the first day of a listing that was there before today; today if none was. */
function firstShown({ days }: ListingPast, today: number): number {
  const isShown = (day: number) => !(days.at('added', day) >= today) || days.has('replaced_usd', day)
  return days.buckets('close_usd', undefined, today).find(isShown) ?? today
}

type DayRange = Readonly<Record<'from' | 'to' | 'today', number>>

const listingRows = ({ listings, pastOf }: PublicationData): Cell[][] =>
  listings.map(({ asset: { slug, symbol, name, first_listed, last_seen, listing_status, replaced_by } }) => {
    const first = pastOf(slug).days.first('close_usd')
    const listed = first === null ? (first_listed === null ? null : new Date(dayIn(first_listed))) : new Date(first)
    const last = listing_status === 'delisted' && last_seen !== null ? new Date(dayIn(last_seen)) : null
    return [slug, symbol, name, listed, last, replaced_by]
  })

/** Rows of a group: ten listings of a year, of which a reader takes all. A listing is in one group. */
const GROUP_ROWS = 4000

const CODES: ReadonlySet<DayColumn> = new Set(['basis', 'rights', 'origin', 'added', 'measured', 'replaced_usd'])
const OF_VENUES: ReadonlySet<DayColumn> = new Set(['venue_volume_base', 'venue_volume_usd', 'venues'])
const FIGURES = DAY_COLUMNS.filter((name) => !CODES.has(name))
const BASIS_NAMES = new Map<number, string>(Object.entries(DAY_BASIS).map(([name, code]) => [code, name]))

function* dailyGroups({ past }: PublicationData, range: DayRange): Generator<readonly (readonly Cell[])[]> {
  const rows: (readonly Cell[])[] = []
  for (const [slug, own] of past) {
    rows.push(...dayRows(slug, own, range))
    if (rows.length >= GROUP_ROWS) yield rows.splice(0)
  }
  if (rows.length > 0) yield rows
}

function dayRows(slug: string, { days }: ListingPast, { from, to, today }: DayRange): Cell[][] {
  return [...days.buckets('close_usd', from, to)].flatMap((day): Cell[][] => {
    const key = [slug, new Date(day)]
    if (days.at('added', day) >= today) {
      // A source reported a past price alone.
      const before = days.value('replaced_usd', day)
      const figures = FIGURES.map((name) => (name === 'close_usd' ? before : null))
      return before === null ? [] : [[...key, ...figures, 'price', null]]
    }
    const basis = days.at('basis', day)
    const isMeasured = !(days.at('measured', day) >= today)
    const rights = basis === DAY_BASIS.price ? null : rightsAt(days, day)
    const figure = (name: DayColumn) => (isMeasured || !OF_VENUES.has(name) ? days.value(name, day) : null)
    return [[...key, ...FIGURES.map(figure), BASIS_NAMES.get(basis) ?? null, rights]]
  })
}

/** Yields the rates of every currency by day, then currency and source, a year at a time. The closes of today still change. */
function* rateGroups({ pastRates, pastOf, runs, past }: PublicationData, today: number) {
  const closed = closedDays({ past, runs, today })
  const coins = Object.entries(COINS).flatMap(([currency, slug]) => {
    const { days } = pastOf(slug)
    return [...days.buckets('high_usd')].flatMap((day) =>
      day < today && closed.has(day) && !(days.at('added', day) >= today)
        ? [{ day: dayOf(day), source: 'closes', rates_usd: { [currency]: days.at('close_usd', day) } }]
        : [],
    )
  })
  const before = [...coins, ...[...pastRates.values()].flat()].filter(({ day }) => day < dayOf(today))
  for (const [, rows] of [...group(before, ({ day }) => day.slice(0, 4))].toSorted(byKey))
    yield rows
      .flatMap(({ rates_usd, ...of }) =>
        Object.entries(rates_usd).map(([currency, rate]) => ({ currency, rate, ...of })),
      )
      .toSorted(by((row) => `${row.day} ${row.source} ${row.currency}`))
      .map(({ day, currency, rate, source }): Cell[] => [new Date(day), currency, rate, source])
}
