import type { ListingRequestBody } from '../contract/listing-request.ts'
import { freeSlug } from '../contract/names.ts'
import type { Registry } from '../registry/registry.ts'
import type { Entry } from '../registry/schema.ts'
import type { RequestRecord } from './queue.ts'
import { contractsOf } from './hints.ts'

/**
 * Returns the registry entry of an approved request, with reviewed members only. Contracts on unknown chains are left out.
 * Venue symbols are never set, so that the asset takes no market from another one.
 *
 * @param taken used slugs, in the feed or the registry
 */
export function entryOf(
  { body }: RequestRecord,
  registry: Registry,
  taken: { has(slug: string): boolean },
  isVerified: boolean,
): Entry {
  return {
    slug: body.slug !== undefined && !taken.has(body.slug) ? body.slug : freeSlug([body.name, body.symbol], taken),
    symbol: body.symbol,
    name: body.name,
    asset_type: body.asset_type ?? null,
    verification_status: isVerified ? 'verified' : 'unverified',
    ecosystem: null,
    max_supply: null,
    external_ids: {},
    exchange_symbols: {},
    contracts: contractsOf(body, registry).map((contract) => ({ ...contract, decimals: null })),
    tags: [],
    links: linksOf(body),
    description: body.description ?? null,
    notice: null,
  }
}

const linksOf = (body: ListingRequestBody): Entry['links'] => ({
  website: body.website ?? null,
  whitepaper: body.whitepaper_url ?? null,
  source_code: body.source_code_url ?? null,
  twitter: body.twitter ?? null,
  telegram: body.telegram ?? null,
  discord: body.discord ?? null,
})

/** Returns the existing entry of a request, from an interrupted approval or by hand. */
export function entryFor({ body }: RequestRecord, registry: Registry): Entry | null {
  const asked = new Set(contractsOf(body, registry).map(({ chain, address }) => `${chain} ${address}`))
  return (
    registry.assets.find(
      (entry) =>
        (entry.name === body.name && entry.symbol === body.symbol) ||
        registry.contractsOf(entry).some(({ chain, address }) => asked.has(`${chain} ${address}`)),
    ) ?? null
  )
}
