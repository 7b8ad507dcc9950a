import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Asset } from '../client/answers.ts'
import { type ChartAsked, ChartChoices, RANGES, USUAL_CHART } from './chart-choices.tsx'
import { keepInAddress } from './kept.ts'
import { Loaded } from './loaded.tsx'
import { useSite } from './site.tsx'

const MEASURED = ['volume', 'cap'] as const

/** Returns what the address asks the chart for. */
export const chartAskedIn = (query: URLSearchParams): ChartAsked => ({
  days: RANGES.find(([range]) => String(range) === query.get('days'))?.[0] ?? USUAL_CHART.days,
  measure: MEASURED.find((measure) => measure === query.get('measure')) ?? USUAL_CHART.measure,
  candles: query.has('candles'),
  log: query.has('log'),
  compare: query.get('compare'),
})

const remember = ({ days, measure, candles, log, compare }: ChartAsked): void =>
  keepInAddress({
    days: days === USUAL_CHART.days ? null : String(days),
    measure: measure === USUAL_CHART.measure ? null : measure,
    candles: candles ? '' : null,
    log: log ? '' : null,
    compare,
  })

/** Loads what draws and what there is to draw, which the first view of a page needs not. */
export const loadSeries = () => import('./drawings.ts')

interface TokenChartProps {
  readonly asset: Asset
  readonly asked: ChartAsked
  /** Shown until the chart is there, such as the line of the document. */
  readonly before: ComponentChildren
}

/** What is known of a token over time, with its choices. */
export function TokenChart({ asset, asked: first, before }: TokenChartProps) {
  const { currency } = useSite()
  const [asked, setAsked] = useState(first)
  const [measures, setMeasures] = useState([first.measure])
  const choose = (part: Partial<ChartAsked>) => {
    const next = { ...asked, ...part }
    remember(next)
    setAsked(next)
  }
  return (
    <>
      <ChartChoices own={asset.slug} asked={asked} measures={measures} choose={choose} />
      <div class="history">
        <Loaded
          load={async (signal) => {
            const { Drawing, seriesOf } = await loadSeries()
            const series = await seriesOf(asset, asked, currency, signal)
            setMeasures([...new Set([...series.measures, asked.measure])])
            return { Drawing, series }
          }}
          on={JSON.stringify([asset.slug, asked, asset.last_updated, currency.symbol])}
          before={before}
        >
          {({ Drawing, series }) => <Drawing asset={asset} series={series} choose={choose} />}
        </Loaded>
      </div>
    </>
  )
}
