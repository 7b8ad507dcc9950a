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
export const page = (head: Partial<Page> & Pick<Page, 'path' | 'title'>, description: string): Page => ({
  program: 'start',
  ...head,
  description,
})

export const pagesOf = ({ title }: Ecosystem): readonly Page[] => [
  page(
    { path: 'index.html', title: 'Crypto prices with a free API', program: 'market', link: ['Coins', 'header'] },
    'Prices of more than a thousand crypto assets, with a free API and the venues behind each price.',
  ),
  page(
    { path: 'token/index.html', title: 'Token', program: 'thing' },
    'Price, history, exchange markets and contracts of one asset, and how its price was computed.',
  ),
  page(
    { path: 'exchanges/index.html', title: 'Exchanges', program: 'thing', link: ['Exchanges', 'header'] },
    'Exchanges and DEXes with volume, the share of it that prices use, outliers, and the markets of each.',
  ),
  page(
    { path: 'categories/index.html', title: 'Categories', program: 'thing', link: ['Categories', 'header'] },
    'Categories of crypto assets with market cap, change and volume, and the listings of each.',
  ),
  page(
    { path: 'ecosystem/index.html', title, link: ['Ecosystem', 'footer'] },
    `Assets of the ${title} ecosystem, and the pools that trade them.`,
  ),
  page(
    { path: 'status/index.html', title: 'Status', link: ['Status', 'footer'] },
    'Health of every source, freshness and coverage of the data, values held back, and recent changes.',
  ),
  page(
    { path: 'method/index.html', title: 'Method', link: ['Method', 'footer'] },
    'How listings are identified and prices computed: every rule with an example and the numbers that it uses.',
  ),
  page(
    { path: 'list/index.html', title: 'Request a listing', program: 'list', link: ['Request a listing', 'footer'] },
    'Request a listing, an update or a removal. Requests are free, and people review them and give a reason.',
  ),
  page(
    { path: 'docs/index.html', title: 'API documentation', program: 'docs', link: ['API docs', 'footer'] },
    'The free API: guides for a first price, dashboards, bots, wallets, back-tests and taxes, and every endpoint.',
  ),
]

export const PAGES = pagesOf(ECOSYSTEM)

/** Shown where there is nothing. It is at any depth, so its links begin at the root of the host. */
export const NOT_FOUND = page({ path: '404.html', title: 'Page not found' }, 'There is no page at this address.')
