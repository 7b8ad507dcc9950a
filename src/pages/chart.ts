import { range, sum, ticks } from 'd3-array'
import { answerIfThere, keepInAddress, make, part, readAnswer } from './browser.ts'
import { currencyNow } from './currency.ts'
import { type ShownCurrency, amount, day, fixed, moment, money, price, tone } from './format.ts'
import { LEAST_SPAN, chartGridOf } from './line.ts'
import { type Series, type SeriesRow, candleSeries, dailySeries, historySeries, seriesIn, summaryOf } from './series.ts'

/** Heights of the panes of prices and volumes, of the room between them, and of the labels of times. */
const [PRICE_PX, GAP_PX, VOLUME_PX, TIMES_PX] = [280, 14, 56, 22]
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

/** Number of labels of prices, distance of those of times, and ratio of prices from which on logarithms have powers of ten. */
const [PRICES, TIME_EACH_PX, MANY] = [5, 110, 20]

export function labelled(low: number, high: number, isLog: boolean): readonly number[] {
  if (!isLog || high / low < MANY) return ticks(low, high, PRICES)
  return range(Math.ceil(Math.log10(low)), Math.floor(Math.log10(high)) + 1).map((power) => 10 ** power)
}

/** From this number of decimals on, a label counts its zeros as a price does. */
const MANY_DECIMALS = 6

/** Returns the label of a price on an axis, whose step gives the number of its decimals: `$64,000`, `$0.995`, `$0.0₁₁25`. */
export function priceLabel(value: number, step: number, currency: ShownCurrency): string {
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9))
  return decimals < MANY_DECIMALS ? currency.sign + fixed(decimals)(value) : price(value, { ...currency, price_usd: 1 })
}

