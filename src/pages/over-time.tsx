import { useState } from 'preact/hooks'
import type { TotalsChart } from './drawings.tsx'
import { Loaded } from './loaded.tsx'

/** The totals of some groups by day, loaded when a reader opens them. */
export function OverTime({ groups }: Parameters<typeof TotalsChart>[0]) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="fold" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Market cap and volume over time</summary>
      {isOpen && (
        <Loaded load={() => import('./drawings.tsx')}>{(chart) => <chart.TotalsChart groups={groups} />}</Loaded>
      )}
      <noscript>The chart needs JavaScript.</noscript>
    </details>
  )
}
