import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { type ShownCurrency, amount, counted, day, fixed, moment, price } from './format.ts'
import { LEAST_SPAN, directionOf, gridOf } from './line.ts'
import { MEASURES } from './measures.ts'
import { LEAST_POINTS, type Series, type SeriesRow, summaryOf, writtenIn } from './series.ts'
import { useSite } from './site.tsx'

/** Height of a chart without its legend. */
const HEIGHT_PX = 312
/** Height of the labels of the axis of times. */
const TIMES_PX = 34
/** Part of the height that volumes take. */
const VOLUME_PART = 0.22
/** Room above and below a line, as a share of its range. */
const ROOM = 0.06

/** Returns the range of an axis that shows values from `low` to `high` with some room; what moves little looks calm. */
export function paddedRange(low: number, high: number, isLog = false): [number, number] {
  if (isLog) {
    const factor = Math.max((high / low) ** ROOM, ((1 + LEAST_SPAN) / (high / low)) ** 0.5)
    return [low / factor, high * factor]
  }
  const least = (Math.abs(high) * LEAST_SPAN || 2) - (high - low)
  const room = Math.max((high - low) * ROOM, least / 2)
  return [low >= 0 ? Math.max(0, low - room) : low - room, high + room]
}

/** Factors of round values, and the number of those that fit an axis. */
const [ROUND, MOST_LABELS] = [[1, 2, 5, 10], 6]
/** Ratio of the ends of an axis from which on it has powers of ten. */
const MANY = 20

/** Returns round values between two on a scale of logarithms: multiples of one step, or over some powers of ten of those. */
export function roundBetween(low: number, high: number): number[] {
  const powerOf = (value: number) => 10 ** Math.floor(Math.log10(value))
  if (high / low >= MANY) {
    const powers: number[] = []
    for (let power = powerOf(low); power <= high; power *= 10) powers.push(power)
    const all = powers.flatMap((power) => ROUND.slice(0, -1).map((factor) => factor * power))
    return all.filter((value) => value >= low && value <= high)
  }
  const least = (high - low) / MOST_LABELS
  const step = (ROUND.find((factor) => factor * powerOf(least) >= least) ?? 1) * powerOf(least)
  const first = Math.ceil(low / step)
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, at) => (first + at) * step)
}

/** From this number of decimals on, a label counts its zeros as a price does. */
const MANY_DECIMALS = 6

/** Returns the number of decimals that the multiples of a step have: 0.025 has three. */
function decimalsOf(step: number): number {
  const [digits = '', exponent = '0'] = Number(step.toPrecision(3)).toExponential().split('e')
  return Math.max(0, (digits.split('.')[1]?.length ?? 0) - Number(exponent))
}

/** Returns the label of a value on an axis, whose step gives the number of its decimals. */
type Label = (value: number, step: number) => string

/** `$64,000`, `$0.995`, `$0.0₁₁25` */
export const priceLabel =
  (currency: ShownCurrency): Label =>
  (value, step) => {
    const decimals = decimalsOf(step)
    return decimals < MANY_DECIMALS
      ? currency.sign + fixed(decimals)(value)
      : price(value, { ...currency, price_usd: 1 })
  }

/** `$1.90T`, `$850M` */
export const moneyLabel =
  ({ sign }: ShownCurrency): Label =>
  (value, step) => {
    const unit = 1000 ** Math.min(4, Math.max(0, Math.floor(Math.log10(value) / 3)))
    return sign + fixed(decimalsOf(step / unit), 'compact')(value)
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
  /** Seconds since 1970. */
  readonly times: number[]
  readonly lines: readonly Line[]
  /** The largest of the bars below the lines, which are the last line; absent: there are none. */
  readonly mostVolume?: number
  readonly isLog?: boolean
  /** Whether the axis begins at zero, as bars need it. */
  readonly isFromZero?: boolean
  readonly label: Label
  /** Draws what is no line. */
  readonly draw?: (plot: uPlot) => void
}

const DAY_SECONDS = 86_400
const IN_UTC = { timeZone: 'UTC', hourCycle: 'h23' } as const
const hours = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', ...IN_UTC })
const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', ...IN_UTC })

/** Width of an axis of values, from its widest label: digits are of one width. */
const widthOf = (labels: readonly string[]): number => 20 + 7 * Math.max(3, ...labels.map(({ length }) => length))

/** Returns the axes of times, of values, and of volumes, of which the largest has a label. */
function axesOf({ label, lines, mostVolume, isLog = false }: Drawing): uPlot.Axis[] {
  const plain = { stroke: colour('--soft'), grid: { show: false }, ticks: { show: false } }
  const most = mostVolume === undefined ? '' : (lines.at(-1)?.text(mostVolume, 0) ?? '')
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
      ...(isLog && { splits: (_: uPlot, __: number, low: number, high: number) => roundBetween(low, high) }),
      filter: (_, values) => values,
      values: (_, values) =>
        values.map((value, at) => label(value, Math.abs((values[at + 1] ?? values[at - 1] ?? 0) - value))),
    },
    // eslint-disable-next-line typescript/no-unsafe-enum-assignment -- the library declares its sides as a constant enum, which the program does not have
    ...(mostVolume === undefined
      ? []
      : [
          {
            ...plain,
            scale: 'volume',
            side: 1,
            size: widthOf([most]),
            splits: () => [mostVolume],
            values: () => [most],
          },
        ]),
  ]
}

