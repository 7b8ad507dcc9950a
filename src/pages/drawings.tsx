import { useState } from 'preact/hooks'
import type { Asset, HistoryAnswer } from '../client/answers.ts'
import { api, sourceNames } from './api.ts'
import { Charted } from './chart.tsx'
import { type ChartAsked, type Days, RANGES, Select } from './chart-choices.tsx'
import type { ShownCurrency } from './format.ts'
import { Loaded } from './loaded.tsx'
import { MEASURES, type Measure } from './measures.ts'
import { seriesIn } from './money-of-days.ts'
import { LEAST_POINTS, type Series, candleSeries, historyCsv, historySeries, totalsSeries } from './series.ts'
import { useSite } from './site.tsx'

/** Returns the longest other range with enough values for a line; undefined: none has. */
async function otherFilled(without: Days, during: (days: Days) => Promise<Series>) {
  for (const range of RANGES.toReversed())
    if (range[0] !== without && (await during(range[0])).rows.length >= LEAST_POINTS) return range
  return undefined
}

/** What there is to draw, in the chosen currency. */
interface Drawn {
  readonly asked: ChartAsked
  readonly history: HistoryAnswer
  readonly series: Series
  readonly measures: readonly Measure[]
  /** Another range with a line, where the one asked for has none. */
  readonly filled: (typeof RANGES)[number] | undefined
  /** Why there are no candles; null: there are, or none were asked for. */
  readonly noCandles: string | null
}

/** Returns what there is to choose from: volumes where some are known. */
const measuresOf = (history: HistoryAnswer): readonly Measure[] => [
  'price',
  'candles',
  ...(historySeries(history, 'volume').rows.length < LEAST_POINTS ? [] : ['volume' as const]),
]

/** Loads what is asked for. */
export async function drawnOf(
  { slug, name }: Asset,
  asked: ChartAsked,
  currency: ShownCurrency,
  signal: AbortSignal,
): Promise<Drawn> {
  const { days, measure } = asked
  const [{ data: history }, candles] = await Promise.all([
    api.history(slug, { days, signal }),
    measure === 'candles' ? api.candles(slug, { days, signal }) : null,
  ])
  const during = async (range: Days): Promise<Series> => {
    const answer = range === days ? history : (await api.history(slug, { days: range, signal })).data
    return historySeries(answer, measure === 'volume' ? measure : 'price')
  }
  const bars = candles && candleSeries(candles.data, history.to, await sourceNames())
  const hasBars = bars !== null && bars.rows.length >= LEAST_POINTS
  const given = { ...(hasBars ? bars : await during(days)), name }
  const series = await seriesIn(currency, given, api, signal)
  return {
    asked,
    history,
    series,
    measures: measuresOf(history),
    filled: series.rows.length < LEAST_POINTS ? await otherFilled(days, during) : undefined,
    noCandles: candles === null || hasBars ? null : 'There are no candles for this range.',
  }
}

interface DrawingProps {
  readonly drawn: Drawn
  readonly choose: (part: Partial<ChartAsked>) => void
}

/** The chart with what there is to say about it, or what is known in place of one. */
export function Drawing({ drawn, choose }: DrawingProps) {
  const { asked, history, series, filled, noCandles } = drawn
  return (
    <>
      <Charted
        series={series}
        isLog={asked.log}
        instead={
          filled && (
            <button type="button" class="button" onClick={() => choose({ days: filled[0] })}>
              Show {filled[1]}
            </button>
          )
        }
      >
        <a
          href={`data:text/csv;charset=utf-8,${encodeURIComponent(historyCsv(history))}`}
          download={`${history.slug}-${history.days}-days.csv`}
        >
          Download CSV
        </a>
      </Charted>
      {noCandles !== null && <p class="notice">{noCandles} The line shows the prices.</p>}
    </>
  )
}

const TOTALS = ['cap', 'volume', 'largest'] as const

interface TotalsChartProps {
  /** The groups to choose from: id and name. */
  readonly groups: readonly (readonly [string, string])[]
}

/** Market cap, volume and dominance by day: of the market, of a category or of a chain. */
export function TotalsChart({ groups }: TotalsChartProps) {
  const { currency } = useSite()
  const [group, setGroup] = useState(groups[0]?.[0] ?? '')
  const [measure, setMeasure] = useState<(typeof TOTALS)[number]>('cap')
  return (
    <Loaded
      load={async (signal) => {
        const { data } = await api.totals(group, { signal })
        const name = groups.find(([id]) => id === group)?.[1] ?? ''
        return {
          count: data.count,
          series: await seriesIn(currency, { ...totalsSeries(data, measure), name }, api, signal),
        }
      }}
      on={[group, measure, currency.symbol].join(' ')}
    >
      {({ count, series }) => (
        <>
          <div class="ranges">
            <Select label="Group" options={groups} chosen={group} choose={setGroup} />
            {count > 1 && (
              <Select
                label="Measure"
                options={TOTALS.map((one) => [one, MEASURES[one].label] as const)}
                chosen={measure}
                choose={setMeasure}
              />
            )}
          </div>
          <Charted series={series} />
        </>
      )}
    </Loaded>
  )
}
