import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Asset } from '../client/answers.ts'
import { type ChartAsked, ChartChoices, RANGES, USUAL_CHART } from './chart-choices.tsx'
import { keepInAddress } from './kept.ts'
import { Loaded } from './loaded.tsx'
import type { Measure } from './measures.ts'
import { useSite } from './site.tsx'

const ASKED = ['candles', 'volume'] as const

/** Returns what the address asks the chart for. */
function askedIn(query: URLSearchParams): ChartAsked {
  const measure = ASKED.find((one) => one === query.get('measure')) ?? USUAL_CHART.measure
  return {
    days: RANGES.find(([range]) => String(range) === query.get('days'))?.[0] ?? USUAL_CHART.days,
    measure,
    log: query.has('log'),
  }
}

const remember = ({ days, measure, log }: ChartAsked) =>
  keepInAddress({
    days: days === USUAL_CHART.days ? null : String(days),
    measure: measure === USUAL_CHART.measure ? null : measure,
    log: log ? '' : null,
  })

/** Loads what draws and what there is to draw, which the first view of a page needs not. */
export const loadDrawings = () => import('./drawings.tsx')

interface TokenChartProps {
  readonly asset: Asset
  /** Shown until the chart is there, such as the line of the document. */
  readonly before: ComponentChildren
}

/** What is known of a token over time, with its choices. */
export function TokenChart({ asset, before }: TokenChartProps) {
  const { currency } = useSite()
  const [asked, setAsked] = useState(() => askedIn(new URLSearchParams(location.search)))
  const [measures, setMeasures] = useState<readonly Measure[]>()
  const choose = (part: Partial<ChartAsked>) => {
    const next = { ...asked, ...part }
    remember(next)
    setAsked(next)
  }
  return (
    <>
      <ChartChoices asked={asked} measures={measures && [...new Set([...measures, asked.measure])]} choose={choose} />
      <div class="history">
        <Loaded
          load={async (signal) => {
            const { Drawing, drawnOf } = await loadDrawings()
            const drawn = await drawnOf(asset, asked, currency, signal)
            setMeasures(drawn.measures)
            return { Drawing, drawn }
          }}
          on={JSON.stringify([asset.slug, asked, asset.last_updated, currency.symbol])}
          before={before}
        >
          {({ Drawing, drawn }) => <Drawing drawn={drawn} choose={choose} />}
        </Loaded>
      </div>
    </>
  )
}
