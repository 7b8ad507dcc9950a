import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Asset, CandlesAnswer, HistoryAnswer } from '../client/answers.ts'
import { api } from './api.ts'
import { type ChartAsked, ChartChoices } from './chart-choices.tsx'
import { type ShownCurrency, count } from './format.ts'
import { Loaded } from './loaded.tsx'
import type * as charts from './chart.ts'
import { type Days, LEAST_POINTS, RANGES, USUAL_RANGE, nearestFilled } from './ranges.ts'
import { useSite } from './site.tsx'

/** Returns what the address asks the chart for. */
export const chartAskedIn = (query: URLSearchParams): ChartAsked => ({
  days: RANGES.find(([range]) => String(range) === query.get('days'))?.[0] ?? USUAL_RANGE,
  candles: query.has('candles'),
  log: query.has('log'),
  compare: query.get('compare'),
})

/** Keeps what is asked for in the address, which leaves the usual choices out. */
function remember({ days, candles, log, compare }: ChartAsked): void {
  const url = new URL(location.href)
  const put = (name: string, value: string | null) =>
    value === null ? url.searchParams.delete(name) : url.searchParams.set(name, value)
  put('days', days === USUAL_RANGE ? null : String(days))
  put('candles', candles ? '' : null)
  put('log', log ? '' : null)
  put('compare', compare)
  history.replaceState(history.state, '', url)
}

/** What there is to draw. */
interface Series {
  readonly asked: ChartAsked
  readonly history: HistoryAnswer
  readonly compared: HistoryAnswer | null
  readonly candles: CandlesAnswer | null
  /** The nearest range with a line, where the one asked for has none. */
  readonly filled: Awaited<ReturnType<typeof nearestFilled>>
  readonly charts: typeof charts
}

async function seriesOf(slug: string, asked: ChartAsked, signal: AbortSignal): Promise<Series> {
  const { days, compare } = asked
  const [history, compared, candles, charts] = await Promise.all([
    api.history(slug, { days, signal }),
    compare === null || compare === slug ? null : api.history(compare, { days, signal }).catch(() => null),
    asked.candles && compare === null ? api.candles(slug, { days, signal }) : null,
    import('./chart.ts'),
  ])
  const hasLine = history.data.rows.length >= LEAST_POINTS
  const pointsIn = async (other: Days) => (await api.history(slug, { days: other, signal })).data.count
  return {
    asked,
    history: history.data,
    compared: compared?.data ?? null,
    candles: candles?.data ?? null,
    filled: hasLine ? null : await nearestFilled(days, pointsIn),
    charts,
  }
}

/** A chart that is drawn anew where the series, the currency or the colours are others. */
function Drawn({ make, on }: { readonly make: () => charts.Chart; readonly on: readonly unknown[] }) {
  const place = useRef<HTMLDivElement>(null)
  const [theme, setTheme] = useState(0)
  useEffect(() => {
    const change = () => setTheme((before) => before + 1)
    addEventListener('themechange', change)
    return () => removeEventListener('themechange', change)
  }, [])
  // Before the first paint: text below would jump.
  useLayoutEffect(() => {
    const chart = make()
    place.current?.replaceChildren(chart.element)
    return () => chart.destroy()
  }, [...on, theme])
  return <div ref={place} />
}

/** A link that saves the series of the chart. */
const Download = ({ name, csv }: { readonly name: string; readonly csv: string }) => (
  <a href={`data:text/csv;charset=utf-8,${encodeURIComponent(csv)}`} download={name}>
    Download CSV
  </a>
)

interface DrawingProps {
  readonly asset: Asset
  readonly series: Series
  readonly currency: ShownCurrency
  readonly choose: (part: Partial<ChartAsked>) => void
}

/** Amounts of the past are at the present rate, which the reader should know. */
const rateNote = ({ symbol }: ShownCurrency): string => (symbol === 'USD' ? '' : ` In ${symbol} at the current rate.`)

/** The chart with what there is to say about it, or what is known in place of one. */
function Drawing({ asset, series, currency, choose }: DrawingProps) {
  const { asked, history, compared, candles, filled, charts } = series
  const { candlesSummary, seriesCsv, summaryOf } = charts
  const hasCandles = candles !== null && candles.rows.length >= LEAST_POINTS
  if (!hasCandles && history.rows.length < LEAST_POINTS)
    return (
      <div class="empty">
        <p>{summaryOf(history, currency)}</p>
        {filled !== null && (
          <button type="button" class="button" onClick={() => choose({ days: filled.days })}>
            Show {filled.label}, with {count(filled.points)} prices
          </button>
        )}
      </div>
    )
  const view = { name: asset.name, isLog: asked.log, currency }
  const make = () =>
    hasCandles
      ? charts.candleChart(candles, view)
      : compared === null
        ? charts.priceChart(history, view)
        : charts.comparison(history, compared, view)
  return (
    <>
      <Drawn make={make} on={[series, currency]} />
      <p class="soft">
        {compared !== null && 'Both by their change since the start. '}
        {hasCandles ? candlesSummary(candles, history.to, currency) : summaryOf(history, currency)}
        {rateNote(currency)} <Download name={`${history.slug}-${history.days}-days.csv`} csv={seriesCsv(history)} />
      </p>
      {candles !== null && !hasCandles && (
        <p class="notice">{candles.notice ?? 'There are no candles for this range.'} The line shows the prices.</p>
      )}
      {asked.compare !== null && asked.compare !== asset.slug && compared === null && (
        <p class="notice">There are no prices of “{asked.compare}” to compare with.</p>
      )}
    </>
  )
}

interface TokenChartProps {
  readonly asset: Asset
  readonly asked: ChartAsked
  /** Shown until the chart is there, such as the line of the document. */
  readonly before: ComponentChildren
}

/** The history of a token's price with its choices. */
export function TokenChart({ asset, asked: first, before }: TokenChartProps) {
  const { currency } = useSite()
  const [asked, setAsked] = useState(first)
  const choose = (part: Partial<ChartAsked>) => {
    const next = { ...asked, ...part }
    remember(next)
    setAsked(next)
  }
  return (
    <>
      <ChartChoices own={asset.slug} asked={asked} choose={choose} />
      <div class="history">
        <Loaded
          load={(signal) => seriesOf(asset.slug, asked, signal)}
          on={JSON.stringify([asset.slug, asked, asset.last_updated])}
          before={before}
        >
          {(series) => <Drawing asset={asset} series={series} currency={currency} choose={choose} />}
        </Loaded>
      </div>
    </>
  )
}
