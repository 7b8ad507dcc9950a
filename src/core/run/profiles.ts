import * as z from 'zod'
import type { Asset } from '../contract/asset.ts'
import type { BundleSource } from '../contract/observations.ts'
import { type Ms, hoursSince, DAY_MS } from '../contract/time.ts'
import type { Previous } from '../feed/listing.ts'
import { byRank } from '../feed/rank.ts'
import type { Source, Wants } from '../sources/source.ts'
import { readKept, writeKept } from './run-cache.ts'
import type { Inputs, Limits } from './run.ts'

/** Limits of the enrichment in one run: profiles, days until a profile is requested again, tokens, and tokens to price. */
const ENRICHMENT = { profiles: 6, profile_days: 14, tokens: 300, priced_tokens: 1500 } as const

export interface WantsInput extends Pick<Inputs, 'registry' | 'now' | 'only'>, Pick<Limits, 'listings'> {
  readonly previous: Pick<Previous, 'listings'>
  /** Whether the named listings suffice, which are all published. */
  readonly namedAlone?: boolean
  /** The most profiles that the source’s quota allows. */
  readonly profiles?: number | undefined
}

/** Returns the enrichment to request from a source beyond its list: what the last publication lacks or has too old. */
export function wantsOf(source: Source, input: WantsInput): Wants {
  const { listings, registry, previous, now, only = null, namedAlone = false, profiles = ENRICHMENT.profiles } = input
  const known = [...previous.listings.values()].map(({ asset }) => asset).toSorted(byRank)
  const updated = new Map(known.map(({ external_ids, profile_updated }) => [external_ids[source.id], profile_updated]))
  const contracts = [
    ...registry.assets
      .filter(({ ecosystem, slug }) => ecosystem !== null && (only?.includes(slug) ?? true))
      .flatMap((entry) => registry.contractsOf(entry)),
    ...known.flatMap(({ contracts }) => contracts),
  ]
  const tokensOf = (contracts: Asset['contracts']) =>
    contracts.flatMap(({ chain, address }) => {
      const platform = registry.platformOf(source.id, chain)
      return platform === null ? [] : [{ platform, address }]
    })
  return {
    listings,
    ids: namedAlone ? [...updated.keys()].flatMap((id) => id ?? []) : null,
    profiles: (ids) =>
      ids
        .map((id, rank) => ({ id, rank, at: updated.get(id) ?? '' }))
        .filter(({ id }) => only === null || updated.has(id))
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

/** Days until a profile that a source did not give is requested again. Until then it keeps no other from its turn. */
const PROFILE_RETRY_DAYS = 3

const NAME = 'refused-profiles'
/** When profiles were requested in vain, in ms since 1970, by source and id. */
const Refused = z.record(z.string(), z.record(z.string(), z.number()))

/** Returns the profiles that sources did not give in the last days. */
export function refusedProfiles(root: string, now: Ms) {
  const known = readKept(root, NAME, Refused) ?? {}
  const has = (source_id: string, id: string): boolean => {
    const ageMs = now - (known[source_id]?.[id] ?? -Infinity)
    return ageMs >= 0 && ageMs < PROFILE_RETRY_DAYS * DAY_MS
  }
  return {
    has,
    /** Keeps the profiles that sources did not give in this run, for the next runs. */
    save(facts: readonly Pick<BundleSource, 'source_id' | 'profiles_missing'>[]): void {
      const missing = facts.filter(({ profiles_missing }) => profiles_missing.length > 0)
      for (const { source_id, profiles_missing } of missing) {
        const before = Object.entries(known[source_id] ?? {}).filter(([id]) => has(source_id, id))
        known[source_id] = Object.fromEntries([...before, ...profiles_missing.map((id) => [id, now] as const)])
      }
      if (missing.length > 0) writeKept(root, NAME, known)
    },
  }
}
