import { greatest } from 'd3-array'
import { groupBy } from '../contract/order.ts'
import { isoOf } from '../contract/time.ts'
import type { Market } from '../contract/market.ts'
import type { Report } from '../sources/collect.ts'
import type { Quote } from '../sources/source.ts'
import { auditVenues } from './audit.ts'
import { hasAnswered } from './health.ts'
import { heldPrice, marketOf, spreadOf } from './market-rows.ts'
import { type Candidate, type KnownSymbols, match, matchKey } from './match.ts'
import { LIMITS } from './methodology.ts'
import { type AuditedQuote, type PairPrice, type RateOpinions, type Rates, measureRates } from './rates.ts'

export interface Matched {
  readonly slug: string
  readonly market: Market
  readonly quote: Quote
}

interface Expectations {
  /** By upper-case symbol, best ranked first. */
  readonly candidates: ReadonlyMap<string, readonly Candidate[]>
  /** Values of quote currencies at aggregators, and of fiat money at a central bank, by symbol. */
  readonly references: RateOpinions
  readonly listed: readonly AuditedQuote[]
  readonly rates: Rates
}

/**
 * Reads the venues' quotes into market rows of listings. Each row of each venue ends as one of live, dead, duplicate;
 * rejected and skipped ones never come this far. `held` are markets of no listing, because it is open which one they trade;
 * `distrusted` has the venues that are not believed in this run, with the factor by which they are off.
 */
export function quoted(reports: readonly Report[], expected: Expectations, known: KnownSymbols, at: string) {
  const venues = reports.filter((report) => report.source.type === 'exchange' && hasAnswered(report))
  const tallies = new Map<string, { live_count: number; dead_count: number; duplicate_count: number }>()
  const live = venues.flatMap(({ source: { id, label }, attemptedAt, quotes }) => {
    const { alive, ...counts } = sift(quotes)
    tallies.set(id, { live_count: alive.length, ...counts })
    const origin = { id, label, now: attemptedAt, collected_at: isoOf(attemptedAt) }
    return alive.map((quote) => ({ venue: id, origin, quote }))
  })

  const traded = live.flatMap(({ venue, quote }) => pairPrice(venue, quote) ?? [])
  const distrusted = auditVenues(traded, expected.listed)
  const rates = measureRates(
    traded.filter(({ venue }) => !distrusted.has(venue)),
    { opinions: expected.references, listed: expected.listed },
    expected.rates,
    at,
  )

  const venueQuotes = live.map((one) => ({ factor: distrusted.get(one.venue) ?? 1, ...one }))
  const { matched: matches, held } = match(venueQuotes, expected.candidates, rates, known, at)
  const matched = venueQuotes.flatMap((one): Matched[] => {
    const { origin, quote } = one
    const found = matches.get(matchKey(one))
    return found ? [{ slug: found.slug, quote, market: marketOf(quote, origin, found, rates) }] : []
  })
  return { rates, matched, held, tallies, distrusted }
}

export type Quoted = ReturnType<typeof quoted>

/** The quotes that have a price, each pair once: of two rows of one pair the one with more volume stays. */
function sift(quotes: readonly Quote[]) {
  const priced = quotes.filter(({ last }) => last !== null)
  const byPair = groupBy(priced, ({ base, quote }) => `${base}/${quote}`)
  const alive = [...byPair.values()].flatMap((own) => greatest(own, (row) => row.volume_24h_base ?? 0) ?? [])
  return { alive, dead_count: quotes.length - priced.length, duplicate_count: priced.length - alive.length }
}

/** A quote that may speak of rates: somebody traded it today, and its book is neither crossed nor wide. */
function pairPrice(venue: string, row: Quote): PairPrice | null {
  const { base, quote, last, bid, ask, volume_24h_base: volume_base, volume_24h_quote: volume_quote } = row
  if (last === null || ((volume_base ?? 0) <= 0 && (volume_quote ?? 0) <= 0)) return null
  const spread = spreadOf(bid, ask)
  if (spread !== null && (spread < 0 || spread > LIMITS.eligible_spread_percent)) return null
  return { venue, base, quote, price: heldPrice({ last, bid, ask }), volume_base, volume_quote }
}
