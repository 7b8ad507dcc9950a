import { rollup } from 'd3-array'
import { EXCHANGES, EXCHANGE_LISTINGS, type ExchangeListing } from './exchange-listings.ts'
import type { Identity } from './identify.ts'
import type { Matched } from './quotes.ts'

/** What a run knows of the listings that only exchanges know. */
interface Traded {
  readonly traded: readonly ExchangeListing[]
  readonly matched: readonly Matched[]
  /** Whether no aggregator was ever heard: then a listing without a price is better than none. */
  readonly isAlone: boolean
}

/**
 * The identities without new ones that only exchanges know and too few of them price. Where no aggregator was ever
 * heard, what several exchanges trade, or the directory has an id or a contract of, is listed even without a price.
 */
export function worthListing(
  identities: readonly Identity[],
  { traded, matched, isAlone }: Traded,
): readonly Identity[] {
  const venues = rollup(
    matched,
    (all) => new Set(all.map(({ market }) => market.exchange_id)).size,
    ({ slug }) => slug,
  )
  const found = new Map(traded.map((one) => [one.sighting, one]))
  return identities.filter(({ slug, entry, before, sighted }) => {
    const [only] = sighted
    if (entry !== null || before !== null || only?.source.id !== EXCHANGES) return true
    const one = found.get(only.sighting)
    if ((venues.get(slug) ?? 0) >= EXCHANGE_LISTINGS.priced_venues) return true
    return isAlone && one !== undefined && (one.isIdentified || one.venues >= EXCHANGE_LISTINGS.priced_venues)
  })
}
