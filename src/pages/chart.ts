import uPlot from 'uplot'
import type { CandlesAnswer } from '../client/answers.ts'
import { type ShownCurrency, amount, change, counted, day, fixed, moment, money, percent, price } from './format.ts'
import { LEAST_SPAN } from './line.ts'
import { MEASURES, type Measure } from './measures.ts'
import { type Values, alignedTo, candlesSummary, changesOf, gridOf, isolatedIn, summaryOf } from './series.ts'

/** Height of a chart without its legend. */
const HEIGHT_PX = 312
/** Height of the labels of the axis of times. */
const TIMES_PX = 34
/** Part of the height that volumes take. */
const VOLUME_PART = 0.22
/** Number of known volumes that are worth drawing. */
const LEAST_VOLUMES = 3
/** Room above and below a line, as a share of its range. */
const ROOM = 0.06

/** Returns the range of an axis that shows values from `low` to `high` with some room; what moves little looks calm. */
export function paddedRange(low: number, high: number, isLog = false): [number, number] {
  if (isLog) {
    const factor = high > low ? (high / low) ** ROOM : 1 + LEAST_SPAN / 2
    return [low / factor, high * factor]
  }
  const least = (Math.abs(high) * LEAST_SPAN || 2) - (high - low)
  const room = Math.max((high - low) * ROOM, least / 2)
  return [low >= 0 ? Math.max(0, low - room) : low - room, high + room]
}

/** From this number of decimals on, a label counts its zeros as a price does. */
const MANY_DECIMALS = 6

/** Returns the number of decimals that the multiples of a step have: 0.025 has three. */
function decimalsOf(step: number): number {
  const [digits = '', exponent = '0'] = Number(step.toPrecision(3)).toExponential().split('e')
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent))
}

/** Returns labels of changes in percent on an axis: `+10 %`. */
export const changeLabels = (values: readonly number[], step: number): string[] =>
  values.map((value) => change(value, decimalsOf(step)))

/** Returns labels of prices on an axis, with the decimals of its step: `$64,000`, `$0.995`, `$0.0₁₁25`. */
export function priceLabels(values: readonly number[], step: number, currency: ShownCurrency): string[] {
  const decimals = decimalsOf(step)
  const inFull = fixed(decimals)
  return values.map((value) => (decimals < MANY_DECIMALS ? currency.sign + inFull(value) : price(value, currency)))
}

/** Resolves a colour of the style sheet for a canvas, which supports neither CSS variables nor colour schemes. */
function colour(name: string, opacity = 1): string {
  const probe = document.createElement('span')
  probe.hidden = true
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const channels =
    getComputedStyle(probe)
      .color.match(/[\d.]+/g)
      ?.slice(0, 3) ?? []
  probe.remove()
  return `rgb(${channels.join(' ')} / ${opacity})`
}

/** A line of a chart, and what its legend says of a point. */
interface Line {
  readonly name: string
  readonly values: (number | null)[]
  readonly text: (value: number | null, at: number) => string
  readonly look: Partial<uPlot.Series>
}

/** What a chart shows. */
interface Drawing {
  /** Text alternative for screen readers. */
  readonly label: string
  /** Seconds since 1970. */
  readonly times: number[]
  readonly lines: readonly Line[]
  /** The bars below the lines. */
  readonly volumes?: undefined | Pick<Line, 'name' | 'values' | 'text'>
  readonly isLog?: boolean
  /** Whether the axis begins at zero, as bars need it. */
  readonly isFromZero?: boolean
  readonly labels: (values: readonly number[], step: number) => string[]
  /** Draws what is no line. */
  readonly draw?: (plot: uPlot) => void
}

/** A chart on a page. */
export interface Chart {
  readonly element: HTMLElement
  readonly destroy: () => void
}

const DAY_SECONDS = 86_400
const IN_UTC = { timeZone: 'UTC', hourCycle: 'h23' } as const
const hours = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', ...IN_UTC })
const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', ...IN_UTC })

/** Width of an axis of values, from its widest label: digits are of one width. */
const widthOf = (labels: readonly string[]): number => 20 + 7 * Math.max(3, ...labels.map(({ length }) => length))

const seriesOf = ({ name, text, look }: Omit<Line, 'values'>): uPlot.Series => ({
  label: name,
  value: (_, value, __, at) => (at === null ? '' : text(value, at)),
  ...look,
})