const timeFormat = (parts: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', hourCycle: 'h23', ...parts })
const hours = timeFormat({ hour: '2-digit', minute: '2-digit' })
const days = timeFormat({ day: 'numeric', month: 'short' })
const months = timeFormat({ month: 'short', year: 'numeric' })

interface Drawing extends ReturnType<typeof chartGridOf<SeriesRow>> {
  readonly series: Series
  readonly currency: ShownCurrency
  readonly isLog: boolean
}

function tipOf({ series: { isCandles, interval }, currency, at }: Drawing, place: number): string {
  const row = at[place]
  if (!row) return 'no price'
  const { timestamp, open, high, low, close, volume } = row
  const prices = isCandles ? { 'Open ': open, 'High ': high, 'Low ': low, 'Close ': close } : { '': close }
  return [
    (interval === '1d' ? day : moment)(timestamp),
    ...Object.entries(prices).map(([name, value]) => name + price(value, currency)),
    ...(volume === null ? [] : [`Volume ${isCandles ? `${amount(volume)} coins` : money(volume, currency)}`]),
  ].join('\n')
}

const [BODY, MOST_BODY_PX] = [0.66, 14]

type Scales = Readonly<Record<'x' | 'y', (value: number) => number> & Record<'bar', number>>

const pathOf = (at: Drawing['at'], drawn: (row: SeriesRow, place: number) => string): string =>
  at.map((row, place) => (row ? drawn(row, place) : '')).join('')

/** Returns a path of closes, which has gaps; a point alone is a dot. */
const closesPath = (at: Drawing['at'], { x, y }: Scales): string =>
  pathOf(at, ({ close }, place) => `${at[place - 1] ? 'L' : 'M'}${x(place).toFixed(1)} ${y(close).toFixed(1)}h0`)

/** Returns the candles that rose, or those that fell, as a path of wicks and bodies. */
const candlesPath = (at: Drawing['at'], isUp: boolean, { x, y, bar }: Scales): string =>
  pathOf(at, ({ open, high, low, close }, place) => {
    if (close >= open !== isUp) return ''
    const [top, bottom] = [y(Math.max(open, close)), y(Math.min(open, close))]
    const body = `M${x(place) - bar / 2} ${top}h${bar}V${Math.max(bottom, top + 1)}h${-bar}z`
    return `M${x(place)} ${y(high)}V${y(low)}${body}`
  })

const textAt = (left: number, top: number, content: string, anchor = 'start') =>
  make('text', { x: String(left), y: String(top), 'text-anchor': anchor }, content)

/** Share of the places with a volume from which on there is a pane of them. */
const LEAST_VOLUMES = 0.5

function volumePane({ series, currency, at }: Drawing, { x, bar }: Scales, labelsAt: number): readonly Element[] {
  const volumes = at.flatMap((row) => row?.volume ?? [])
  const most = Math.max(0, ...volumes)
  if (most === 0 || volumes.length < at.length * LEAST_VOLUMES) return []
  const bottom = PRICE_PX + GAP_PX + VOLUME_PX
  const bars = pathOf(at, ({ volume }, place) => `M${x(place)} ${bottom}v${-((volume ?? 0) / most) * VOLUME_PX}`)
  return [
    make('path', { d: bars, class: 'bars', 'stroke-width': String(bar) }),
    textAt(labelsAt, bottom - VOLUME_PX + 8, series.isCandles ? amount(most) : money(most, currency)),
  ]
}

/** Days of a range from which on its labels are months. */
const MOST_DAYS = 100

function timeLabels({ series, times, at }: Drawing, { x }: Scales, inner: number, bottom: number): readonly Element[] {
  const { days: range, interval } = series
  const format = interval !== '1d' && range === 1 ? hours : range === null || range > MOST_DAYS ? months : days
  const every = Math.ceil(at.length / Math.max(2, Math.floor(inner / TIME_EACH_PX)))
  return at.flatMap((_, place) => {
    if (place % every !== Math.floor(every / 2)) return []
    const time = times[Math.floor((place * times.length) / at.length)]
    return textAt(x(place), bottom + TIMES_PX - 6, format.format(time), 'middle')
  })
}

function draw(drawing: Drawing, width: number) {
  const { series, currency, isLog, at } = drawing
  const prices = series.rows.flatMap((row) => [row.low, row.high])
  const [low, high] = paddedRange(Math.min(...prices), Math.max(...prices), isLog)
  const values = labelled(low, high, isLog)
  const stepAt = (place: number) => Math.abs((values[place + 1] ?? values[place - 1] ?? 0) - (values[place] ?? 0))
  const texts = values.map((value, place) => priceLabel(value, stepAt(place), currency))
  const inner = width - 16 - 7 * Math.max(...texts.map(({ length }) => length))
  const step = inner / Math.max(1, at.length)
  const scaled = isLog ? Math.log : (value: number) => value
  const scales: Scales = {
    x: (place) => (place + 0.5) * step,
    y: (value) => PRICE_PX - ((scaled(value) - scaled(low)) / (scaled(high) - scaled(low))) * PRICE_PX,
    bar: Math.max(1, Math.min(MOST_BODY_PX, step * BODY)),
  }
  const path = (d: string, name: string, tones: string) => make('path', { d, class: name, 'data-tone': tones })
  const moved = tone(((series.rows.at(-1)?.close ?? 1) / (series.rows[0]?.close ?? 1) - 1) * 100)
  const lines = series.isCandles
    ? (['up', 'down'] as const).map((way) => path(candlesPath(at, way === 'up', scales), 'candles', way))
    : [path(closesPath(at, scales), 'closes', moved)]
  const volumes = volumePane(drawing, scales, inner + 8)
  const bottom = PRICE_PX + (volumes.length > 0 ? GAP_PX + VOLUME_PX : 0)
  const height = bottom + TIMES_PX
  const svg = make(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, width: String(width), height: String(height) },
    ...values.map((value) => make('path', { d: `M0 ${scales.y(value)}H${inner}`, class: 'grid' })),
    ...values.map((value, place) => textAt(inner + 8, scales.y(value) + 4, texts[place] ?? '')),
    ...lines,
    ...volumes,
    ...timeLabels(drawing, scales, inner, bottom),
  )
  return { svg, ...scales, bottom, placeAt: (left: number) => Math.floor(left / step) }
}

const CANDLE_PX = 4

/** Returns rows in groups, each as one, so that the candles of a long range can be told apart. */
const grouped = (at: Drawing['at'], size: number): Drawing['at'] =>
  Array.from({ length: Math.ceil(at.length / size) }, (_, group) => {
    const rows = at.slice(group * size, (group + 1) * size).filter((row) => row !== null)
    const [first, last] = [rows[0], rows.at(-1)]
    if (!first || !last) return null
    const [high, low] = [Math.max(...rows.map((row) => row.high)), Math.min(...rows.map((row) => row.low))]
    const volume = rows.some((row) => row.volume !== null) ? sum(rows, (row) => row.volume) : null
    return { ...first, close: last.close, high, low, volume }
  })

const TIP_PX = 14

function showChart(place: HTMLElement, whole: Drawing) {
  const size = whole.series.isCandles ? Math.ceil((whole.at.length * CANDLE_PX) / place.clientWidth) : 1
  const drawing = { ...whole, at: grouped(whole.at, size) }
  const { svg, x, y, bottom, placeAt } = draw(drawing, place.clientWidth)
  const tip = document.createElement('div')
  tip.className = 'tip'
  const cross = make('path', { class: 'cross' })
  let shown: number | null = null
  const point = (wanted: number | null) => {
    shown = wanted === null ? null : Math.max(0, Math.min(drawing.at.length - 1, wanted))
    tip.hidden = shown === null
    cross.setAttribute('d', '')
    if (shown === null) return
    const [row, left] = [drawing.at[shown], x(shown)]
    cross.setAttribute('d', `M${left} 0V${bottom}${row ? `M${left - 3} ${y(row.close)}h6` : ''}`)
    tip.textContent = tipOf(drawing, shown)
    tip.style.left = `${left > place.clientWidth / 2 ? left - tip.offsetWidth - TIP_PX : left + TIP_PX}px`
  }
  svg.append(cross)
  place.replaceChildren(svg, tip)
  point(null)
  return {
    pointAt: (left: number | null) => point(left === null ? null : placeAt(left)),
    step: (by: number) => point((shown ?? drawing.at.length - 1) + by),
  }
}

