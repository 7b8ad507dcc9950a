import type { Asset, CandlesAnswer, HistoryAnswer, TablesAnswer } from '../client/answers.ts'
import { DAY_MS, dayOf } from '../contract/time.ts'
import { ROOT, api } from './api.ts'
import { type Chart, type Named, candleChart, comparison, lineChart, writtenIn } from './chart.ts'
import { type ChartAsked, type Days, RANGES, isMoney } from './chart-choices.tsx'
import { ratesIn, shownIn } from './currency.tsx'
import { Drawn } from './drawn.tsx'
import { type ShownCurrency, count } from './format.ts'
import { MEASURES, type Measure } from './measures.ts'
import { candlesAt, ratesDuring, seriesAt } from './money-of-days.ts'
import { LEAST_POINTS, type Values, candlesSummary, daysAsValues, seriesCsv, summaryOf, volumesOf } from './series.ts'
import { useSite } from './site.tsx'

interface Filled {
  readonly days: Days
  readonly label: string
  readonly points: number
}

/** Returns the range with enough values for a line that is next to another one, longer ones first; null: none has. */
async function nearestFilled(
  without: Days,
  valuesOf: (days: Days) => Promise<Pick<Values, 'rows'>>,
): Promise<Filled | null> {
  const longer = RANGES.filter(([days]) => days > without)
  const shorter = RANGES.filter(([days]) => days < without).toReversed()
  for (const [days, label] of [...longer, ...shorter]) {
    const points = (await valuesOf(days)).rows.length
    if (points >= LEAST_POINTS) return { days, label, points }
  }
  return null
}

/** The table of the last 365 days, or the part of it that has a listing. */
const DAILY = /^tables\/daily(-\d)?\.parquet$/

const tableOf = (slug: string, tables: TablesAnswer | null) =>
  tables?.rows.find(({ path, slugs }) => DAILY.test(path) && slugs !== null && slugs.from <= slug && slug <= slugs.to)

/** Returns the market caps of an asset at the closes of the last days, by their number. Only the table of days has them. */
async function capsOf(slug: string, table: ReturnType<typeof tableOf>): Promise<(days: number) => Values> {
  const rows = table ? await rowsOf(slug, table) : []
  const caps = rows.map(({ day, market_cap_usd: cap }) => {
    const value = typeof cap === 'number' ? cap : null
    return [day instanceof Date ? dayOf(day.getTime()) : '', value] as const
  })
  const newest = Date.parse(table?.days?.to ?? '')
  return (days) => {
    const lately = caps.filter(([day]) => Date.parse(day) > newest - days * DAY_MS)
    return { ...daysAsValues(lately, 'At the close of each day'), days }
  }
}

/** Reads the rows of a listing, and what finds them, from a table of days. */
async function rowsOf(
  slug: string,
  { path, bytes, metadataBytes }: TablesAnswer['rows'][number],
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { asyncBufferFromUrl, parquetMetadataAsync, parquetQuery } = await import('hyparquet')
  const file = await asyncBufferFromUrl({ url: new URL(path, ROOT).href, byteLength: bytes })
  const metadata = await parquetMetadataAsync(file, { initialFetchSize: metadataBytes })
  const columns = ['slug', 'day', 'market_cap_usd']
  return parquetQuery({ file, metadata, columns, filter: { slug: { $eq: slug } } })
}

/** What there is to draw. */
interface Series {
  readonly asked: ChartAsked
  readonly history: HistoryAnswer
  /** What is drawn, at the rates of the times. */
  readonly shown: {
    readonly values: Values
    readonly candles: CandlesAnswer | null
    /** What the prices are compared with; null: nothing, or it has no prices. */
    readonly compared: Named | null
  }
  readonly measures: readonly Measure[]
  /** The nearest range with a line, where the one asked for has none. */
  readonly filled: Filled | null
}

/** Returns prices, converted by `inCurrency`, of another asset, or those of the asset in another currency. */
async function comparedWith(
  other: string,
  [name, history]: readonly [string, HistoryAnswer],
  inCurrency: (values: Values) => Promise<Values>,
  signal: AbortSignal,
): Promise<Named | null> {
  if (!isMoney(other)) {
    const answer = await api.history(other, { days: history.days, signal }).catch(() => null)
    return answer && [other, await inCurrency(answer.data)]
  }
  const currency = shownIn(other, ratesIn((await api.rates({ signal })).data))
  if (currency.symbol !== other) return null
  return [`${name} in ${other}`, seriesAt(history, currency, await ratesDuring(history, currency, api, signal))]
}