/** Returns the axes of times, of values, and of volumes, of which the largest has a label. */
function axesOf({ labels, volumes }: Drawing, most: number): uPlot.Axis[] {
  const plain = { stroke: colour('--soft'), grid: { show: false }, ticks: { show: false } }
  return [
    {
      ...plain,
      size: TIMES_PX,
      values: (_, times) => times.map((at) => (at % DAY_SECONDS === 0 ? days : hours).format(at * 1000)),
    },
    {
      ...plain,
      grid: { stroke: colour('--line'), width: 1 },
      size: (_, texts) => widthOf(texts ?? []),
      // A scale of logarithms leaves out the labels of some values.
      values: (...[, values, , , step]) => {
        const texts = labels(
          values.filter((value) => value !== null),
          step,
        )
        return values.map((value) => (value === null ? '' : (texts.shift() ?? '')))
      },
    },
    // eslint-disable-next-line typescript/no-unsafe-enum-assignment -- the library declares its sides as a constant enum, which the program does not have
    ...(volumes
      ? [
          {
            ...plain,
            scale: 'volume',
            side: 1,
            size: widthOf([volumes.text(most, 0)]),
            splits: () => [most],
            values: () => [volumes.text(most, 0)],
          },
        ]
      : []),
  ]
}

/** Bars. Of few known ones among many buckets, each is thin, but seen. */
const barsOf = (ink: string, opacity: number): Partial<uPlot.Series> => ({
  fill: colour(ink, opacity),
  width: 0,
  paths: uPlot.paths.bars?.({ size: [0.7, 24, 2] }) ?? (() => null),
  points: { show: false },
})

/** Returns the options of a chart with a legend of the values at the pointer or the arrow keys, otherwise of the newest. */
function optionsOf(drawing: Drawing): uPlot.Options {
  const { times, lines, volumes, isLog = false, isFromZero = false, draw } = drawing
  const isDaily = times.every((seconds) => seconds % DAY_SECONDS === 0)
  const newest = times.length - 1
  const most = Math.max(0, ...(volumes?.values ?? []).map((volume) => volume ?? 0))
  return {
    width: 600,
    height: HEIGHT_PX,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
    cursor: { y: false, points: { size: 8 } },
    scales: {
      // eslint-disable-next-line typescript/no-unsafe-enum-assignment -- uPlot's enum exists in its types alone
      y: { distr: isLog ? 3 : 1, range: (_, low, high) => paddedRange(isFromZero && !isLog ? 0 : low, high, isLog) },
      volume: { range: () => [0, most / VOLUME_PART || 1] },
    },
    axes: axesOf(drawing, most),
    series: [
      {
        label: isDaily ? 'Day' : 'Time',
        value: (_, seconds) => (isDaily ? day : moment)(new Date((seconds ?? 0) * 1000).toISOString()),
      },
      ...lines.map(seriesOf),
      ...(volumes ? [seriesOf({ ...volumes, look: { scale: 'volume', ...barsOf('--soft', 0.35) } })] : []),
    ],
    hooks: {
      setCursor: [(plot) => plot.cursor.idx == null && plot.setLegend({ idx: newest })],
      ready: [(plot) => plot.setLegend({ idx: newest })],
      ...(draw ? { draw: [draw] } : {}),
    },
  }
}