/** The choices of the controls that an address does not name. */
const USUAL: Readonly<Record<string, string | null>> = { days: '7', draw: 'line', log: null }

function chosenIn(section: HTMLElement) {
  const chosen = (name: string) => section.querySelector<HTMLInputElement>(`[name=${name}]:checked`)?.value ?? null
  return { days: chosen('days') ?? '7', draw: chosen('draw') ?? 'line', log: chosen('log') }
}

const past = {
  history: (slug: string, days: number) => readAnswer<'history'>(`history/${slug}/days=${days}`),
  ratesOfYear: (year: string) => readAnswer<'ratesOfYear'>(`rates/years/${year}`),
}

/** Loads what is asked for; candles that there are not are a line. */
async function load(slug: string, { days, draw }: ReturnType<typeof chosenIn>): Promise<Series> {
  const isCandles = draw === 'candles'
  if (days === 'all') {
    const daily = await answerIfThere<'daily'>(`daily/${slug}`)
    return daily ? dailySeries(daily, isCandles) : historySeries(await past.history(slug, 365))
  }
  const candles = isCandles ? await answerIfThere<'candles'>(`candles/${slug}/days=${days}`) : null
  if (candles && candles.rows.length > 1) return candleSeries(candles)
  return historySeries(await past.history(slug, Number(days)))
}

const wordsOf = (series: Series, currency: ShownCurrency, isLine: boolean, published: number | null): string =>
  (currency.day === undefined ? '' : `In ${currency.symbol} at the rate of each day. `) +
  (isLine ? 'There are no candles for this range; the line shows the prices. ' : '') +
  summaryOf(series, currency, currency.day === undefined ? published : null)

/** Takes the place of the line of a document with a chart, which follows its controls, the currency and the colours. */
export function mountChart(): void {
  const section = document.querySelector<HTMLElement>('#history')
  const place = section?.querySelector<HTMLElement>('.chart')
  if (!section || !place) return
  const { slug = '', name = '', week, month, year } = section.dataset
  const words = part('history-text')
  let drawing: Drawing | null = null
  let shown: ReturnType<typeof showChart> | null = null
  let latest: object | null = null
  const show = async () => {
    if (!section.isConnected) return
    const asked = (latest = chosenIn(section))
    const currency = currencyNow()
    place.ariaBusy = 'true'
    try {
      const series = await seriesIn(currency, await load(slug, asked), past)
      if (latest !== asked) return
      const published = { 7: week, 30: month, 365: year }[asked.days]
      const isLine = asked.draw === 'candles' && !series.isCandles
      words.textContent = wordsOf(series, currency, isLine, published === undefined ? null : Number(published))
      const own = { ...currency, price_usd: 1 }
      drawing = { series, currency: own, isLog: asked.log !== null, ...chartGridOf(series) }
      if (series.rows.length > 1) shown = showChart(place, drawing)
      else place.replaceChildren()
      place.role = 'img'
      place.ariaLabel = `Chart of ${name}. ${words.textContent}`
    } catch {
      if (latest === asked) words.textContent = 'The prices could not be loaded. Choose a range to try again.'
    } finally {
      if (latest === asked) place.ariaBusy = null
    }
  }
  const query = new URLSearchParams(location.search)
  for (const input of section.querySelectorAll<HTMLInputElement>('.ranges input'))
    input.checked = input.value === (query.get(input.name) ?? USUAL[input.name])
  place.tabIndex = 0
  let width = place.clientWidth
  new ResizeObserver(() => {
    if (drawing && drawing.series.rows.length > 1 && place.clientWidth !== width) shown = showChart(place, drawing)
    width = place.clientWidth
  }).observe(place)
  const point = ({ clientX }: PointerEvent) => shown?.pointAt(clientX - place.getBoundingClientRect().left)
  place.addEventListener('pointermove', point)
  place.addEventListener('pointerdown', point)
  place.addEventListener('pointerleave', () => shown?.pointAt(null))
  place.addEventListener('keydown', ({ key }) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[key]
    if (by !== undefined) shown?.step(by)
  })
  section.addEventListener('change', () => {
    const chosen = Object.entries(chosenIn(section))
    keepInAddress(Object.fromEntries(chosen.map(([one, value]) => [one, value === USUAL[one] ? null : value])))
    void show()
  })
  addEventListener('currencychange', () => void show())
  void show()
}
