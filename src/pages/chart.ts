import uPlot from 'uplot'
import type { HistoryAnswer } from '../client/answers.ts'
import { el } from './dom.ts'
import { change, count, moment, money, price } from './format.ts'

const HEIGHT_PX = 320
const STEP_SECONDS = { '15m': 900, '30m': 1800, '1h': 3600, '4h': 14_400, '1d': 86_400 } as const

type Series = readonly [times: number[], prices: (number | null)[], volumes: (number | null)[]]

/** Returns the whole grid of a range. A bucket without data is null, which leaves a gap in the line. */
export function gridOf({ rows, interval, from, to }: Pick<HistoryAnswer, 'rows' | 'interval' | 'from' | 'to'>): Series {
  const series: Series = [[], [], []]
  if (from === null || to === null) return series
  const known = new Map(rows.map((row) => [Date.parse(row.timestamp) / 1000, row]))
  for (let at = Date.parse(from) / 1000; at <= Date.parse(to) / 1000; at += STEP_SECONDS[interval]) {
    const row = known.get(at)
    series[0].push(at)
    series[1].push(row?.price_usd ?? null)
    series[2].push(row?.volume_24h_usd ?? null)
  }
  return series
}

/** Returns a text alternative of the chart for screen readers. */
export function summaryOf({ rows, missing, days, sourceLabel }: HistoryAnswer): string {
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return 'There are no prices in this range yet.'
  const prices = rows.map(({ price_usd }) => price_usd)
  const moved = (last.price_usd / first.price_usd - 1) * 100
  const gaps = missing === 0 ? '' : ` ${count(missing)} of ${count(rows.length + missing)} points are missing.`
  const range = days === 1 ? '24 hours' : `${days} days`
  return (
    `${range}: ${change(moved)}, from ${price(first.price_usd)} to ${price(last.price_usd)}; ` +
    `low ${price(Math.min(...prices))}, high ${price(Math.max(...prices))}.${gaps} ${sourceLabel}.`
  )
}

/** Resolves a colour of the style sheet for a canvas, which supports neither CSS variables nor colour schemes. */
function colour(name: string, opacity = 1): string {
  const probe = el('span', { hidden: true })
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const [red = '0', green = '0', blue = '0'] = getComputedStyle(probe).color.match(/[\d.]+/g) ?? []
  probe.remove()
  return `rgb(${red} ${green} ${blue} / ${opacity})`
}

const DAY_SECONDS = 86_400
const HOUR_AND_MINUTE = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' } as const
const hours = new Intl.DateTimeFormat('en-GB', HOUR_AND_MINUTE)
const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** Labels of the time axis: the date at the start of a day, otherwise the hour. */
const timeNames = (_: uPlot, seconds: readonly number[]): string[] =>
  seconds.map((at) => (at % DAY_SECONDS === 0 ? days : hours).format(at * 1000))

/** Creates a chart of price and volume, with a reading at the pointer or the arrow keys. */
export function chart(answer: HistoryAnswer): { readonly element: HTMLElement; readonly destroy: () => void } {
  const data = gridOf(answer)
  const [times] = data
  const reading = el('div', { class: 'reading', hidden: true })
  const element = el('div', {
    class: 'chart',
    tabindex: 0,
    role: 'img',
    'aria-label': `Chart. ${summaryOf(answer)}`,
  })
  const options = optionsOf(answer.rows, (plot) => showReading(plot, data, reading))
  const plot = new uPlot(options, [...data], element)
  plot.over.append(reading)
  const fit = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT_PX }))
  fit.observe(element)
  element.addEventListener('keydown', ({ key }) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key]
    if (step === undefined) return
    const at = Math.max(0, Math.min(times.length - 1, (plot.cursor.idx ?? times.length - 1) + step))
    plot.setCursor({ left: plot.valToPos(times[at] ?? 0, 'x'), top: 0 })
  })
  return {
    element,
    destroy() {
      fit.disconnect()
      plot.destroy()
    },
  }
}

/** Shows the values at the cursor, above it as far as the chart is wide enough. */
function showReading(plot: uPlot, [times, prices, volumes]: ReturnType<typeof gridOf>, reading: HTMLElement): void {
  const at = plot.cursor.idx
  const [time, cost, volume] = [times[at ?? -1], prices[at ?? -1], volumes[at ?? -1]]
  reading.hidden = time === undefined
  if (time === undefined) return
  reading.replaceChildren(
    el('strong', {}, cost === null || cost === undefined ? 'no data' : price(cost)),
    el('span', {}, moment(new Date(time * 1000).toISOString())),
    el('span', {}, `Volume 24 h ${money(volume ?? null)}`),
  )
  const left = plot.valToPos(time, 'x')
  const room = plot.over.clientWidth - reading.offsetWidth
  reading.style.transform = `translateX(${Math.round(Math.max(0, Math.min(room, left - reading.offsetWidth / 2)))}px)`
}

/** Returns the options of a chart. The price is green or red by its direction; the volume takes the lowest quarter. */
function optionsOf(rows: HistoryAnswer['rows'], onCursor: (plot: uPlot) => void): uPlot.Options {
  const line = (rows.at(-1)?.price_usd ?? 0) < (rows[0]?.price_usd ?? 0) ? '--down' : '--up'
  const ink = colour('--soft')
  const grid = { stroke: colour('--line'), width: 1 }
  return {
    width: 600,
    height: HEIGHT_PX,
    legend: { show: false },
    cursor: { y: false, points: { size: 8 } },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
    scales: { volume: { range: (_, __, most) => [0, most * 4] } },
    axes: [
      { stroke: ink, grid: { show: false }, ticks: grid, values: timeNames },
      {
        stroke: ink,
        grid,
        ticks: { show: false },
        size: 84,
        values: (_, values) => values.map((value) => price(value)),
      },
    ],
    series: [
      {},
      { stroke: colour(line), width: 2, fill: colour(line, 0.08), spanGaps: false },
      {
        scale: 'volume',
        stroke: colour('--soft', 0.25),
        fill: colour('--soft', 0.15),
        paths: uPlot.paths.bars?.({ size: [0.7, 24] }) ?? (() => null),
        points: { show: false },
      },
    ],
    hooks: { setCursor: [onCursor] },
  }
}
