import type { HistoryAnswer } from '../client/answers.ts'
import { MEASURES, type Measure } from './measures.ts'

export type Days = HistoryAnswer['days']

/** Ranges of a chart with their labels. */
export const RANGES: readonly (readonly [Days, string])[] = [
  [1, '24 h'],
  [7, '7 d'],
  [30, '30 d'],
  [90, '90 d'],
  [365, '1 y'],
]

/** What the reader asks the chart for. */
export interface ChartAsked {
  readonly days: Days
  readonly measure: Measure
  readonly log: boolean
}

/** What a page asks for that names nothing. */
export const USUAL_CHART: ChartAsked = { days: 7, measure: 'price', log: false }

type Choose = (part: Partial<ChartAsked>) => void

interface SelectProps<Value> {
  readonly label: string
  /** Values with their names. */
  readonly options: readonly (readonly [Value, string])[]
  readonly chosen: Value
  readonly choose: (value: Value) => void
}

/** A choice of one of some; nothing where there is no choice. */
export const Select = <Value extends string>({ label, options, chosen, choose }: SelectProps<Value>) =>
  options.length < 2 ? null : (
    <select
      aria-label={label}
      onChange={({ currentTarget }) => choose(options[currentTarget.selectedIndex]?.[0] ?? chosen)}
    >
      {options.map(([value, name]) => (
        <option value={value} selected={value === chosen}>
          {name}
        </option>
      ))}
    </select>
  )

interface ChartChoicesProps {
  readonly asked: ChartAsked
  /** What there is to draw; the price and its candles before that is known. */
  readonly measures?: readonly Measure[] | undefined
  readonly choose?: Choose
}

/**
 * The choices of a chart, without those that change nothing in it. The document has them too, so that nothing moves when
 * the script takes over.
 */
export function ChartChoices({ asked, measures = ['price', 'candles'], choose = () => {} }: ChartChoicesProps) {
  const { days, measure, log } = asked
  return (
    <div class="ranges">
      <fieldset class="tabs">
        <legend class="hidden">Range</legend>
        {RANGES.map(([range, label]) => (
          <>
            <input
              type="radio"
              name="range"
              id={`range-${range}`}
              checked={range === days}
              onChange={() => choose({ days: range })}
            />
            <label for={`range-${range}`}>{label}</label>
          </>
        ))}
      </fieldset>
      <label class="check" title="Scale of logarithms">
        <input type="checkbox" checked={log} onChange={({ currentTarget }) => choose({ log: currentTarget.checked })} />{' '}
        Log
      </label>
      <Select
        label="Measure"
        options={measures.map((one) => [one, MEASURES[one].label] as const)}
        chosen={measure}
        choose={(measure) => choose({ measure })}
      />
    </div>
  )
}
