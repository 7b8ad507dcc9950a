import type { HistoryAnswer } from '../client/answers.ts'
import { NotFoundError } from '../client/errors.ts'
import { basis } from './basis.ts'
import { chart, summaryOf } from './chart.ts'
import { converter } from './converter.ts'
import { currencySwitch } from './currency.ts'
import { type Child, el, on, part } from './dom.ts'
import { DOLLARS, price } from './format.ts'
import { ROOT, api, frame, into } from './frame.ts'
import { seriesCsv } from './series-csv.ts'
import { contracts, figures, gone, links, title } from './token-view.ts'
import { venues } from './venues.ts'

const RANGES = [
  [1, '24 h'],
  [7, '7 d'],
  [30, '30 d'],
  [90, '90 d'],
  [365, '1 y'],
] as const
type Days = HistoryAnswer['days']

/** Returns the slug of `/token/bitcoin`, `/token/bitcoin.html` or, on any host, `/token/#bitcoin`. */
function slugHere(): string {
  const [, inPath = ''] = /\/token\/([a-z0-9-]+)(?:\.html)?$/.exec(location.pathname) ?? []
  return decodeURIComponent(location.hash.slice(1)) || inPath
}

const currency = currencySwitch(() => void open())
part('currency', HTMLElement).replaceWith(currency.element)

/** Shown where some amounts are in another currency, and others are not. */
const inDollars = (): Child =>
  currency.current() === DOLLARS
    ? null
    : el(
        'p',
        { class: 'soft' },
        `Price and figures are in ${currency.current().symbol} at the present rate. Changes, the chart, the markets and the ` +
          'computation are in US dollars.',
      )

let drawn: ReturnType<typeof chart> | null = null
/** Name of the range in the address. */
const RANGE = 'days'
let days: Days = RANGES.find(([range]) => String(range) === new URLSearchParams(location.search).get(RANGE))?.[0] ?? 7

/** Shows another range, and keeps it in the address. */
function choose(range: Days): void {
  days = range
  const url = new URL(location.href)
  url.searchParams.set(RANGE, String(range))
  history.replaceState(history.state, '', url)
}

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

/** Shown instead of a chart that would have fewer than two points. */
const noLine = ({ rows, days: range }: HistoryAnswer): Child =>
  rows.length < 2 && range < 365 ? el('p', {}, 'Each run adds a price. A longer range may have more of them.') : null

/** The chart of a token with its ranges. `left` aborts when another token is opened. */
function chartOf(slug: string, left: AbortSignal): HTMLElement {
  const place = el('div', { class: 'history' })
  const draw = () =>
    into(place, async (signal) => {
      const { data } = await api.history(slug, { days, signal })
      if (left.aborted) return null
      drawn?.destroy()
      drawn = data.rows.length < 2 ? null : chart(data)
      return [
        drawn?.element ?? noLine(data),
        el('p', { class: 'soft' }, summaryOf(data), ' ', data.rows.length === 0 ? null : download(data)),
      ]
    })
  const name = 'range'
  const ranges = el(
    'fieldset',
    { class: 'tabs' },
    el('legend', { class: 'hidden' }, 'Range'),
    ...RANGES.map(([range, label]) => {
      const radio = el('input', { type: 'radio', name, value: range, id: `range-${range}`, checked: range === days })
      on(radio, {
        change: () => {
          choose(range)
          void draw()
        },
      })
      return [radio, el('label', { for: `range-${range}` }, label)]
    }),
  )
  addEventListener('themechange', () => void draw(), { signal: left })
  void draw()
  return el('section', { 'aria-label': 'Price history' }, ranges, place)
}

const unknown = (slug: string): HTMLElement =>
  el(
    'div',
    { class: 'empty' },
    el('h1', {}, 'No such token'),
    el('p', {}, slug === '' ? 'The URL contains no token.' : `No listing has the slug “${slug}”.`),
    el('p', {}, el('a', { href: new URL(`?q=${encodeURIComponent(slug)}`, ROOT).href }, 'Search the market')),
  )

const open = (): Promise<void> =>
  into(part('token', HTMLElement), async (signal) => {
    const slug = slugHere()
    try {
      const [{ data }] = await Promise.all([api.asset(slug, { signal }), currency.load()])
      const { asset } = data
      document.title = `${asset.name} (${asset.symbol}) ${price(asset.price_usd, currency.current())}`
      const markets = el('div', {})
      void into(markets, async () => venues((await api.assetMarkets(slug)).data.rows))
      return [
        asset.listing_status === 'delisted' ? gone(asset) : null,
        title(asset, currency.current()),
        inDollars(),
        chartOf(slug, signal),
        converter(asset, currency.current()),
        figures(asset, currency.current()),
        el('h2', {}, 'Markets'),
        markets,
        el('h2', {}, 'How the price was computed'),
        el('section', { 'aria-label': 'How the price was computed' }, basis(asset)),
        contracts(asset),
        asset.description === null ? null : [el('h2', {}, 'About'), el('p', { class: 'prose' }, asset.description)],
        links(asset),
      ]
    } catch (error) {
      if (error instanceof NotFoundError) return unknown(slug)
      throw error
    }
  })

addEventListener('hashchange', () => void open())
await Promise.all([open(), frame(() => void open())])
