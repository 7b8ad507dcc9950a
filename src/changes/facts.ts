import type { Asset, TokenContract, ListingStatus, VerificationStatus } from '../contract/asset.ts'
import type { Methodology, SourceRow } from '../contract/collector.ts'
import type { RequestRow } from '../contract/listing-request.ts'

/** What can happen to a listing, as it stands. */
export interface ListingFacts {
  readonly name: string
  readonly verification_status: VerificationStatus
  readonly contracts: readonly Pick<TokenContract, 'chain' | 'address'>[]
}

/** What a publication says that is no number which moves. */
export interface Facts {
  /** Listings of the feed by slug, delisted ones not. */
  readonly listings: ReadonlyMap<string, ListingFacts>
  /** The slug that took the place of one that is not in the feed any more; null where it was delisted. */
  readonly successor: (slug: string) => string | null
  readonly sources: readonly Pick<SourceRow, 'source_id' | 'source_label' | 'error'>[]
  readonly methodology: Methodology | null
  readonly requests: readonly Pick<RequestRow, 'request_id' | 'name' | 'status' | 'reason_code'>[]
}

type Described = Pick<Asset, 'slug' | 'name' | 'verification_status' | 'contracts'> & {
  readonly listing_status: ListingStatus
}

/** The facts of listings, without those that are delisted. */
export const listingFacts = (assets: Iterable<Described>): Map<string, ListingFacts> =>
  new Map(
    [...assets].flatMap(({ slug, listing_status, name, verification_status, contracts }) =>
      listing_status === 'delisted' ? [] : [[slug, { name, verification_status, contracts }] as const],
    ),
  )
