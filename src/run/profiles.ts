import * as z from 'zod'
import type { Asset } from '../contract/asset.ts'
import { hoursSince, DAY_MS } from '../contract/time.ts'
import type { Previous } from '../feed/listing.ts'
import { byRank } from '../feed/rank.ts'
import type { Registry } from '../registry/registry.ts'
import type { Report } from '../sources/collect.ts'
import type { Source, Wants } from '../sources/source.ts'
import { readKept, writeKept } from './kept-state.ts'

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
    only = null,
    namedAlone = false,
    profiles = ENRICHMENT.profiles,
  }: {
    readonly listings: number | null
    readonly registry: Registry
    readonly previous: Previous
    readonly now: number
    /** The listings that the publisher names; null: all. */
    readonly only?: readonly string[] | null | undefined
    /** Whether the named listings suffice, which are all published. */
    readonly namedAlone?: boolean
    /** The most profiles that the source’s quota allows. */
    readonly profiles?: number | undefined
  },
): Wants {
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

/** The profiles that sources did not give in the last days. */
export class RefusedProfiles {
  readonly #root: string
  readonly #now: number
  readonly #at: z.infer<typeof Refused>
  readonly #requested = new Map<string, readonly string[]>()

  constructor(root: string, now: number) {
    this.#root = root
    this.#now = now
    this.#at = readKept(root, NAME, Refused) ?? {}
  }

  has(source_id: string, id: string): boolean {
    const ageMs = this.#now - (this.#at[source_id]?.[id] ?? -Infinity)
    return ageMs >= 0 && ageMs < PROFILE_RETRY_DAYS * DAY_MS
  }

  /** Notes which profiles are requested of a source. */
  request(source_id: string, ids: readonly string[]): readonly string[] {
    this.#requested.set(source_id, ids)
    return ids
  }

  /** Returns the requested profiles that sources did not give. */
  missing(reports: readonly Report[]): ReadonlyMap<string, readonly string[]> {
    return new Map(
      // Where the source as a whole failed, nothing is known of its profiles.
      reports.flatMap(({ source, error, profiles }) => {
        const given = new Set(profiles.map(({ id }) => id))
        const missing = (this.#requested.get(source.id) ?? []).filter((id) => !given.has(id))
        return error !== null || missing.length === 0 ? [] : [[source.id, missing] as const]
      }),
    )
  }

  /** Keeps the profiles that sources did not give, for the next runs. */
  save(missing: ReadonlyMap<string, readonly string[]>): void {
    let hasNew = false
    for (const [source_id, ids] of missing) {
      if (ids.length === 0) continue
      hasNew = true
      const known = Object.entries(this.#at[source_id] ?? {}).filter(([id]) => this.has(source_id, id))
      this.#at[source_id] = Object.fromEntries([...known, ...ids.map((id) => [id, this.#now] as const)])
    }
    if (hasNew) writeKept(this.#root, NAME, this.#at)
  }
}
