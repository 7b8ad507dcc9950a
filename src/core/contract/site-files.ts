import { decimal } from './numbers.ts'

/** Number of listings, by rank, that have a page of their own. One page shows any other. */
export const TOKEN_PAGES = 420

export const LOGO_FOLDER = 'logos'

export const logoFile = (slug: string): string => `${LOGO_FOLDER}/${slug}.svg`

/** What a page that a script draws knows of the site: which listings have logos and pages, and the names of sources. */
export const SITE_FACTS = 'ui/site.json'

/** What the search finds on every page: listings, also by their ids at other services, categories and exchanges. */
export const SEARCH_INDEX = 'ui/search.json'

/** A form field hidden from people. A request that fills it in gets an ordinary answer and is not stored. */
export const HONEYPOT = 'fax_number'

/** Prices as plain text: the first listings have files, and a host with a function answers for every one. */
export const PRICE_TEXTS = { folder: 'text', files: 50, path: /^\/text\/[a-z0-9-]{1,64}$/ } as const

export const priceText = (price_usd: number): string => `${decimal(price_usd)}\n`
