import type { Asset, HistoryAnswer } from '../client/answers.ts'
import { NotFoundError } from '../client/errors.ts'
import { basis } from './basis.ts'
import { chart, summaryOf } from './chart.ts'
import { currencySwitch } from './currency.ts'
import { type Child, el, on, outward, part } from './dom.ts'
import {
  DOLLARS,
  type ShownCurrency,
  UNKNOWN,
  amount,
  change,
  day,
  money,
  moment,
  price,
  share,
  shortened,
  tone,
  words,
} from './format.ts'
import { api, frame, into, timeOf, tokenPage, ROOT } from './frame.ts'
import { badge, disc } from './marks.ts'
import { venues } from './venues.ts'

const RANGES = [
  [1, '24 h'],
  [7, '7 d'],
  [30, '30 d'],
  [90, '90 d'],
  [365, '1 y'],
] as const
type Days = HistoryAnswer['days']

/** Returns the slug of `/token/bitcoin` (hosts with a rewrite rule) or `/token/#bitcoin` (any host). */
function slugHere(): string {
  const [, inPath = ''] = /\/token\/([a-z0-9-]+)$/.exec(location.pathname) ?? []
  return decodeURIComponent(location.hash.slice(1)) || inPath
}

/** A labelled figure. A carried-forward figure shows the time of its value. */
function figure({ carried }: Asset, name: string, value: Child, member: keyof Asset | null = null): HTMLElement {
  const since = member === null ? undefined : carried?.[member]
  const note =
    since === undefined
      ? null
      : el('span', { class: 'since', title: `Last reported ${moment(since)}` }, ' as of ', timeOf(since))
  return el('div', {}, el('dt', {}, name), el('dd', {}, value, note))
}

function figures(asset: Asset, shown: ShownCurrency): HTMLElement {
  const coins = (value: number | null) => (value === null ? amount(null) : `${amount(value)} ${asset.symbol}`)
  const high = asset.ath_date === null ? '' : `, ${day(asset.ath_date)}`
  return el(
    'dl',
    { class: 'figures' },
    figure(asset, 'Market cap', money(asset.market_cap_usd, shown), 'market_cap_usd'),
    figure(asset, 'Volume 24 h', money(asset.volume_24h_usd, shown), 'volume_24h_usd'),
    figure(asset, 'Fully diluted', money(asset.fully_diluted_valuation_usd, shown), 'fully_diluted_valuation_usd'),
    figure(asset, 'Circulating', coins(asset.circulating_supply), 'circulating_supply'),
    figure(asset, 'Total supply', coins(asset.total_supply), 'total_supply'),
    figure(asset, 'Max supply', coins(asset.max_supply), 'max_supply'),
    figure(
      asset,
      'Low and high 24 h',
      `${price(asset.low_24h_usd, shown)} – ${price(asset.high_24h_usd, shown)}`,
      'high_24h_usd',
    ),
    figure(asset, 'All-time high', `${price(asset.ath_usd, shown)}${high}`, 'ath_usd'),
    figure(asset, 'Change 1 h', change(asset.percent_change_1h), 'percent_change_1h'),
    figure(asset, 'Change 7 d', change(asset.percent_change_7d), 'percent_change_7d'),
    figure(asset, 'Exchanges', `${asset.exchange_count}, ${asset.market_count} markets`),
    figure(asset, 'Listed here since', asset.first_listed === null ? UNKNOWN : day(asset.first_listed)),
  )
}

function copyButton(text: string): HTMLElement {
  const button = el('button', { type: 'button', class: 'copy', 'aria-label': `Copy ${text}` }, 'Copy')
  return on(button, {
    click: () =>
      void navigator.clipboard.writeText(text).then(
        () => (button.textContent = 'Copied'),
        () => (button.textContent = 'Select and copy'),
      ),
  })
}

function contracts({ contracts: rows }: Asset): Child {
  if (rows.length === 0) return null
  return [
    el('h2', {}, 'Contracts'),
    el(
      'ul',
      { class: 'contracts' },
      ...rows.map(({ chain, address, explorer_url }) => {
        const short = el('code', { title: address }, shortened(address))
        return el(
          'li',
          {},
          el('span', { class: 'chain' }, words(chain)),
          explorer_url === null ? short : outward(explorer_url, short),
          copyButton(address),
        )
      }),
    ),
  ]
}

function links({ links: known, explorers }: Asset): Child {
  const all = [
    ...Object.entries(known).flatMap(([name, url]) => (url === null ? [] : [{ name: words(name), url }])),
    ...explorers,
  ]
  if (all.length === 0) return null
  return el('ul', { class: 'links' }, ...all.map(({ name, url }) => el('li', {}, outward(url, name))))
}

function title(asset: Asset, shown: ShownCurrency): Child {
  const icon = disc()
  icon.fill(asset)
  const { verification_status, listing_status, market_cap_rank, notice } = asset
  return [
    el(
      'div',
      { class: 'title-line' },
      icon.element,
      el('h1', {}, asset.name, ' ', el('span', { class: 'ticker' }, asset.symbol)),
      market_cap_rank === null ? null : el('span', { class: 'badge' }, `#${market_cap_rank}`),
      badge(verification_status),
      listing_status === 'active' ? null : badge(listing_status),
    ),
    notice === null ? null : el('p', { class: 'notice' }, notice),
    el(
      'p',
      { class: 'price-line' },
      el('strong', { class: 'price' }, price(asset.price_usd, shown)),
      ' ',
      asset.percent_change_24h === null
        ? null
        : el('span', { 'data-tone': tone(asset.percent_change_24h) }, change(asset.percent_change_24h), ' in 24 h'),
    ),
    el(
      'p',
      { class: 'soft' },
      asset.last_updated === null ? 'No known price.' : ['As of ', timeOf(asset.last_updated), '. '],
      asset.carried?.['price_usd'] === undefined ? null : 'Carried forward: no source reported a newer price. ',
      asset.price_confidence === null ? null : `Confidence ${share(asset.price_confidence)}.`,
    ),
  ]
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
let days: Days = 7

/** The chart of a token with its ranges. `left` aborts when another token is opened. */
function history(slug: string, left: AbortSignal): HTMLElement {
  const place = el('div', { class: 'history' })
  const draw = () =>
    into(place, async (signal) => {
      const { data } = await api.history(slug, { days, signal })
      if (left.aborted) return null
      drawn?.destroy()
      drawn = data.rows.length < 2 ? null : chart(data)
      return [drawn?.element ?? null, el('p', { class: 'soft' }, summaryOf(data))]
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
          days = range
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

const gone = ({ name, replaced_by }: Asset): Child =>
  replaced_by === null
    ? el('p', { class: 'notice' }, `${name} is no longer listed. The last known data is shown below.`)
    : el('p', { class: 'notice' }, `${name} is now `, el('a', { href: tokenPage(replaced_by) }, replaced_by), '.')

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
        history(slug, signal),
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
