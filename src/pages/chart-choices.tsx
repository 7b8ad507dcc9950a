import { useState } from 'preact/hooks'
import type { HistoryAnswer } from '../client/answers.ts'
import { FIRST } from './currency.tsx'
import { MEASURES, type Measure } from './measures.ts'
import { useFound } from './search-form.tsx'
import { useSite } from './site.tsx'

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
  /** Slug of the asset, or symbol of the currency, in capitals, to compare prices with; null: none. */
  readonly compare: string | null
}

/** What a page asks for that names nothing. */
export const USUAL_CHART: ChartAsked = { days: 7, measure: 'price', log: false, compare: null }

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

interface CompareFieldProps {
  readonly own: string
  readonly compare: string | null
  readonly choose: Choose
}

/** Whether a comparison is with another currency: slugs have no capitals. */
export const isMoney = (compare: string): boolean => compare !== compare.toLowerCase()

/** A currency to compare with: `in EUR`. */
const IN_CURRENCY = /^in ([a-z]{2,6})$/i

/** A field for the asset to compare with, by what the search of the site finds, or for another currency. */
function CompareField({ own, compare, choose }: CompareFieldProps) {
  const { currency } = useSite()
  const [text, setText] = useState('')
  const tokens = (useFound(text) ?? []).filter(({ kind, id }) => kind === 'token' && id !== own).slice(0, 8)
  const change = (typed: string) => {
    const slug = typed.trim().toLowerCase().replaceAll(' ', '-')
    const found = tokens.find(({ id }) => id === slug) ?? tokens[0]
    const [, symbol] = IN_CURRENCY.exec(typed.trim()) ?? []
    choose({ compare: symbol?.toUpperCase() ?? (slug === '' ? null : (found?.id ?? slug)) })
  }
  return (
    <span class="compare">
      <input
        type="search"
        list="compared-assets"
        defaultValue={compare !== null && isMoney(compare) ? `in ${compare}` : (compare ?? '')}
        placeholder="Compare with…"
        aria-label="Compare with another asset or currency"
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      />
      <datalist id="compared-assets">
        {tokens.map(({ id, name }) => (
          <option value={id}>{name}</option>
        ))}
        {FIRST.map((symbol) => symbol !== currency.symbol && <option value={`in ${symbol}`} />)}
      </datalist>
    </span>
  )
}

interface ChartChoicesProps {
  /** Slug of the page's own asset. */
  readonly own: string
  readonly asked: ChartAsked
  /** What there is to draw; the price and its candles before that is known. */
  readonly measures?: readonly Measure[] | undefined
  readonly choose?: Choose
}

/**
 * The choices of a chart, without those that change nothing in it. The document has them too, so that nothing moves when
 * the script takes over.
 */
export function ChartChoices({ own, asked, measures = ['price', 'candles'], choose = () => {} }: ChartChoicesProps) {
  const { days, measure, log, compare } = asked
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
      {compare === null && (
        <label class="check" title="Scale of logarithms">
          <input
            type="checkbox"
            checked={log}
            onChange={({ currentTarget }) => choose({ log: currentTarget.checked })}
          />{' '}
          Log
        </label>
      )}
      <Select
        label="Measure"
        options={measures.map((one) => [one, MEASURES[one].label] as const)}
        chosen={measure}
        choose={(measure) => choose({ measure, compare: null })}
      />
      {measure === 'price' && <CompareField own={own} compare={compare} choose={choose} />}
    </div>
  )
}
