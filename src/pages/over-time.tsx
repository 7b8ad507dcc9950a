import { useState } from 'preact/hooks'
import { Loaded } from './loaded.tsx'
import type { TotalsChart } from './totals-chart.tsx'

/** The totals of some groups by day, loaded when a reader opens them. */
export function OverTime({ groups }: Parameters<typeof TotalsChart>[0]) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="over-time" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Market cap and volume over time</summary>
      {isOpen && (
        <Loaded load={() => import('./drawings.ts')}>{(chart) => <chart.TotalsChart groups={groups} />}</Loaded>
      )}
      <noscript>The chart needs JavaScript.</noscript>
    </details>
  )
}
