import { decimal } from '../contract/numbers.ts'

/**
 * Prices as plain text. The first listings by rank have files, `text/<slug>.txt`; a host with a function answers
 * `/text/<slug>` for every listing.
 */
export const PRICE_TEXTS = { folder: 'text', files: 50, path: /^\/text\/[a-z0-9-]{1,64}$/ } as const

/** Returns the price of one unit in US dollars as plain text: a number and a line break. */
export const priceText = (price_usd: number): string => `${decimal(price_usd)}\n`
