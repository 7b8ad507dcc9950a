import uPlot from 'uplot'
import { linearTicks, logTicks, paddedLogRange, paddedRange, priceLabels } from './axis.ts'

/** Height of a chart, with the volumes below the price where enough of them are known. */
const HEIGHT_PX = 340
const VOLUME_PX = 84
/** Height of the axis of times with its labels. */
const TIMES_PX = 36
/** Number of known volumes that are worth a chart of their own. */
const LEAST_VOLUMES = 3

/** Resolves a colour of the style sheet for a canvas, which supports neither CSS variables nor colour schemes. */
export function colour(name: string, opacity = 1): string {
  const scheme = `${document.documentElement.dataset['theme']} ${matchMedia('(prefers-color-scheme: dark)').matches}`
  const key = `${scheme} ${name}`
  const channels = known.get(key) ?? channelsOf(name)
  known.set(key, channels)
  return `rgb(${channels} / ${opacity})`
}

/** Colours by scheme and name: reading one makes the browser compute the styles of the page. */
const known = new Map<string, string>()

function channelsOf(name: string): string {
  const probe = document.createElement('span')
  probe.hidden = true
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

/** The axis of values of a chart. */
interface ValueAxis {
  readonly range: [number, number]
  readonly isLog: boolean
  readonly ticks: number[]
  readonly labels: string[]
}

/** Returns the axis of a chart of these values. `labelsOf` is that of prices by default. */
export function axisOf(
  values: readonly (number | null)[],
  isLog: boolean,
  labelsOf: (ticks: readonly number[]) => string[] = priceLabels,
): ValueAxis {
  const known = values.filter((value) => value !== null)
  const [low, high] = [Math.min(...known), Math.max(...known)]
  const range = isLog ? paddedLogRange(low, high) : paddedRange(low, high)
  const ticks = (isLog ? logTicks : linearTicks)(...range, HEIGHT_PX - TIMES_PX)
  return { range, isLog, ticks, labels: labelsOf(ticks) }
}

/** What a chart shows. */
interface Drawing {
  /** Text alternative for screen readers. */
  readonly label: string
  /** Seconds since 1970. */
  readonly times: number[]
  /** The lines, and how each is drawn. */
  readonly lines: readonly (readonly [uPlot.Series, (number | null)[]])[]
  readonly axis: ValueAxis
  readonly volumes: (number | null)[]
  /** Label of the largest volume. */
  readonly volumeLabel: (most: number) => string
  /** Lines of text about a point. */
  readonly reading: (at: number) => readonly string[]
  /** Draws what is no line. */
  readonly draw?: (plot: uPlot) => void
}

/** A chart on a page. */
export interface Chart {
  readonly element: HTMLElement
  readonly destroy: () => void
}

/** Joins the cursors of a chart and its volumes. */
const CURSOR = { y: false, points: { size: 8 }, sync: { key: 'chart' } } as const

/** Creates a chart with the volumes below it, and a reading at the pointer or the arrow keys. */
export function mount(drawing: Drawing): Chart {
  const { label, times, lines, volumes } = drawing
  const hasVolumes = volumes.filter((volume) => volume !== null).length >= LEAST_VOLUMES
  const most = Math.max(0, ...volumes.map((volume) => volume ?? 0))
  const layout = {
    height: hasVolumes ? HEIGHT_PX - VOLUME_PX : HEIGHT_PX,
    size: sizeOf([...drawing.axis.labels, ...(hasVolumes ? [drawing.volumeLabel(most)] : [])]),
    hasTimes: !hasVolumes,
  }
  const reading = document.createElement('div')
  reading.className = 'reading'
  reading.hidden = true
  const element = document.createElement('div')
  element.className = 'chart'
  element.tabIndex = 0
  element.role = 'img'
  element.ariaLabel = `Chart. ${label}`
  const hooks = {
    setCursor: [(plot: uPlot) => showReading(plot, drawing, reading)],
    ...(drawing.draw ? { draw: [drawing.draw] } : {}),
  }
  const plot = new uPlot(
    { ...optionsOf(drawing, layout), hooks },
    [times, ...lines.map(([, values]) => values)],
    element,
  )
  plot.over.append(reading)
  const plots = [{ plot, height: layout.height }]
  if (hasVolumes) {
    const options = volumeOptions(most, drawing.volumeLabel(most), layout.size)
    plots.push({ plot: new uPlot(options, [times, volumes], element), height: VOLUME_PX })
  }
  const fit = new ResizeObserver(([entry]) => {
    // Within the padding of the frame.
    if (entry) for (const { plot, height } of plots) plot.setSize({ width: entry.contentRect.width, height })
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
function showReading(plot: uPlot, { times, reading: textOf }: Drawing, reading: HTMLElement): void {
  const at = plot.cursor.idx ?? -1
  const time = times[at]
  reading.hidden = time === undefined
  if (time === undefined) return
  reading.replaceChildren(
    ...textOf(at).map((text, index) => {
      const line = document.createElement(index === 0 ? 'strong' : 'span')
      line.textContent = text
      return line
    }),
  )
  const left = plot.valToPos(time, 'x')
  const room = plot.over.clientWidth - reading.offsetWidth
  reading.style.transform = `translateX(${Math.round(Math.max(0, Math.min(room, left - reading.offsetWidth / 2)))}px)`
}

const shared = () => ({
  width: 600,
  legend: { show: false },
  tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
})

/** Width of an axis of values, from its widest label: digits are of one width. */
const sizeOf = (labels: readonly string[]): number => 20 + 7 * Math.max(3, ...labels.map(({ length }) => length))

interface Layout {
  readonly height: number
  /** Width of the axis of values. */
  readonly size: number
  /** Whether the axis of times has labels. */
  readonly hasTimes: boolean
}

/** Returns the options of the chart of prices. */
const optionsOf = ({ lines, axis }: Drawing, { height, size, hasTimes }: Layout): uPlot.Options => ({
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
  series: [{}, ...lines.map(([line]) => line)],
})

/** Returns the axis of times, which the lower of two charts shows. */
const timeAxis = (hasTimes: boolean): uPlot.Axis => ({
  stroke: colour('--soft'),
  grid: { show: false },
  ticks: { show: hasTimes, stroke: colour('--line'), width: 1 },
  size: hasTimes ? TIMES_PX : 8,
  values: hasTimes ? timeNames : (_, splits) => splits.map(() => ''),
})

/** Returns the options of the chart of volumes, which has the width and the times of that of prices. */
const volumeOptions = (most: number, label: string, size: number): uPlot.Options => ({
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
      values: () => [label],
    },
  ],
  series: [
    {},
    {
      fill: colour('--soft', 0.35),
      width: 0,
      // Of few known volumes among many buckets, each bar is thin, but seen.
      paths: uPlot.paths.bars?.({ size: [0.7, 24, 2] }) ?? (() => null),
      points: { show: false },
    },
  ],
})
