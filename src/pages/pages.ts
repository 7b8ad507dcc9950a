import { ECOSYSTEM, type Ecosystem } from '../contract/product.ts'

/** One page of the site. */
export interface Page {
  /** Relative to the tree's root. */
  readonly path: string
  /** Name of its script, without extension, in this folder. */
  readonly program: string
  /** Label in the navigation; null if it is not listed there. */
  readonly name: string | null
  readonly title: string
  readonly description: string
}

/** Returns the page of a folder, whose script has its name. */
const page = (folder: string, name: string, description: string, others: Partial<Page> = {}): Page => ({
  path: `${folder}/index.html`,
  program: folder,
  name,
  title: name,
  description,
  ...others,
})

/** Returns the page of the publisher's own assets. */
const ecosystemPage = ({ title }: Ecosystem): Page =>
  page('ecosystem', 'Ecosystem', `Assets of the ${title} ecosystem, and the pools that trade them.`, { title })

/** Every page that is published once, in the order of the navigation. */
export const PAGES: readonly Page[] = [
  page('', 'Market', 'Prices of more than a thousand crypto assets, with the venues behind each price.', {
    path: 'index.html',
    program: 'market',
    title: 'Crypto market',
  }),
  page(
    'token',
    'Token',
    'Price, history, exchange markets and contracts of one asset, and how its price was computed.',
    { name: null },
  ),
  page(
    'categories',
    'Categories',
    'Categories of crypto assets with market cap, change and volume, and the listings of each.',
  ),
  page(
    'exchanges',
    'Exchanges',
    'Exchanges and DEXes with volume, the share of it that prices use, outliers, and the markets of each.',
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
    'How listings are identified and prices computed: every rule with the numbers that it uses.',
    { program: 'plain' },
  ),
  page(
    'list',
    'Request a listing',
    'Request a listing, an update or a removal. Requests are free, and people review them and give a reason.',
  ),
  page(
    'docs',
    'API',
    'Guides for a first price, dashboards, bots, wallets, back-tests and taxes, and every endpoint of the API.',
    { title: 'API documentation' },
  ),
]

/** Shown where there is nothing. It is at any depth, so its links begin at the root of the host. */
export const NOT_FOUND: Page = {
  path: '404.html',
  program: 'plain',
  name: null,
  title: 'Page not found',
  description: 'There is no page at this address.',
}

/** Returns every page of a publisher with this ecosystem. */
export const pagesOf = (ecosystem: Ecosystem): readonly Page[] =>
  PAGES.map((page) => (page.program === 'ecosystem' ? ecosystemPage(ecosystem) : page))
