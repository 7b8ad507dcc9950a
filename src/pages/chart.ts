import uPlot from 'uplot'
import type { HistoryAnswer } from '../client/answers.ts'
import { linearTicks, logTicks, paddedLogRange, paddedRange, priceLabels } from './axis.ts'
import { el } from './dom.ts'
import { change, count, moment, money, price, share, span } from './format.ts'

/** Height of the chart, with the volumes below the price where enough of them are known. */
const HEIGHT_PX = 340
const VOLUME_PX = 84
const STEP_SECONDS = { '15m': 900, '30m': 1800, '1h': 3600, '4h': 14_400, '1d': 86_400 } as const
/** A gap of more than this many buckets is told in words. */
const LONG_GAP = 3
/** Number of known volumes that are worth a chart of their own. */
const LEAST_VOLUMES = 3

type Series = readonly [times: number[], prices: (number | null)[], volumes: (number | null)[]]

/**
 * Returns the grid of a range from its first row on. A bucket without data is null, which leaves a gap in the line. What
 * precedes the first row would be an empty frame.
 */
export function gridOf({ rows, interval, to }: Pick<HistoryAnswer, 'rows' | 'interval' | 'to'>): Series {
  const series: Series = [[], [], []]
  const [first] = rows
  if (first === undefined || to === null) return series
  const known = new Map(rows.map((row) => [Date.parse(row.timestamp) / 1000, row]))
  for (let at = Date.parse(first.timestamp) / 1000; at <= Date.parse(to) / 1000; at += STEP_SECONDS[interval]) {
    const row = known.get(at)
    series[0].push(at)
    series[1].push(row?.price_usd ?? null)
    series[2].push(row?.volume_24h_usd ?? null)
  }
  return series
}

/** Returns what a reader should know about the points of a range that are missing; `''`: nothing. */
function gapsOf({ rows, interval, from, missing }: HistoryAnswer): string {
  const [first] = rows
  if (missing === 0 || first === undefined || from === null) return ''
  const step = STEP_SECONDS[interval] * 1000
  const times = rows.map(({ timestamp }) => Date.parse(timestamp))
  const longest = Math.max(0, ...times.slice(1).map((at, index) => at - (times[index] ?? at)))
  const late = (times[0] ?? 0) - Date.parse(from) > LONG_GAP * step
  return [
    late ? ` Prices are known since ${moment(first.timestamp)}.` : '',
    ` ${count(missing)} of ${count(rows.length + missing)} points are missing.`,
    longest > LONG_GAP * step ? ` The longest gap is ${span(longest)}.` : '',
  ].join('')
}

/** Returns a text alternative of the chart for screen readers. */
export function summaryOf(answer: HistoryAnswer): string {
  const { rows, days, sourceLabel } = answer
  const range = days === 1 ? '24 hours' : `${days} days`
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return `No price of the last ${range} is known yet. Each run adds one.`
  if (first === last)
    return `One price of the last ${range} is known: ${price(first.price_usd)} at ${moment(first.timestamp)}. Each run adds one.`
  const prices = rows.map(({ price_usd }) => price_usd)
  const moved = (last.price_usd / first.price_usd - 1) * 100
  return (
    `${range}: ${change(moved)}, from ${price(first.price_usd)} to ${price(last.price_usd)}; ` +
    `low ${price(Math.min(...prices))}, high ${price(Math.max(...prices))}.${gapsOf(answer)} ${sourceLabel}.`
  )
}

/** Resolves a colour of the style sheet for a canvas, which supports neither CSS variables nor colour schemes. */
function colour(name: string, opacity = 1): string {
  const scheme = `${document.documentElement.dataset['theme']} ${matchMedia('(prefers-color-scheme: dark)').matches}`
  const key = `${scheme} ${name}`
  const channels = known.get(key) ?? channelsOf(name)
  known.set(key, channels)
  return `rgb(${channels} / ${opacity})`
}

/** Colours by scheme and name: reading one makes the browser compute the styles of the page. */
const known = new Map<string, string>()

function channelsOf(name: string): string {
  const probe = el('span', { hidden: true })
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const [red = '0', green = '0', blue = '0'] = getComputedStyle(probe).color.match(/[\d.]+/g) ?? []
  probe.remove()
  return `${red} ${green} ${blue}`
}

const DAY_SECONDS = 86_400
const HOUR_AND_MINUTE = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: 'UTC' } as const
const hours = new Intl.DateTimeFormat('en-GB', HOUR_AND_MINUTE)
const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** Labels of the time axis: the date at the start of a day, otherwise the hour. */
const timeNames = (_: uPlot, seconds: readonly number[]): string[] =>
  seconds.map((at) => (at % DAY_SECONDS === 0 ? days : hours).format(at * 1000))