/** Creates a chart that is as wide as its place. */
function mount({ volumes: given, ...drawing }: Drawing): Chart {
  const { label, times, lines } = drawing
  const hasVolumes = (given?.values ?? []).filter((volume) => volume !== null).length >= LEAST_VOLUMES
  const volumes = hasVolumes ? given : undefined
  const element = document.createElement('div')
  element.className = 'chart'
  element.tabIndex = 0
  element.role = 'img'
  element.ariaLabel = `Chart. ${label}`
  const data: uPlot.AlignedData = [times, ...[...lines, ...(volumes ? [volumes] : [])].map(({ values }) => values)]
  const plot = new uPlot(optionsOf({ ...drawing, volumes }), data, element)
  const fit = new ResizeObserver(([entry]) => {
    // Within the padding of the frame.
    if (entry) plot.setSize({ width: entry.contentRect.width, height: HEIGHT_PX })
  })
  fit.observe(element)
  element.addEventListener('keydown', ({ key }) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key]
    if (step === undefined) return
    const newest = times.length - 1
    const at = Math.max(0, Math.min(newest, (plot.cursor.idx ?? newest) + step))
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

/** Below this change over its range, a line has a neutral colour, such as that of a stablecoin. */
const LEAST_MOVE = 0.005

const inkOf = (first: number, last: number): string =>
  Math.abs(last / first - 1) < LEAST_MOVE ? '--accent' : last < first ? '--down' : '--up'

/** A line that shows the points between gaps as dots: a line needs two. */
function lineOf(ink: string, values: readonly (number | null)[]): Partial<uPlot.Series> {
  const alone = isolatedIn(values)
  const points = { show: false, size: 6, filter: () => (alone.length === 0 ? null : alone) }
  return { stroke: colour(ink), width: 2, spanGaps: false, points }
}

/** How a series is drawn. */
interface ChartView {
  /** Name of the asset, or of what is summed. */
  readonly name: string
  /** Whether the values are on a scale of logarithms. */
  readonly isLog: boolean
  readonly currency: ShownCurrency
}

/** Returns amounts in dollars in a currency, and how the values of a measure are written. */
export function writtenIn(currency: ShownCurrency, measure: Measure = 'price') {
  const { unit } = MEASURES[measure]
  const shown = { ...currency, price_usd: 1 }
  const text = (value: number | null) =>
    unit === 'percent' ? percent(value) : unit === 'money' ? money(value, shown) : price(value, shown)
  const of = (value: number | null | undefined) =>
    value == null ? null : unit === 'percent' ? value : value / currency.price_usd
  return {
    of,
    text,
    /** Writes an amount in dollars. */
    write: (value: number) => text(of(value)),
    labels: (values: readonly number[], step: number) =>
      unit === 'price' ? priceLabels(values, step, shown) : values.map(text),
  }
}

/** Creates a chart of a measure: of volumes bars, of a price or a market cap a line, green or red by its direction. */
export function lineChart(answer: Values, measure: Measure, { name, isLog, currency }: ChartView): Chart {
  const { of, text, write, labels } = writtenIn(currency, measure)
  const [{ label, noun }, volume] = [MEASURES[measure], writtenIn(currency, 'volume')]
  const { times, at } = gridOf(answer)
  const values = at.map((row) => of(row?.price_usd))
  const ends = values.filter((value) => value !== null)
  const ink = measure === 'largest' ? '--accent' : inkOf(ends[0] ?? 1, ends.at(-1) ?? 1)
  const look =
    measure === 'volume'
      ? barsOf('--accent', 0.6)
      : { ...lineOf(ink, values), fill: colour(ink, 0.08), fillTo: (plot: uPlot) => plot.scales['y']?.min ?? 0 }
  return mount({
    label: summaryOf(answer, write, noun),
    times,
    lines: [{ name: measure === 'price' ? name : `${name}, ${label}`, values, text, look }],
    volumes: {
      name: MEASURES.volume.label,
      values: at.map((row) => volume.of(row?.volume_24h_usd)),
      text: volume.text,
    },
    isLog,
    isFromZero: measure === 'volume',
    labels,
  })
}

/** A series of prices by its name. */
export type Named = readonly [name: string, Values]

/** Creates a chart of the changes of two series since the start of the range. */
export function comparison([name, own]: Named, [otherName, other]: Named): Chart {
  const { times } = gridOf(own)
  const lines = [
    ['--accent', name, own],
    ['--warn', otherName, other],
  ] as const
  return mount({
    label: `${name} and ${otherName}, by their change`,
    times,
    lines: lines.map(([ink, name, { rows }]) => {
      const values = changesOf(alignedTo(times, rows))
      return { name, values, text: (value) => change(value), look: lineOf(ink, values) }
    }),
    labels: changeLabels,
  })
}

/** Part of its place that a candle takes, and the width of its wick, in pixels. */
const [BODY, MOST_BODY_PX, WICK_PX] = [0.66, 14, 1]

/** Creates a chart of candles. */
export function candleChart(answer: CandlesAnswer, { name, isLog, currency }: ChartView): Chart {
  const own = writtenIn(currency)
  const { times, at: bars } = gridOf(answer)
  const [up, down] = [colour('--up'), colour('--down')]
  const valuesOf = (member: 'low_usd' | 'high_usd' | 'close_usd') => bars.map((bar) => own.of(bar?.[member]))
  // The lines are not drawn: they carry the cursor and the range of the axis.
  const unseen = { paths: () => null, points: { show: false } }
  const textOf = (_: unknown, at: number) => {
    const bar = bars[at]
    return bar
      ? `${price(bar.open_usd, currency)} → ${price(bar.close_usd, currency)}, ${counted(bar.venues, 'venue')}`
      : 'no candle'
  }
  return mount({
    label: candlesSummary(answer, null, currency),
    times,
    lines: [
      { name, values: valuesOf('close_usd'), text: textOf, look: unseen },
      { name: 'Low', values: valuesOf('low_usd'), text: own.text, look: unseen },
      { name: 'High', values: valuesOf('high_usd'), text: own.text, look: unseen },
    ],
    volumes: { name: 'Volume', values: bars.map((bar) => bar?.volume_base ?? null), text: amount },
    isLog,
    labels: own.labels,
    draw(plot) {
      const { ctx, bbox } = plot
      const ratio = devicePixelRatio
      const body = Math.max(ratio, Math.min(MOST_BODY_PX * ratio, (bbox.width / times.length) * BODY))
      const y = (value_usd: number) => plot.valToPos(value_usd / currency.price_usd, 'y', true)
      ctx.save()
      for (const [at, bar] of bars.entries()) {
        if (bar === null) continue
        const x = plot.valToPos(times[at] ?? 0, 'x', true)
        const [open, close] = [y(bar.open_usd), y(bar.close_usd)]
        ctx.fillStyle = bar.close_usd < bar.open_usd ? down : up
        ctx.fillRect(x - (WICK_PX * ratio) / 2, y(bar.high_usd), WICK_PX * ratio, y(bar.low_usd) - y(bar.high_usd))
        ctx.fillRect(x - body / 2, Math.min(open, close), body, Math.max(ratio, Math.abs(open - close)))
      }
      ctx.restore()
    },
  })
}
