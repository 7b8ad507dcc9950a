import { decimal } from './numbers.ts'

/** Listings, by rank, that have a page of their own, and the list of their slugs. One page shows any other. */
export const TOKEN_PAGES = { list: 'ui/tokens.json', most: 420 } as const

export const LOGOS = { folder: 'logos', list: 'logos/list.json', files: 500 } as const

export const logoFile = (slug: string): string => `${LOGOS.folder}/${slug}.svg`

/** What the search finds on every page: listings, also by their ids at other services, categories and exchanges. */
export const SEARCH_INDEX = 'ui/search.json'

/** A form field hidden from people. A request that fills it in gets an ordinary answer and is not stored. */
export const HONEYPOT = 'fax_number'

/** Prices as plain text: the first listings have files, and a host with a function answers for every one. */
export const PRICE_TEXTS = { folder: 'text', files: 50, path: /^\/text\/[a-z0-9-]{1,64}$/ } as const

export const priceText = (price_usd: number): string => `${decimal(price_usd)}\n`
