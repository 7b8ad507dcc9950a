import type { Asset, HistoryAnswer } from '../client/answers.ts'
import { type Compared, candlesOf, lineOf } from './chart.ts'
import { compareField } from './compare-field.ts'
import { type Child, el, on } from './dom.ts'
import { count } from './format.ts'
import { api, into } from './frame.ts'
import { type Days, LEAST_POINTS, RANGES, USUAL_RANGE, nearestFilled } from './ranges.ts'
import type { Chart } from './plot.ts'
import { candlesSummary, sourcesOfNewest, summaryOf } from './series.ts'
import { seriesCsv } from './series-csv.ts'

/** Names of the chart's choices in the address. */
const [RANGE, CANDLES, LOG, COMPARED] = ['days', 'candles', 'log', 'compare']

/** Keeps a choice in the address; null: the usual one, which the address leaves out. */
function keepInAddress(name: string, value: string | null): void {
  const url = new URL(location.href)
  if (value === null) url.searchParams.delete(name)
  else url.searchParams.set(name, value)
  history.replaceState(history.state, '', url)
}

const asked = new URLSearchParams(location.search)
const state = {
  days: RANGES.find(([range]) => String(range) === asked.get(RANGE))?.[0] ?? USUAL_RANGE,
  isCandles: asked.has(CANDLES),
  isLog: asked.has(LOG),
  compared: asked.get(COMPARED),
}

let drawn: Chart | null = null

/** A link that saves the series of the chart. */
const download = (answer: HistoryAnswer): Child =>
  el(
    'a',
    {
      href: URL.createObjectURL(new Blob([seriesCsv(answer)], { type: 'text/csv' })),
      download: `${answer.slug}-${answer.days}-days.csv`,
    },
    'Download CSV',
  )

/** The choice of a range. */
function rangeSwitch(chosen: (days: Days) => void): HTMLElement {
  const name = 'range'
  return el(
    'fieldset',
    { class: 'tabs' },
    el('legend', { class: 'hidden' }, 'Range'),
    ...RANGES.map(([range, label]) => {
      const id = `range-${range}`
      const radio = el('input', { type: 'radio', name, value: range, id, checked: range === state.days })
      on(radio, { change: () => chosen(range) })
      return [radio, el('label', { for: id }, label)]
    }),
  )
}

/** Returns the series to compare with; null: none is asked for, or there is none of that name. */
async function comparedWith(slug: string, signal: AbortSignal): Promise<Compared | null> {
  if (state.compared === null || state.compared === slug) return null
  const { data } = await api.history(state.compared, { days: state.days, signal })
  return { symbol: state.compared, rows: data.rows }
}

/** A choice that the address names where it is made. */
function choice(label: string, name: string, given: boolean, chosen: (given: boolean) => void): HTMLElement {
  const box = el('input', { type: 'checkbox', checked: given })
  on(box, {
    change: () => {
      keepInAddress(name, box.checked ? '' : null)
      chosen(box.checked)
    },
  })
  return el('label', { class: 'check' }, box, ` ${label}`)
}

/** Shown instead of a chart that would have fewer than two points: what is known, and a range that has a line. */
async function noLine(answer: HistoryAnswer, signal: AbortSignal, choose: (days: Days) => void): Promise<Child> {
  const { slug, days } = answer
  const pointsIn = async (other: Days) => (await api.history(slug, { days: other, signal })).data.count
  const filled = await nearestFilled(days, pointsIn)
  const offer =
    filled === null
      ? null
      : on(
          el(
            'button',
            { type: 'button', class: 'button' },
            `Show ${filled.label}, with ${count(filled.points)} prices`,
          ),
          { click: () => choose(filled.days) },
        )
  return el('div', { class: 'empty' }, el('p', {}, summaryOf(answer)), offer)
}

/** Names the two lines of a comparison. */
const legend = (own: string, other: string): Child =>
  el('p', { class: 'legend' }, el('span', {}, own), el('span', {}, other), ' by their change since the start')

interface Wanted {
  readonly asset: Asset
  readonly signal: AbortSignal
  /** Aborts when another token is opened. */
  readonly left: AbortSignal
  readonly choose: (days: Days) => void
}

/** Loads and draws the chart as it is asked for, with what there is to say about it. */
async function drawing({ asset, signal, left, choose }: Wanted): Promise<Child> {
  const { slug } = asset
  const wantsCandles = state.isCandles && state.compared === null
  const [{ data }, compared, candles] = await Promise.all([
    api.history(slug, { days: state.days, signal }),
    comparedWith(slug, signal).catch(() => null),
    wantsCandles ? api.candles(slug, { days: state.days, signal }) : null,
  ])
  if (left.aborted) return null
  drawn?.destroy()
  drawn = null
  if (candles !== null && candles.data.rows.length >= LEAST_POINTS) {
    drawn = candlesOf(candles.data, state.isLog)
    return [drawn.element, el('p', { class: 'soft' }, candlesSummary(candles.data, data.to), ' ', download(data))]
  }
  if (data.rows.length < LEAST_POINTS) return noLine(data, signal, choose)
  drawn = lineOf(data, { isLog: state.isLog, compared, newestOf: sourcesOfNewest(data, asset) })
  const isUnknown = state.compared !== null && state.compared !== slug && compared === null
  return [
    compared === null ? null : legend(slug, compared.symbol),
    drawn.element,
    el('p', { class: 'soft' }, summaryOf(data), ' ', download(data)),
    candles === null
      ? null
      : el(
          'p',
          { class: 'notice' },
          candles.data.notice ?? 'There are no candles for this range.',
          ' The line shows the prices.',
        ),
    isUnknown ? el('p', { class: 'notice' }, `There are no prices of “${state.compared}” to compare with.`) : null,
  ]
}

/** The chart of a token with its choices. `left` aborts when another token is opened. */
export function tokenChart(asset: Asset, left: AbortSignal): HTMLElement {
  const { slug } = asset
  const place = el('div', { class: 'history' })
  // The line of a page that was built stays until the chart is there.
  place.append(...document.querySelectorAll('.history figure'))
  const ranges = el('div', { class: 'ranges' })
  const choose = (days: Days) => {
    state.days = days
    keepInAddress(RANGE, String(days))
    const radio = ranges.querySelector<HTMLInputElement>(`#range-${days}`)
    if (radio) radio.checked = true
    void draw()
  }
  const draw = () => into(place, (signal) => drawing({ asset, signal, left, choose }))
  ranges.append(
    rangeSwitch(choose),
    choice('Candles', CANDLES, state.isCandles, (given) => {
      state.isCandles = given
      void draw()
    }),
    choice('Log scale', LOG, state.isLog, (given) => {
      state.isLog = given
      void draw()
    }),
    compareField(slug, state.compared, (other) => {
      state.compared = other
      keepInAddress(COMPARED, other)
      void draw()
    }),
  )
  addEventListener('themechange', () => void draw(), { signal: left })
  void draw()
  return el('section', { 'aria-label': 'Price history' }, ranges, place)
}
