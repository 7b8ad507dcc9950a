import { ECOSYSTEM, type Ecosystem } from '../core/contract/product.ts'

/** Stands for the address of the site where it is not known; the script of the page fills it in. */
export const SITE_PLACEHOLDER = 'https://your-site.example/'

/** One page of the site. */
export interface Page {
  /** Relative to the tree's root. */
  readonly path: string
  /** Name of its script, without extension, in this folder. */
  readonly program: string
  /** Label of the links to it, and where those are; null: there are none. */
  readonly name: string | null
  readonly place?: 'header' | 'footer'
  readonly title: string
  readonly description: string
}

/** Returns the page of a folder, which needs no script but that of all pages. */
const page = (folder: string, name: string, description: string, others: Partial<Page> = {}): Page => ({
  path: `${folder}/index.html`,
  program: 'start',
  name,
  place: 'footer',
  title: name,
  description,
  ...others,
})

/** Returns the page of the publisher's own assets. */
const ecosystemPage = ({ title }: Ecosystem): Page =>
  page('ecosystem', 'Ecosystem', `Assets of the ${title} ecosystem, and the pools that trade them.`, { title })

/** Every page that is published once, in the order of the links to them. */
export const PAGES: readonly Page[] = [
  page('', 'Coins', 'Prices of more than a thousand crypto assets, with a free API and the venues behind each price.', {
    path: 'index.html',
    program: 'market',
    place: 'header',
    title: 'Crypto prices with a free API',
  }),
  page(
    'token',
    'Token',
    'Price, history, exchange markets and contracts of one asset, and how its price was computed.',
    { name: null, program: 'token' },
  ),
  page(
    'exchanges',
    'Exchanges',
    'Exchanges and DEXes with volume, the share of it that prices use, outliers, and the markets of each.',
    { place: 'header', program: 'group' },
  ),
  page(
    'categories',
    'Categories',
    'Categories of crypto assets with market cap, change and volume, and the listings of each.',
    { place: 'header', program: 'group' },
  ),
  ecosystemPage(ECOSYSTEM),
  page(
    'status',
    'Status',
    'Health of every source, freshness and coverage of the data, values held back, and recent changes.',
  ),
  page(
    'method',
    'Method',
    'How listings are identified and prices computed: every rule with an example and the numbers that it uses.',
  ),
  page(
    'list',
    'Request a listing',
    'Request a listing, an update or a removal. Requests are free, and people review them and give a reason.',
    { program: 'list' },
  ),
  page(
    'docs',
    'API docs',
    'The free API: guides for a first price, dashboards, bots, wallets, back-tests and taxes, and every endpoint.',
    { title: 'API documentation', program: 'docs' },
  ),
]

/** Shown where there is nothing. It is at any depth, so its links begin at the root of the host. */
export const NOT_FOUND: Page = {
  path: '404.html',
  program: 'start',
  name: null,
  title: 'Page not found',
  description: 'There is no page at this address.',
}

/** Returns every page of a publisher with this ecosystem. */
export const pagesOf = (ecosystem: Ecosystem): readonly Page[] =>
  PAGES.map((page) => (page.path === 'ecosystem/index.html' ? ecosystemPage(ecosystem) : page))
