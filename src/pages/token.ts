import { NotFoundError } from '../client/errors.ts'
import { basis } from './basis.ts'
import { converter } from './converter.ts'
import { currencySwitch } from './currency.ts'
import { type Child, el, part } from './dom.ts'
import { DOLLARS, price } from './format.ts'
import { ROOT, api, frame, into } from './frame.ts'
import { ownLogos } from './own-logos.ts'
import { tokenChart } from './token-chart.ts'
import { contracts, figures, gone, links, title } from './token-view.ts'
import { venues } from './venues.ts'

/** Returns the slug of `/token/bitcoin`, `/token/bitcoin.html` or, on any host, `/token/#bitcoin`. */
function slugHere(): string {
  const [, inPath = ''] = /\/token\/([a-z0-9-]+)(?:\.html)?$/.exec(location.pathname) ?? []
  return decodeURIComponent(location.hash.slice(1)) || inPath
}

const logos = ownLogos()
const currency = currencySwitch(() => void open())
part('currency', HTMLElement).replaceWith(currency.element)

/** Shown where some amounts are in another currency, and others are not. */
const inDollars = (): Child =>
  currency.current() === DOLLARS
    ? null
    : el(
        'p',
        { class: 'soft' },
        `Price and figures are in ${currency.current().symbol} at the current rate. Changes, the chart, the markets and the ` +
          'computation are in US dollars.',
      )

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
      const [{ data }] = await Promise.all([api.asset(slug, { signal }), currency.load(), logos.load()])
      const { asset } = data
      document.title = `${asset.name} (${asset.symbol}) ${price(asset.price_usd, currency.current())}`
      const markets = el('div', {})
      void into(markets, async () => venues((await api.assetMarkets(slug)).data.rows))
      return [
        asset.listing_status === 'delisted' ? gone(asset) : null,
        title(asset, currency.current(), logos.of),
        inDollars(),
        tokenChart(asset, signal),
        figures(asset, currency.current()),
        converter(asset, currency.current()),
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