/** A line that is drawn beside that of the asset. */
export interface Compared {
  readonly symbol: string
  readonly rows: HistoryAnswer['rows']
}

/** How a series is drawn. */
export interface ChartView {
  /** Whether the prices are on a scale of logarithms. */
  readonly isLog: boolean
  /** Another asset. Both are then shown by their change since the start. */
  readonly compared: Compared | null
}

const PLAIN: ChartView = { isLog: false, compared: null }

/** Returns values as changes in percent since the first of them. */
function changesOf(values: readonly (number | null)[]): (number | null)[] {
  const base = values.find((value) => value !== null)
  return values.map((value) =>
    value === null || base === undefined || base === null ? null : (value / base - 1) * 100,
  )
}

/** Returns the value of another series at each time of a grid; null: it has none there. */
export function alignedTo(times: readonly number[], rows: HistoryAnswer['rows']): (number | null)[] {
  const known = new Map(rows.map(({ timestamp, price_usd }) => [Date.parse(timestamp) / 1000, price_usd]))
  return times.map((time) => known.get(time) ?? null)
}

/** The drawn lines, with the volumes. */
interface Lines {
  readonly times: number[]
  readonly prices: (number | null)[]
  readonly volumes: (number | null)[]
  /** What the axis shows: prices, or changes of them where another asset is compared. */
  readonly own: (number | null)[]
  readonly other: (number | null)[] | null
}

function linesOf(answer: HistoryAnswer, { compared }: ChartView): Lines {
  const [times, prices, volumes] = gridOf(answer)
  if (compared === null) return { times, prices, volumes, own: prices, other: null }
  return { times, prices, volumes, own: changesOf(prices), other: changesOf(alignedTo(times, compared.rows)) }
}

/** Creates a chart of prices with the volumes below them, and a reading at the pointer or the arrow keys. */
export function chart(
  answer: HistoryAnswer,
  view: ChartView = PLAIN,
): { readonly element: HTMLElement; readonly destroy: () => void } {
  const lines = linesOf(answer, view)
  const { times } = lines
  const hasVolumes = lines.volumes.filter((volume) => volume !== null).length >= LEAST_VOLUMES
  const reading = el('div', { class: 'reading', hidden: true })
  const element = el('div', {
    class: 'chart',
    tabindex: 0,
    role: 'img',
    'aria-label': `Chart. ${summaryOf(answer)}`,
  })
  const height = hasVolumes ? HEIGHT_PX - VOLUME_PX : HEIGHT_PX
  const axis = axisOf(lines, view, height)
  const most = Math.max(0, ...lines.volumes.map((volume) => volume ?? 0))
  const size = sizeOf([...axis.labels, ...(hasVolumes ? [money(most)] : [])])
  const options = optionsOf(lines, axis, { height, size, hasTimes: !hasVolumes, isCompared: view.compared !== null })
  const plot = new uPlot(
    { ...options, hooks: { setCursor: [(at) => showReading(at, lines, { view, reading })] } },
    [times, lines.own, ...(lines.other === null ? [] : [lines.other])],
    element,
  )
  plot.over.append(reading)
  const plots = [
    { plot, height },
    ...(hasVolumes
      ? [{ plot: new uPlot(volumeOptions(most, size), [times, lines.volumes], element), height: VOLUME_PX }]
      : []),
  ]
  const fit = new ResizeObserver(() => {
    for (const { plot, height } of plots) plot.setSize({ width: element.clientWidth, height })
  })
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
      for (const { plot } of plots) plot.destroy()
    },
  }
}

/** Shows the values at the cursor, above it as far as the chart is wide enough. */
function showReading(
  plot: uPlot,
  { times, prices, volumes, own, other }: Lines,
  { view, reading }: { readonly view: ChartView; readonly reading: HTMLElement },
): void {
  const at = plot.cursor.idx ?? -1
  const time = times[at]
  reading.hidden = time === undefined
  if (time === undefined) return
  const [cost, volume] = [prices[at] ?? null, volumes[at] ?? null]
  reading.replaceChildren(
    el('strong', {}, cost === null ? 'no data' : price(cost)),
    el('span', {}, moment(new Date(time * 1000).toISOString())),
    ...(view.compared === null
      ? []
      : [el('span', {}, `${change(own[at] ?? null)}, ${view.compared.symbol} ${change(other?.[at] ?? null)}`)]),
    el('span', {}, `Volume 24 h ${money(volume)}`),
  )
  const left = plot.valToPos(time, 'x')
  const room = plot.over.clientWidth - reading.offsetWidth
  reading.style.transform = `translateX(${Math.round(Math.max(0, Math.min(room, left - reading.offsetWidth / 2)))}px)`
}

