import type uPlot from 'uplot'
import type { CandlesAnswer, HistoryAnswer } from '../client/answers.ts'
import { type ShownCurrency, amount, change, moment, money, price } from './format.ts'
import { changeLabels, priceLabels } from './axis.ts'
import { type Chart, axisOf, colour, mount } from './plot.ts'
import {
  alignedTo,
  barsOf,
  candlesSummary,
  changesOf,
  gridOf,
  isolatedIn,
  namesOf,
  summaryOf,
  venuesOfBar,
} from './series.ts'

// They are loaded with the chart.
export { candlesSummary, sourcesOfNewest, summaryOf } from './series.ts'

/** How a series is drawn. */
interface ChartView {
  /** Whether the prices are on a scale of logarithms. */
  readonly isLog: boolean
  /** Another asset. Both are then shown by their change since the start. */
  readonly compared: HistoryAnswer | null
  /** Sources of the newest point; none: not known. */
  readonly newestOf: readonly string[]
  readonly currency: ShownCurrency
}

/** Below this change over its range, a line has a neutral colour, such as that of a stablecoin. */
const LEAST_MOVE = 0.005

const inkOf = (first: number, last: number): string =>
  Math.abs(last / first - 1) < LEAST_MOVE ? '--accent' : last < first ? '--down' : '--up'

/** Returns amounts in dollars in a currency, and the formats of amounts that are in it. */
function converted(currency: ShownCurrency) {
  const shown = { ...currency, price_usd: 1 }
  return {
    of: (values: readonly (number | null)[]) =>
      values.map((value) => (value === null ? null : value / currency.price_usd)),
    labels: (ticks: readonly number[]) => priceLabels(ticks, currency.sign),
    price: (value: number | null) => price(value, shown),
    money: (value: number | null) => money(value, shown),
  }
}

const timeAt = (times: readonly number[], at: number): string => moment(new Date((times[at] ?? 0) * 1000).toISOString())

/** Shows the points between gaps as dots: a line needs two. */
const pointsOf = (values: readonly (number | null)[]): uPlot.Series.Points => {
  const alone = isolatedIn(values)
  return { show: false, size: 6, filter: () => (alone.length === 0 ? null : alone) }
}

/** Creates a chart of prices as a line, green or red by its direction, or of the changes of two assets. */
export function lineOf(answer: HistoryAnswer, { isLog, compared, newestOf, currency }: ChartView): Chart {
  if (compared !== null) return comparison(answer, compared)
  const own = converted(currency)
  const [times, dollars, traded] = gridOf(answer)
  const [prices, volumes] = [own.of(dollars), own.of(traded)]
  const ends = prices.filter((value) => value !== null)
  const ink = inkOf(ends[0] ?? 1, ends.at(-1) ?? 1)
  const axis = axisOf(prices, isLog, own.labels)
  const line = {
    stroke: colour(ink),
    width: 2,
    fill: colour(ink, 0.08),
    fillTo: () => axis.range[0],
    spanGaps: false,
    points: pointsOf(prices),
  }
  return mount({
    label: summaryOf(answer, currency),
    times,
    lines: [[line, prices]],
    axis,
    volumes,
    volumeLabel: own.money,
    reading(at) {
      const cost = prices[at] ?? null
      return [
        cost === null ? 'no data' : own.price(cost),
        timeAt(times, at),
        `Volume 24 h ${own.money(volumes[at] ?? null)}`,
        ...(at === times.length - 1 && newestOf.length > 0 ? [`Price of ${namesOf(newestOf)}`] : []),
      ]
    },
  })
}

/** Creates a chart of the changes of two assets since the start of the range. */
function comparison(answer: HistoryAnswer, { slug: symbol, rows }: HistoryAnswer): Chart {
  const [times, prices] = gridOf(answer)
  const [own, other] = [changesOf(prices), changesOf(alignedTo(times, rows))]
  return mount({
    label: summaryOf(answer),
    times,
    lines: [
      [{ stroke: colour('--accent'), width: 2, spanGaps: false, points: pointsOf(own) }, own],
      [{ stroke: colour('--warn'), width: 2, spanGaps: false, points: pointsOf(other) }, other],
    ],
    axis: axisOf([...own, ...other], false, changeLabels),
    volumes: [],
    volumeLabel: money,
    reading: (at) => [
      `${answer.slug} ${change(own[at] ?? null)}`,
      `${symbol} ${change(other[at] ?? null)}`,
      timeAt(times, at),
    ],
  })
}

/** Part of its place that a candle takes, and the width of its wick, in pixels. */
const [BODY, MOST_BODY_PX, WICK_PX] = [0.66, 14, 1]

/** Creates a chart of candles, each of which names the venues that it is made of. */
export function candlesOf(answer: CandlesAnswer, isLog: boolean, currency: ShownCurrency): Chart {
  const own = converted(currency)
  const { price_usd: rate } = currency
  const { times, bars } = barsOf({
    ...answer,
    rows: answer.rows.map((bar) => ({
      ...bar,
      open_usd: bar.open_usd / rate,
      high_usd: bar.high_usd / rate,
      low_usd: bar.low_usd / rate,
      close_usd: bar.close_usd / rate,
    })),
  })
  const axis = axisOf(
    bars.flatMap((bar) => (bar === null ? [] : [bar.low_usd, bar.high_usd])),
    isLog,
    own.labels,
  )
  const closes = bars.map((bar) => bar?.close_usd ?? null)
  const [up, down] = [colour('--up'), colour('--down')]
  return mount({
    label: candlesSummary(answer, null, currency),
    times,
    // The line itself is not drawn: it carries the cursor.
    lines: [[{ paths: () => null, points: { show: false } }, closes]],
    axis,
    volumes: bars.map((bar) => bar?.volume_base ?? null),
    volumeLabel: amount,
    reading(at) {
      const bar = bars[at] ?? null
      if (bar === null) return ['no candle', timeAt(times, at)]
      return [
        `${own.price(bar.open_usd)} → ${own.price(bar.close_usd)}`,
        timeAt(times, at),
        `Low ${own.price(bar.low_usd)}, high ${own.price(bar.high_usd)}`,
        `Volume ${amount(bar.volume_base)}, ${venuesOfBar(bar.venues, answer.sources)}`,
      ]
    },
    draw(plot) {
      const { ctx, bbox } = plot
      const ratio = devicePixelRatio
      const body = Math.max(ratio, Math.min(MOST_BODY_PX * ratio, (bbox.width / times.length) * BODY))
      const y = (value: number) => plot.valToPos(value, 'y', true)
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
