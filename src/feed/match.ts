import { group } from 'd3-array'
import type { Registry } from '../registry/registry.ts'
import type { Quote } from '../sources/source.ts'
import type { Rates } from './rates.ts'

/** The numbers of the rule. */
export const MATCHING = {
  rule:
    'A venue’s base symbol is a listing’s when the registry says so for that venue; else it is the best ranked listing of ' +
    'that symbol whose price, as the aggregators or the last run have it, lies within the tolerance of the venue’s price ' +
    'on its busiest pair. The tolerance grows with the age of the price held against. A symbol with no such listing is ' +
    'unmatched and never priced.',
  tolerance_percent: 10,
  tolerance_percent_per_hour: 2,
  tolerance_percent_most: 50,
} as const

/** A listing that a symbol may stand for. */
export interface Candidate {
  readonly slug: string
  /** Dollars, and how old that word is; null when nobody has one: then only the registry can match it. */
  readonly price_usd: number | null
  readonly ageHours: number
}

/** A quote of one venue, and by which factor that venue is off in this run: 1 when it is believed. */
export interface VenueQuote {
  readonly venue: string
  readonly factor: number
  readonly quote: Quote
}

/**
 * Which listing each base symbol of each venue stands for, by `venue symbol`; a symbol that is none is not in the map.
 *
 * @param candidates by upper-case symbol, best ranked first
 */
export function match(
  quotes: readonly VenueQuote[],
  candidates: ReadonlyMap<string, readonly Candidate[]>,
  rates: Rates,
  registry: Registry,
): Map<string, string> {
  const matched = new Map<string, string>()
  for (const [key, own] of group(quotes, matchKey)) {
    const [first] = own
    if (!first) continue
    const { venue, quote } = first
    const known = registry.listingAt(venue, quote.base)
    const slug = known ?? byPrice(own, candidates.get(quote.base) ?? [], rates, registry)
    if (slug) matched.set(key, slug)
  }
  return matched
}

export const matchKey = ({ venue, quote }: VenueQuote): string => `${venue} ${quote.base}`

function byPrice(
  own: readonly VenueQuote[],
  candidates: readonly Candidate[],
  rates: Rates,
  registry: Registry,
): string | undefined {
  const price = busiestPrice(own, rates)
  if (price === null) return undefined
  return candidates.find(({ slug, price_usd, ageHours }) => {
    // An asset whose spellings are known is looked for under these alone.
    if (price_usd === null || registry.hasSpellings(slug)) return false
    const tolerance = Math.min(
      MATCHING.tolerance_percent_most,
      MATCHING.tolerance_percent + MATCHING.tolerance_percent_per_hour * ageHours,
    )
    return Math.abs(Math.log(price / price_usd)) <= Math.log(1 + tolerance / 100)
  })?.slug
}

/** Dollar price of the base on the pair with the most volume, corrected for a venue that is off. */
function busiestPrice(own: readonly VenueQuote[], rates: Rates): number | null {
  let busiest = { volume: -1, price: Number.NaN }
  for (const { quote, factor } of own) {
    const rate = rates.get(quote.quote)?.price_usd
    if (quote.last === null || rate === undefined) continue
    const price = (quote.last / factor) * rate
    const volume = price * (quote.volume_24h_base ?? 0)
    if (volume > busiest.volume) busiest = { volume, price }
  }
  return busiest.volume < 0 ? null : busiest.price
}