/** Returns the options of a chart with a legend of the values at the pointer or the arrow keys, otherwise of the newest. */
function optionsOf(drawing: Drawing): uPlot.Options {
  const { times, lines, mostVolume = 0, isLog = false, isFromZero = false, draw } = drawing
  const isDaily = times.every((seconds) => seconds % DAY_SECONDS === 0)
  const newest = times.length - 1
  // The first and the last bar have their whole width.
  const room = ((times[1] ?? 0) - (times[0] ?? 0)) / 2
  return {
    width: 600,
    height: HEIGHT_PX,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
    cursor: { y: false, points: { size: 8 } },
    scales: {
      x: { range: (_, from, to) => [from - room, to + room] },
      // eslint-disable-next-line typescript/no-unsafe-enum-assignment -- uPlot's enum exists in its types alone
      y: { distr: isLog ? 3 : 1, range: (_, low, high) => paddedRange(isFromZero && !isLog ? 0 : low, high, isLog) },
      volume: { range: () => [0, mostVolume / VOLUME_PART || 1] },
    },
    axes: axesOf(drawing),
    series: [
      {
        label: isDaily ? 'Day' : 'Time',
        value: (_, seconds) => (isDaily ? day : moment)(new Date((seconds ?? 0) * 1000).toISOString()),
      },
      ...lines.map(({ name, text, look }): uPlot.Series => ({
        label: name,
        value: (_, value, __, at) => (at === null ? '' : text(value, at)),
        ...look,
      })),
    ],
    hooks: {
      setCursor: [(plot) => plot.cursor.idx == null && plot.setLegend({ idx: newest })],
      ready: [(plot) => plot.setLegend({ idx: newest })],
      ...(draw ? { draw: [draw] } : {}),
    },
  }
}

/** Bars. Of few known ones among many buckets, each is thin, but seen. */
const barsOf = (ink: string, opacity: number): Partial<uPlot.Series> => ({
  fill: colour(ink, opacity),
  width: 0,
  paths: uPlot.paths.bars?.({ size: [0.7, 24, 2] }) ?? (() => null),
  points: { show: false },
})

/** Returns the places of values that have no neighbour, which a line without width cannot show. */
export const isolatedIn = (values: readonly (number | null)[]): number[] =>
  values.flatMap((value, at) =>
    value !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null ? [at] : [],
  )

/** A line that shows the points between gaps as dots. */
function lineOf(ink: string, values: readonly (number | null)[]): Partial<uPlot.Series> {
  const alone = isolatedIn(values)
  const points = { show: false, size: 6, filter: () => (alone.length === 0 ? null : alone) }
  return { stroke: colour(ink), width: 2, spanGaps: false, points }
}

/** Lines that are not drawn: they carry the cursor and the range of the axis. */
const UNSEEN = { paths: () => null, points: { show: false } }

/** Part of its place that a candle takes, and the width of its wick, in pixels. */
const [BODY, MOST_BODY_PX, WICK_PX] = [0.66, 14, 1]

/** Returns what draws candles at the places of a grid. */
function candlesOf(rows: readonly (SeriesRow | null)[], times: readonly number[]): (plot: uPlot) => void {
  const [up, down] = [colour('--up'), colour('--down')]
  return (plot) => {
    const { ctx, bbox } = plot
    const ratio = devicePixelRatio
    const body = Math.max(ratio, Math.min(MOST_BODY_PX * ratio, (bbox.width / times.length) * BODY))
    const y = (value: number) => plot.valToPos(value, 'y', true)
    ctx.save()
    for (const [at, row] of rows.entries()) {
      if (row === null) continue
      const x = plot.valToPos(times[at] ?? 0, 'x', true)
      const [open, close] = [y(row.open), y(row.close)]
      ctx.fillStyle = row.close < row.open ? down : up
      ctx.fillRect(x - (WICK_PX * ratio) / 2, y(row.high), WICK_PX * ratio, y(row.low) - y(row.high))
      ctx.fillRect(x - body / 2, Math.min(open, close), body, Math.max(ratio, Math.abs(open - close)))
    }
    ctx.restore()
  }
}

const INKS = { up: '--up', down: '--down', flat: '--accent' } as const

