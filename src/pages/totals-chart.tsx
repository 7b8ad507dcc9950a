import { useState } from 'preact/hooks'
import type { TotalsAnswer } from '../client/answers.ts'
import { api } from './api.ts'
import { lineChart, writtenIn } from './chart.ts'
import { Radios } from './chart-choices.tsx'
import { Drawn } from './drawn.tsx'
import { Loaded } from './loaded.tsx'
import { MEASURES } from './measures.ts'
import { ratesDuring, seriesAt } from './money-of-days.ts'
import { LEAST_POINTS, summaryOf, totalsAsValues } from './series.ts'
import { useSite } from './site.tsx'

const TOTALS = ['cap', 'volume', 'largest'] as const
type Total = (typeof TOTALS)[number]

interface TotalsOfDaysProps {
  readonly name: string
  readonly answer: TotalsAnswer
  readonly measure: Total
}

/** One measure of a group by day, or what is known in place of a line. */
function TotalsOfDays({ name, answer, measure }: TotalsOfDaysProps) {
  const { currency } = useSite()
  const given = totalsAsValues(answer, measure)
  const summary = (values = given) => summaryOf(values, writtenIn(currency, measure).write, MEASURES[measure].noun)
  if (given.rows.length < LEAST_POINTS)
    return (
      <div class="empty">
        <p>{summary()}</p>
      </div>
    )
  return (
    <Loaded
      load={async (signal) =>
        measure === 'largest' ? given : seriesAt(given, currency, await ratesDuring(given, currency, api, signal))
      }
      on={JSON.stringify([answer.group, answer.timestamp, measure, currency.symbol])}
    >
      {(values) => (
        <>
          <Drawn make={() => lineChart(values, measure, { name, isLog: false, currency })} on={[values, currency]} />
          <p class="soft">
            {MEASURES[measure].label}. {summary(values)}
          </p>
        </>
      )}
    </Loaded>
  )
}

interface TotalsChartProps {
  /** The groups to choose from: id and name. */
  readonly groups: readonly (readonly [string, string])[]
}

/** Market cap, volume and dominance by day: of the market, of a category or of a chain. */
export function TotalsChart({ groups }: TotalsChartProps) {
  const [group, setGroup] = useState(groups[0]?.[0] ?? '')
  const [measure, setMeasure] = useState<Total>('cap')
  return (
    <Loaded load={(signal) => api.totals(group, { signal })} on={group}>
      {({ data }) => (
        <>
          <div class="ranges">
            {groups.length > 1 && (
              <select aria-label="Group" onChange={({ currentTarget }) => setGroup(currentTarget.value)}>
                {groups.map(([id, name]) => (
                  <option value={id} selected={id === group}>
                    {name}
                  </option>
                ))}
              </select>
            )}
            {data.count > 1 && (
              <Radios
                name="total"
                legend="Measure"
                options={TOTALS.map((one) => [one, MEASURES[one].label] as const)}
                chosen={measure}
                choose={setMeasure}
              />
            )}
          </div>
          <TotalsOfDays name={groups.find(([id]) => id === data.group)?.[1] ?? ''} answer={data} measure={measure} />
        </>
      )}
    </Loaded>
  )
}
