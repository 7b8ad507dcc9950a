import { CompareField } from './compare-field.tsx'
import { type Days, RANGES } from './ranges.ts'

/** What the reader asks the chart for. */
export interface ChartAsked {
  readonly days: Days
  readonly candles: boolean
  readonly log: boolean
  /** Slug of the asset to compare with; null: none. */
  readonly compare: string | null
}

interface ChoiceProps {
  readonly label: string
  readonly given: boolean
  readonly choose: (given: boolean) => void
}

const Choice = ({ label, given, choose }: ChoiceProps) => (
  <label class="check">
    <input type="checkbox" checked={given} onChange={({ currentTarget }) => choose(currentTarget.checked)} /> {label}
  </label>
)

interface ChartChoicesProps {
  /** Slug of the page's own asset. */
  readonly own: string
  readonly asked: ChartAsked
  readonly choose?: (part: Partial<ChartAsked>) => void
}

/** The choices of a chart. The document has them too, so that nothing moves when the script takes over. */
export function ChartChoices({ own, asked, choose = () => {} }: ChartChoicesProps) {
  return (
    <div class="ranges">
      <fieldset class="tabs">
        <legend class="hidden">Range</legend>
        {RANGES.map(([days, label]) => (
          <>
            <input
              type="radio"
              name="range"
              id={`range-${days}`}
              value={days}
              checked={days === asked.days}
              onChange={() => choose({ days })}
            />
            <label for={`range-${days}`}>{label}</label>
          </>
        ))}
      </fieldset>
      <Choice label="Candles" given={asked.candles} choose={(candles) => choose({ candles })} />
      <Choice label="Log scale" given={asked.log} choose={(log) => choose({ log })} />
      <CompareField own={own} compared={asked.compare} choose={(compare) => choose({ compare })} />
    </div>
  )
}