/** Draws a measure: of volumes bars, of candles bodies with wicks, otherwise a line, green or red by its direction. */
function drawingOf({ series, isLog = false }: Shown, currency: ShownCurrency): Drawing {
  const { name, measure, rows } = series
  const [{ noun, unit }, text] = [MEASURES[measure], writtenIn(currency, measure)]
  const { times, at } = gridOf(series)
  const valuesOf = (member: 'low' | 'high' | 'close' | 'volume') => at.map((row) => row?.[member] ?? null)
  const values = valuesOf('close')
  const ink =
    INKS[unit === 'percent' ? 'flat' : directionOf(((rows.at(-1)?.close ?? 1) / (rows[0]?.close ?? 1) - 1) * 100)]
  const title = unit === 'price' ? name : `${name}, ${noun}`
  const candle = (row: SeriesRow | null | undefined) =>
    row ? `${text(row.open)} → ${text(row.close)}, ${counted(row.venues ?? 0, 'venue')}` : 'no candle'
  const filled = {
    ...lineOf(ink, values),
    fill: colour(ink, 0.08),
    fillTo: (plot: uPlot) => plot.scales['y']?.min ?? 0,
  }
  const lines: readonly Line[] =
    measure === 'candles'
      ? [
          { name, values, text: (_, index) => candle(at[index]), look: UNSEEN },
          { name: 'Low', values: valuesOf('low'), text, look: UNSEEN },
          { name: 'High', values: valuesOf('high'), text, look: UNSEEN },
        ]
      : [{ name: title, values, text, look: measure === 'volume' ? barsOf('--accent', 0.6) : filled }]
  const volumes = rows.flatMap(({ volume }) => volume ?? [])
  const volume = {
    name: measure === 'candles' ? 'Volume in coins' : MEASURES.volume.label,
    values: valuesOf('volume'),
    text: measure === 'candles' ? amount : writtenIn(currency, 'volume'),
    look: { scale: 'volume', ...barsOf('--soft', 0.35) },
  }
  return {
    ...(volumes.length < LEAST_POINTS ? { lines } : { lines: [...lines, volume], mostVolume: Math.max(...volumes) }),
    times,
    isLog,
    isFromZero: measure === 'volume',
    label: { price: priceLabel(currency), money: moneyLabel(currency), percent: text }[unit],
    ...(measure === 'candles' ? { draw: candlesOf(at, times) } : {}),
  }
}

interface Shown {
  /** In the chosen currency. */
  readonly series: Series
  /** Whether the values are on a scale of logarithms. */
  readonly isLog?: boolean
}

/** A chart that is drawn again when what it shows or the colours change. */
function Chart(shown: Shown & { readonly label: string }) {
  const { currency } = useSite()
  const { label, series, isLog } = shown
  const place = useRef<HTMLDivElement>(null)
  const drawn = useRef<uPlot>(null)
  const [theme, setTheme] = useState(0)
  useEffect(() => {
    const change = () => setTheme((before) => before + 1)
    addEventListener('themechange', change)
    return () => removeEventListener('themechange', change)
  }, [])
  // Before the first paint: text below would jump.
  useLayoutEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const drawing = drawingOf(shown, currency)
    const data: uPlot.AlignedData = [drawing.times, ...drawing.lines.map(({ values }) => values)]
    const plot = (drawn.current = new uPlot(optionsOf(drawing), data, element))
    const fit = new ResizeObserver(([entry]) => {
      // Within the padding of the frame.
      if (entry) plot.setSize({ width: entry.contentRect.width, height: HEIGHT_PX })
    })
    fit.observe(element)
    return () => {
      fit.disconnect()
      plot.destroy()
    }
  }, [series, isLog, theme])
  const step = ({ key }: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[key]
    const plot = drawn.current
    if (by === undefined || plot === null) return
    const [times] = plot.data
    const newest = times.length - 1
    const at = Math.max(0, Math.min(newest, (plot.cursor.idx ?? newest) + by))
    plot.setCursor({ left: plot.valToPos(times[at] ?? 0, 'x'), top: 0 })
  }
  return <div ref={place} class="chart" tabIndex={0} role="img" aria-label={`Chart. ${label}`} onKeyDown={step} />
}

interface ChartedProps extends Shown {
  /** Shown after the words. */
  readonly children?: ComponentChildren
  /** Shown after the words where there is no chart. */
  readonly instead?: ComponentChildren
}

/** A series as a chart and in words, or in words alone where it has too few values. */
export function Charted({ children, instead, ...shown }: ChartedProps) {
  const { currency } = useSite()
  const { series } = shown
  const summary = summaryOf(series, currency)
  if (series.rows.length < LEAST_POINTS)
    return (
      <div class="empty">
        <p>{summary}</p>
        {instead}
      </div>
    )
  return (
    <>
      <Chart {...shown} label={summary} />
      <p class="soft">
        {MEASURES[series.measure].unit !== 'price' && `${MEASURES[series.measure].label}. `}
        {summary}{' '}
        {currency.day !== undefined &&
          `In ${currency.symbol}: the chart at the rate of each day, other amounts at that of ${currency.day}. `}
        {children}
      </p>
    </>
  )
}
