import { hoursSince } from '../contract/time.ts'
import type { Previous } from '../feed/listing.ts'
import { byRank } from '../feed/rank.ts'
import type { Registry } from '../registry/registry.ts'
import type { Asset } from '../contract/asset.ts'
import type { Source, Wants } from '../sources/source.ts'

/** Limits of the enrichment in one run: profiles, days until a profile is requested again, tokens, and tokens to price. */
const ENRICHMENT = { profiles: 6, profile_days: 14, tokens: 300, priced_tokens: 1500 } as const

/** Returns the enrichment to request from a source beyond its list: what the last publication lacks or has too old. */
export function wantsOf(
  source: Source,
  {
    listings,
    registry,
    previous,
    now,
    profiles = ENRICHMENT.profiles,
  }: {
    readonly listings: number | null
    readonly registry: Registry
    readonly previous: Previous
    readonly now: number
    /** The most profiles that the source’s quota allows. */
    readonly profiles?: number | undefined
  },
): Wants {
  const known = [...previous.listings.values()].map(({ asset }) => asset).toSorted(byRank)
  const updated = new Map(known.map(({ external_ids, profile_updated }) => [external_ids[source.id], profile_updated]))
  const contracts = [
    ...registry.assets.filter(({ ecosystem }) => ecosystem !== null).flatMap((entry) => registry.contractsOf(entry)),
    ...known.flatMap(({ contracts }) => contracts),
  ]
  const tokensOf = (contracts: Asset['contracts']) =>
    contracts.flatMap(({ chain, address }) => {
      const platform = registry.platformOf(source.id, chain)
      return platform === null ? [] : [{ platform, address }]
    })
  return {
    listings,
    profiles: (ids) =>
      ids
        .map((id, rank) => ({ id, rank, at: updated.get(id) ?? '' }))
        .filter(({ at }) => at === '' || hoursSince(at, now) > ENRICHMENT.profile_days * 24)
        .toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.rank - b.rank))
        .slice(0, Math.min(ENRICHMENT.profiles, profiles))
        .map(({ id }) => id),
    tokens:
      source.type === 'reference'
        ? known.flatMap(({ contracts }) => tokensOf(contracts).slice(0, 1)).slice(0, ENRICHMENT.priced_tokens)
        : tokensOf(contracts).slice(0, ENRICHMENT.tokens),
  }
}
