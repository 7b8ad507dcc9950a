import { useState } from 'preact/hooks'
import type { HistoryAnswer } from '../client/answers.ts'
import { useFound } from './search-form.tsx'

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
  readonly candles: boolean
  readonly log: boolean
  /** Slug of the asset to compare with; null: none. */
  readonly compare: string | null
}

/** What a page asks for that names nothing. */
export const USUAL_CHART: ChartAsked = { days: 7, candles: false, log: false, compare: null }

type Choose = (part: Partial<ChartAsked>) => void

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

/** A field for the asset to compare with, by what the search of the site finds. */
function CompareField({
  own,
  compare,
  choose,
}: {
  readonly own: string
  readonly compare: string | null
  readonly choose: Choose
}) {
  const [text, setText] = useState('')
  const tokens = (useFound(text) ?? []).filter(({ kind, id }) => kind === 'token' && id !== own).slice(0, 8)
  const change = (typed: string) => {
    const slug = typed.trim().toLowerCase().replaceAll(' ', '-')
    const found = tokens.find(({ id }) => id === slug) ?? tokens[0]
    choose({ compare: slug === '' ? null : (found?.id ?? slug) })
  }
  return (
    <span class="compare">
      <input
        type="search"
        list="compared-assets"
        defaultValue={compare ?? ''}
        placeholder="Compare with…"
        aria-label="Compare with another asset"
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      />
      <datalist id="compared-assets">
        {tokens.map(({ id, name }) => (
          <option value={id}>{name}</option>
        ))}
      </datalist>
    </span>
  )
}

interface ChartChoicesProps {
  /** Slug of the page's own asset. */
  readonly own: string
  readonly asked: ChartAsked
  readonly choose?: Choose
}

/** The choices of a chart. The document has them too, so that nothing moves when the script takes over. */
export const ChartChoices = ({ own, asked, choose = () => {} }: ChartChoicesProps) => (
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
    <CompareField own={own} compare={asked.compare} choose={choose} />
  </div>
)