/** Loads what is asked for. */
export async function seriesOf(
  { slug, name, market_cap_usd }: Asset,
  asked: ChartAsked,
  currency: ShownCurrency,
  signal: AbortSignal,
): Promise<Series> {
  const { days, measure, compare } = asked
  const isPrice = measure === 'price'
  const [history, candles, tables] = await Promise.all([
    api.history(slug, { days, signal }).then(({ data }) => data),
    isPrice && asked.candles && compare === null ? api.candles(slug, { days, signal }) : null,
    market_cap_usd === null ? null : api.tables({ signal }).catch(() => null),
  ])
  const table = tableOf(slug, tables?.data ?? null)
  const capsDuring = measure === 'cap' ? await capsOf(slug, table) : null
  const valuesOf = async (days: Days): Promise<Values> => {
    if (capsDuring) return capsDuring(days)
    const answer = days === history.days ? history : (await api.history(slug, { days, signal })).data
    return isPrice ? answer : volumesOf(answer)
  }
  const inCurrency = async <Some extends Values>(some: Some): Promise<Some> =>
    seriesAt(some, currency, await ratesDuring(some, currency, api, signal))
  const values = await valuesOf(days)
  const isCompared = isPrice && compare !== null && compare !== slug
  return {
    asked,
    history,
    shown: {
      values: await inCurrency(values),
      candles: candles && candlesAt(candles.data, currency, await ratesDuring(history, currency, api, signal)),
      compared: isCompared ? await comparedWith(compare, [name, history], inCurrency, signal) : null,
    },
    measures: [
      'price',
      ...(volumesOf(history).rows.length >= LEAST_POINTS ? ['volume' as const] : []),
      ...(table ? ['cap' as const] : []),
    ],
    filled: values.rows.length < LEAST_POINTS ? await nearestFilled(days, valuesOf) : null,
  }
}

/** Returns the candles that are drawn; null: too few, or none were asked for. */
const candlesIn = ({ shown: { candles } }: Series): CandlesAnswer | null =>
  candles !== null && candles.rows.length >= LEAST_POINTS ? candles : null

function chartOf(series: Series, name: string, currency: ShownCurrency): Chart {
  const { asked, shown } = series
  const view = { name, isLog: asked.log, currency }
  const candles = candlesIn(series)
  if (candles !== null) return candleChart(candles, view)
  if (shown.compared === null) return lineChart(shown.values, asked.measure, view)
  const own = isMoney(asked.compare) ? `${name} in ${currency.symbol}` : name
  return comparison([own, shown.values], shown.compared)
}

/** What was asked for and is not there. */
function Missing({ asked, shown, history: { slug } }: Series) {
  const { candles, compared } = shown
  if (candles !== null && candles.rows.length < LEAST_POINTS)
    return <p class="notice">{candles.notice ?? 'There are no candles for this range.'} The line shows the prices.</p>
  const isCompared = asked.measure === 'price' && asked.compare !== null && asked.compare !== slug
  return isCompared && compared === null ? (
    <p class="notice">There are no prices of “{asked.compare}” to compare with.</p>
  ) : null
}

interface DrawingProps {
  readonly asset: Asset
  readonly series: Series
  readonly choose: (part: Partial<ChartAsked>) => void
}

/** The chart with what there is to say about it, or what is known in place of one. */
export function Drawing({ asset, series, choose }: DrawingProps) {
  const { currency } = useSite()
  const { asked, history, shown, filled } = series
  const { values, compared } = shown
  const { measure } = asked
  const { label, noun } = MEASURES[measure]
  const summary = summaryOf(values, writtenIn(currency, measure).write, noun)
  const candles = candlesIn(series)
  if (candles === null && values.rows.length < LEAST_POINTS)
    return (
      <div class="empty">
        <p>{summary}</p>
        {filled !== null && (
          <button type="button" class="button" onClick={() => choose({ days: filled.days })}>
            Show {filled.label}, with {count(filled.points)} values
          </button>
        )}
      </div>
    )
  return (
    <>
      <Drawn make={() => chartOf(series, asset.name, currency)} on={[series, currency]} />
      <p class="soft">
        {compared !== null && 'Both by their change since the start. '}
        {measure !== 'price' && `${label}. `}
        {candles ? candlesSummary(candles, history.to, currency) : summary}{' '}
        {currency.day !== undefined &&
          `In ${currency.symbol}: the chart at the rate of each day, other amounts at that of ${currency.day}. `}
        {measure !== 'cap' && (
          <a
            href={`data:text/csv;charset=utf-8,${encodeURIComponent(seriesCsv(history))}`}
            download={`${history.slug}-${history.days}-days.csv`}
          >
            Download CSV
          </a>
        )}
      </p>
      <Missing {...series} />
    </>
  )
}
