import { ECOSYSTEM, type Ecosystem } from '../core/contract/product.ts'

export interface Page {
  readonly path: string
  /** Name of its script, without extension, in this folder. */
  readonly program: string
  /** Label of the links to it, and where those are; absent: there are none. */
  readonly link?: readonly [label: string, place: 'header' | 'footer']
  readonly title: string
  readonly description: string
}

/** Returns a page, which needs no script but that of all pages by default. */
export const page = (path: string, title: string, description: string, others: Partial<Page> = {}): Page => ({
  path,
  program: 'start',
  title,
  description,
  ...others,
})

export const pagesOf = ({ title }: Ecosystem): readonly Page[] => [
  page(
    'index.html',
    'Crypto prices with a free API',
    'Prices of more than a thousand crypto assets, with a free API and the venues behind each price.',
    { program: 'market', link: ['Coins', 'header'] },
  ),
  page(
    'token/index.html',
    'Token',
    'Price, history, exchange markets and contracts of one asset, and how its price was computed.',
    { program: 'thing' },
  ),
  page(
    'exchanges/index.html',
    'Exchanges',
    'Exchanges and DEXes with volume, the share of it that prices use, outliers, and the markets of each.',
    { program: 'thing', link: ['Exchanges', 'header'] },
  ),
  page(
    'categories/index.html',
    'Categories',
    'Categories of crypto assets with market cap, change and volume, and the listings of each.',
    { program: 'thing', link: ['Categories', 'header'] },
  ),
  page('ecosystem/index.html', title, `Assets of the ${title} ecosystem, and the pools that trade them.`, {
    link: ['Ecosystem', 'footer'],
  }),
  page(
    'status/index.html',
    'Status',
    'Health of every source, freshness and coverage of the data, values held back, and recent changes.',
    { link: ['Status', 'footer'] },
  ),
  page(
    'method/index.html',
    'Method',
    'How listings are identified and prices computed: every rule with an example and the numbers that it uses.',
    { link: ['Method', 'footer'] },
  ),
  page(
    'list/index.html',
    'Request a listing',
    'Request a listing, an update or a removal. Requests are free, and people review them and give a reason.',
    { program: 'list', link: ['Request a listing', 'footer'] },
  ),
  page(
    'docs/index.html',
    'API documentation',
    'The free API: guides for a first price, dashboards, bots, wallets, back-tests and taxes, and every endpoint.',
    { program: 'docs', link: ['API docs', 'footer'] },
  ),
]

export const PAGES = pagesOf(ECOSYSTEM)

/** Shown where there is nothing. It is at any depth, so its links begin at the root of the host. */
export const NOT_FOUND = page('404.html', 'Page not found', 'There is no page at this address.')
