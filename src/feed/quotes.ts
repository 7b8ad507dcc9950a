import type { Market } from '../contract/market.ts'
import type { Registry } from '../registry/registry.ts'
import type { Report } from '../sources/collect.ts'
import type { Quote } from '../sources/source.ts'
import { audit } from './audit.ts'
import { staleAnswer } from './health.ts'
import { marketOf } from './market-rows.ts'
import { type Candidate, type VenueQuote, match, matchKey } from './match.ts'
import { qualityOf } from './quality.ts'
import { type Rates, measureRates } from './rates.ts'

/** What became of the rows of one venue. */
export interface VenueTally {
  readonly used_count: number
  readonly unmatched_count: number
  readonly dead_count: number
  readonly duplicate_count: number
}

/** A quote with the listing it is of. */
export interface Matched {
  readonly slug: string
  readonly market: Market
  readonly quote: Quote
}

export interface Quoted {
  readonly rates: Rates
  readonly matched: readonly Matched[]
  readonly tallies: ReadonlyMap<string, VenueTally>
}

/** What is known of prices before the venues are heard. */
export interface Expectations {
  /** By upper-case symbol, best ranked first. */
  readonly candidates: ReadonlyMap<string, readonly Candidate[]>
  /** The aggregators' dollar price of the asset that a reference currency is. */
  readonly references: ReadonlyMap<string, number>
  readonly rates: Rates
}

/**
 * Reads the venues' quotes into market rows of listings. Each row of each venue ends as one of used, unmatched, dead,
 * duplicate; rejected and skipped ones never come this far.
 */
export function quoted(reports: readonly Report[], expected: Expectations, registry: Registry, at: string): Quoted {
  const venues = reports.filter(
    (report) => report.source.type === 'exchange' && report.error === null && !staleAnswer(report),
  )
  const tallies = new Map<string, VenueTally>()
  const live: { report: Report; quote: Quote }[] = []
  for (const report of venues) {
    const { alive, dead, duplicates } = sift(report.quotes)
    tallies.set(report.source.id, { used_count: 0, unmatched_count: 0, dead_count: dead, duplicate_count: duplicates })
    for (const quote of alive) live.push({ report, quote })
  }

  const traded = live.flatMap(({ report, quote }) =>
    quote.last !== null && trades(quote)
      ? [{ venue: report.source.id, base: quote.base, quote: quote.quote, last: quote.last }]
      : [],
  )
  const worth = new Map(
    [...expected.candidates].flatMap(([symbol, [best]]) => (best?.price_usd ? [[symbol, best.price_usd]] : [])),
  )
  const off = audit(traded, worth)
  const rates = measureRates(
    traded.filter(({ venue }) => !off.has(venue)),
    expected.references,
    expected.rates,
    at,
  )

  const venueQuotes: (VenueQuote & { report: Report })[] = live.map(({ report, quote }) => ({
    report,
    venue: report.source.id,
    factor: off.get(report.source.id) ?? 1,
    quote,
  }))
  const slugs = match(venueQuotes, expected.candidates, rates, registry)
  const matched: Matched[] = []
  for (const one of venueQuotes) {
    const { report, venue, quote } = one
    const tally = tallies.get(venue)
    const slug = slugs.get(matchKey(one))
    if (!tally) continue
    if (slug === undefined) {
      tallies.set(venue, { ...tally, unmatched_count: tally.unmatched_count + 1 })
      continue
    }
    tallies.set(venue, { ...tally, used_count: tally.used_count + 1 })
    const origin = { id: venue, label: report.source.label, now: report.attemptedAt, distrusted: off.has(venue) }
    const row = marketOf(quote, origin, rates)
    matched.push({ slug, quote, market: { ...row, ...qualityOf(row) } })
  }
  return { rates, matched, tallies }
}

/** The quotes that have a price, each pair once: of two rows of one pair the one with more volume stays. */
function sift(quotes: readonly Quote[]): { alive: Quote[]; dead: number; duplicates: number } {
  const alive = new Map<string, Quote>()
  let dead = 0
  let duplicates = 0
  for (const quote of quotes) {
    if (quote.last === null) {
      dead++
      continue
    }
    const key = `${quote.base}/${quote.quote}`
    const known = alive.get(key)
    if (known) duplicates++
    if (!known || (quote.volume_24h_base ?? 0) > (known.volume_24h_base ?? 0)) alive.set(key, quote)
  }
  return { alive: [...alive.values()], dead, duplicates }
}

/** Whether anyone traded it today on a sane book: only such a quote may speak of rates and of other venues. */
const trades = ({ bid, ask, volume_24h_base, volume_24h_quote }: Quote): boolean =>
  ((volume_24h_base ?? 0) > 0 || (volume_24h_quote ?? 0) > 0) && !(bid !== null && ask !== null && bid > ask)
