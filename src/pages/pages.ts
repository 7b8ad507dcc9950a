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

/** Returns the page of the publisher's own assets. */
const ecosystemPage = ({ title }: Ecosystem): Page => ({
  path: 'ecosystem/index.html',
  program: 'ecosystem',
  name: 'Ecosystem',
  title,
  description: `Assets of the ${title} ecosystem, and the pools that trade them.`,
})

/** Every page that is published once, in the order of the navigation. */
export const PAGES: readonly Page[] = [
  {
    path: 'index.html',
    program: 'market',
    name: 'Market',
    title: 'Crypto market',
    description: 'Prices of more than a thousand crypto assets, with the venues behind each price.',
  },
  {
    path: 'token/index.html',
    program: 'token',
    name: null,
    title: 'Token',
    description: 'Price, history, exchange markets and contracts of one asset, and how its price was computed.',
  },
  {
    path: 'categories/index.html',
    program: 'categories',
    name: 'Categories',
    title: 'Categories',
    description: 'Categories of crypto assets with market cap, change and volume, and the listings of each.',
  },
  {
    path: 'exchanges/index.html',
    program: 'exchanges',
    name: 'Exchanges',
    title: 'Exchanges',
    description: 'Exchanges and DEXes with volume, the share of it that prices use, outliers, and the markets of each.',
  },
  ecosystemPage(ECOSYSTEM),
  {
    path: 'status/index.html',
    program: 'status',
    name: 'Status',
    title: 'Status',
    description: 'Health of every source, freshness and coverage of the data, values held back, and recent changes.',
  },
  {
    path: 'method/index.html',
    program: 'method',
    name: 'Method',
    title: 'Method',
    description: 'How listings are identified and prices computed: every rule with the numbers that it uses.',
  },
  {
    path: 'list/index.html',
    program: 'list',
    name: 'Request a listing',
    title: 'Request a listing',
    description:
      'Request a listing, an update or a removal. Requests are free, and people review them and give a reason.',
  },
  {
    path: 'docs/index.html',
    program: 'docs',
    name: 'API',
    title: 'API reference',
    description:
      'Guides for a first price, dashboards, bots, wallets, back-tests and taxes, and every endpoint of the API.',
  },
]

/** Shown where there is nothing. It is at any depth, so its links begin at the root of the host. */
export const NOT_FOUND: Page = {
  path: '404.html',
  program: 'not-found',
  name: null,
  title: 'Page not found',
  description: 'There is no page at this address.',
}

/** Returns every page of a publisher with this ecosystem. */
export const pagesOf = (ecosystem: Ecosystem): readonly Page[] =>
  PAGES.map((page) => (page.program === 'ecosystem' ? ecosystemPage(ecosystem) : page))
