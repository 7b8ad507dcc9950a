import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Asset, CandlesAnswer, HistoryAnswer } from '../client/answers.ts'
import { api } from './api.ts'
import type * as charts from './chart.ts'
import { type ChartAsked, ChartChoices, type Days, RANGES, USUAL_CHART } from './chart-choices.tsx'
import { type ShownCurrency, count } from './format.ts'
import { keepInAddress } from './kept.ts'
import { Loaded } from './loaded.tsx'
import { useSite } from './site.tsx'

/** Returns what the address asks the chart for. */
export const chartAskedIn = (query: URLSearchParams): ChartAsked => ({
  days: RANGES.find(([range]) => String(range) === query.get('days'))?.[0] ?? USUAL_CHART.days,
  candles: query.has('candles'),
  log: query.has('log'),
  compare: query.get('compare'),
})

const remember = ({ days, candles, log, compare }: ChartAsked): void =>
  keepInAddress({
    days: days === USUAL_CHART.days ? null : String(days),
    candles: candles ? '' : null,
    log: log ? '' : null,
    compare,
  })

/** A chart has a line from two prices on. */
const LEAST_POINTS = 2

interface Filled {
  readonly days: Days
  readonly label: string
  readonly points: number
}

/** Returns the range with enough prices for a line that is next to another one, longer ones first; null: none has. */
async function nearestFilled(slug: string, without: Days, signal: AbortSignal): Promise<Filled | null> {
  const longer = RANGES.filter(([days]) => days > without)
  const shorter = RANGES.filter(([days]) => days < without).toReversed()
  for (const [days, label] of [...longer, ...shorter]) {
    const points = (await api.history(slug, { days, signal })).data.count
    if (points >= LEAST_POINTS) return { days, label, points }
  }
  return null
}

/** What there is to draw. */
interface Series {
  readonly asked: ChartAsked
  readonly history: HistoryAnswer
  /** The history and candles as they are drawn, at the rates of their times. */
  readonly shown: { readonly history: HistoryAnswer; readonly candles: CandlesAnswer | null }
  readonly compared: HistoryAnswer | null
  /** The nearest range with a line, where the one asked for has none. */
  readonly filled: Filled | null
  readonly charts: typeof charts
}

async function seriesOf(
  slug: string,
  asked: ChartAsked,
  currency: ShownCurrency,
  signal: AbortSignal,
): Promise<Series> {
  const { days, compare } = asked
  const [history, compared, candles, charts] = await Promise.all([
    api.history(slug, { days, signal }),
    compare === null || compare === slug ? null : api.history(compare, { days, signal }).catch(() => null),
    asked.candles && compare === null ? api.candles(slug, { days, signal }) : null,
    import('./chart.ts'),
  ])
  const filled = history.data.rows.length >= LEAST_POINTS ? null : await nearestFilled(slug, days, signal)
  const rateAt = currency.day === undefined ? () => 1 : await charts.ratesDuring(history.data, currency, api, signal)
  return {
    asked,
    history: history.data,
    shown: {
      history: charts.seriesAt(history.data, currency, rateAt),
      candles: candles && charts.candlesAt(candles.data, currency, rateAt),
    },
    compared: compared?.data ?? null,
    filled,
    charts,
  }
}

/** A chart that is drawn again when the series, the currency or the colours change. */
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

interface DrawingProps {
  readonly asset: Asset
  readonly series: Series
  readonly choose: (part: Partial<ChartAsked>) => void
}

/** The chart with what there is to say about it, or what is known in place of one. */
function Drawing({ asset, series, choose }: DrawingProps) {
  const { currency } = useSite()
  const { asked, shown, compared, filled, charts } = series
  const { history, candles } = shown
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
        : charts.comparison(series.history, compared, view)
  return (
    <>
      <Drawn make={make} on={[series, currency]} />
      <p class="soft">
        {compared !== null && 'Both by their change since the start. '}
        {hasCandles ? candlesSummary(candles, history.to, currency) : summaryOf(history, currency)}{' '}
        {currency.day !== undefined &&
          `In ${currency.symbol}: the chart at the rate of each day, other amounts at that of ${currency.day}. `}
        <a
          href={`data:text/csv;charset=utf-8,${encodeURIComponent(seriesCsv(series.history))}`}
          download={`${history.slug}-${history.days}-days.csv`}
        >
          Download CSV
        </a>
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
          load={(signal) => seriesOf(asset.slug, asked, currency, signal)}
          on={JSON.stringify([asset.slug, asked, asset.last_updated, currency.symbol])}
          before={before}
        >
          {(series) => <Drawing asset={asset} series={series} choose={choose} />}
        </Loaded>
      </div>
    </>
  )
}
