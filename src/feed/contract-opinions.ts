import { HOUR_MS } from '../contract/time.ts'
import { roundPrice } from '../contract/numbers.ts'
import type { Registry } from '../registry/registry.ts'
import type { Report } from '../sources/collect.ts'
import type { DatedOpinion } from './expectations.ts'
import { type Opinion, PRICE } from './price.ts'

/** The numbers of the rule. */
export const CONTRACT_PRICES = {
  rule:
    'A source that prices contracts may repeat an aggregator, so it is a witness only where it differs by more than ' +
    '`aggregator_tolerance_percent` of the price rule from every aggregator, or, where no aggregator has a price, from a ' +
    'quorum of venues. It counts as an aggregator then, after the others: it can support venues against an aggregator, ' +
    'or cast doubt, and never makes a price alone. Its prices older than `hours` are not used.',
  hours: 4,
} as const

/** A source's price for a contract of a listing. */
export type ContractOpinion = Omit<DatedOpinion, 'pair'> & { readonly at: number }

/** Returns the opinions of sources that price contracts, by slug: one of each source, for its first contract. */
export function contractOpinions(
  reports: readonly Report[],
  registry: Registry,
  slugOf: (chain: string, address: string) => string | null,
  now: number,
): ReadonlyMap<string, readonly ContractOpinion[]> {
  const bySlug = new Map<string, ContractOpinion[]>()
  for (const { source, references } of reports)
    for (const { of, price_usd, at } of references) {
      if ('currency' in of || now - at > CONTRACT_PRICES.hours * HOUR_MS) continue
      for (const { chain, address } of registry.contractsSeen(source.id, [{ ...of, decimals: null }])) {
        const slug = slugOf(chain, address)
        const known = bySlug.get(slug ?? '') ?? []
        if (slug === null || known.some(({ source_id }) => source_id === source.id)) continue
        bySlug.set(slug, [...known, { source_id: source.id, price_usd: roundPrice(price_usd), at }])
      }
    }
  return bySlug
}

/**
 * The opinions by contract that count beside what aggregators and venues say.
 *
 * @param venuePrice the price of a quorum of venues; null without one
 */
export function countedByContract<One extends Opinion>(
  byContract: readonly One[],
  aggregators: readonly Opinion[],
  venuePrice: () => number | null,
): One[] {
  if (byContract.length === 0) return []
  const others = aggregators.length > 0 ? aggregators.map(({ price_usd }) => price_usd) : [venuePrice()]
  const repeats = (price: number) =>
    others.some((other) => other === null || Math.abs(price / other - 1) * 100 <= PRICE.aggregator_tolerance_percent)
  return byContract.filter(({ price_usd }) => !repeats(price_usd))
}
