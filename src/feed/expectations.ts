import { group } from 'd3-array'
import { roundPrice } from '../contract/numbers.ts'
import type { Registry } from '../registry/registry.ts'
import type { Identity } from './identify.ts'
import { STALENESS } from './market-rows.ts'
import type { Candidate } from './match.ts'
import type { Opinion } from './price.ts'
import { hoursSince } from './time.ts'

/** What one aggregator says an asset is worth, and when that was so, in ms. */
export interface DatedOpinion extends Opinion {
  readonly at: number | null
}

/** The aggregators' dollar prices of an asset that are young enough, in order of the sources. */
export const opinionsOf = ({ sighted }: Identity, now: number): DatedOpinion[] =>
  sighted.flatMap(({ source, sighting: { price_usd, symbol, at } }) =>
    price_usd === null || (at !== null && now - at > STALENESS.price_hours * 3_600_000)
      ? []
      : [{ source_id: source.id, pair: `${symbol.toUpperCase()}/USD`, price_usd: roundPrice(price_usd), at }],
  )

/** Every listing as a candidate for the symbols of the venues: by upper-case symbol, best ranked first. */
export function candidatesOf(
  identities: readonly Identity[],
  opinions: ReadonlyMap<string, readonly DatedOpinion[]>,
  now: number,
): Map<string, Candidate[]> {
  const rank = ({ sighted, before }: Identity) =>
    Math.min(...sighted.map(({ sighting }) => sighting.rank ?? Infinity), before?.asset.market_cap_rank ?? Infinity)
  const ranked = identities.toSorted((a, b) => rank(a) - rank(b) || (a.slug < b.slug ? -1 : 1))
  const bySymbol = group(ranked, ({ entry, sighted, before }) =>
    (entry?.symbol ?? sighted[0]?.sighting.symbol ?? before?.asset.symbol ?? '').toUpperCase(),
  )
  return new Map([...bySymbol].map(([symbol, all]) => [symbol, all.map((one) => candidateOf(one, opinions, now))]))
}

function candidateOf(
  { slug, before }: Identity,
  opinions: ReadonlyMap<string, readonly DatedOpinion[]>,
  now: number,
): Candidate {
  const [opinion] = opinions.get(slug) ?? []
  if (opinion)
    return { slug, price_usd: opinion.price_usd, ageHours: opinion.at === null ? 0 : (now - opinion.at) / 3_600_000 }
  const { price_usd = null, last_updated = null } = before?.asset ?? {}
  const ageHours = last_updated === null ? Infinity : hoursSince(last_updated, now)
  return ageHours <= STALENESS.price_hours ? { slug, price_usd, ageHours } : { slug, price_usd: null, ageHours: 0 }
}

/** The aggregators' dollar price of each crypto currency that markets are quoted in, by its symbol. */
export const referencesOf = (
  registry: Registry,
  opinions: ReadonlyMap<string, readonly DatedOpinion[]>,
): Map<string, number> =>
  new Map(
    [...registry.references].flatMap(([symbol, slug]) => {
      const [opinion] = opinions.get(slug) ?? []
      return opinion ? [[symbol, opinion.price_usd] as const] : []
    }),
  )