/** Joins the cursors of a chart and its volumes. */
const CURSOR = { y: false, points: { size: 8 }, sync: { key: 'chart' } } as const

const shared = () => ({
  width: 600,
  legend: { show: false },
  tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
})

/** The axis of values of a chart. */
interface ValueAxis {
  readonly range: [number, number]
  readonly isLog: boolean
  readonly ticks: number[]
  readonly labels: string[]
}

function axisOf({ own, other }: Lines, { isLog, compared }: ChartView, height: number): ValueAxis {
  const known = [...own, ...(other ?? [])].filter((value) => value !== null)
  const [low, high] = [Math.min(...known), Math.max(...known)]
  const isLogarithmic = isLog && compared === null
  const range = isLogarithmic ? paddedLogRange(low, high) : paddedRange(low, high)
  const ticks = (isLogarithmic ? logTicks : linearTicks)(...range, height - TIMES_PX)
  const labels = compared === null ? priceLabels(ticks) : ticks.map((value) => share(value / 100))
  return { range, isLog: isLogarithmic, ticks, labels }
}

/** Width of an axis of values, from its widest label: digits are of one width. */
const sizeOf = (labels: readonly string[]): number => 20 + 7 * Math.max(3, ...labels.map(({ length }) => length))

interface Layout {
  readonly height: number
  /** Width of the axis of values. */
  readonly size: number
  /** Whether the axis of times has labels. */
  readonly hasTimes: boolean
  readonly isCompared: boolean
}

/** Returns the options of the chart of prices. The line is green or red by its direction. */
function optionsOf(
  { own, other }: Lines,
  axis: ValueAxis,
  { height, size, hasTimes, isCompared }: Layout,
): uPlot.Options {
  const ends = own.filter((value) => value !== null)
  const isFalling = (ends.at(-1) ?? 0) < (ends[0] ?? 0)
  const line = isCompared ? '--accent' : isFalling ? '--down' : '--up'
  return {
    ...shared(),
    height,
    cursor: CURSOR,
    // eslint-disable-next-line typescript/no-unsafe-enum-assignment -- uPlot's enum exists in its types alone
    scales: { y: { distr: axis.isLog ? 3 : 1, range: axis.range } },
    axes: [
      timeAxis(hasTimes),
      {
        stroke: colour('--soft'),
        grid: { stroke: colour('--line'), width: 1 },
        ticks: { show: false },
        size,
        splits: () => axis.ticks,
        filter: (_, splits) => splits,
        values: () => axis.labels,
      },
    ],
    series: [
      {},
      {
        stroke: colour(line),
        width: 2,
        fill: colour(line, isCompared ? 0 : 0.08),
        fillTo: () => axis.range[0],
        spanGaps: false,
      },
      ...(other === null ? [] : [{ stroke: colour('--warn'), width: 2, spanGaps: false }]),
    ],
  }
}

/** Height of the axis of times with its labels. */
const TIMES_PX = 36

/** Returns the axis of times, which the lower of two charts shows. */
const timeAxis = (hasTimes: boolean): uPlot.Axis => ({
  stroke: colour('--soft'),
  grid: { show: false },
  ticks: { show: hasTimes, stroke: colour('--line'), width: 1 },
  size: hasTimes ? TIMES_PX : 8,
  values: hasTimes ? timeNames : (_, splits) => splits.map(() => ''),
})

/** Returns the options of the chart of volumes, which has the width and the times of that of prices. */
const volumeOptions = (most: number, size: number): uPlot.Options => ({
  ...shared(),
  height: VOLUME_PX,
  cursor: { ...CURSOR, points: { show: false } },
  scales: { y: { range: [0, most || 1] } },
  axes: [
    timeAxis(true),
    {
      stroke: colour('--soft'),
      grid: { show: false },
      ticks: { show: false },
      size,
      splits: () => [most],
      values: () => [money(most)],
    },
  ],
  series: [
    {},
    {
      fill: colour('--soft', 0.35),
      stroke: 'transparent',
      paths: uPlot.paths.bars?.({ size: [0.7, 24] }) ?? (() => null),
      points: { show: false },
    },
  ],
})
