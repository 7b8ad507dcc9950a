import type { Disagreement } from '../sources/disagreement.ts'
import type { Source } from '../sources/source.ts'
import type { MarketMove } from '../feed/gate.ts'
import type { Asset, TokenContract, ListingStatus, VerificationStatus } from '../contract/asset.ts'
import type { Methodology, SourceRow } from '../contract/collector.ts'
import type { QuarantineRow } from '../contract/quarantine.ts'
import type { HeldPast } from '../history/daily-series.ts'
import type { RequestRow } from '../contract/listing-request.ts'

/** Facts of a listing whose changes are events. */
export interface ListingFacts {
  readonly symbol: string
  readonly name: string
  readonly verification_status: VerificationStatus
  readonly contracts: readonly Pick<TokenContract, 'chain' | 'address'>[]
  readonly source_label: string
  /** Its figures that are held back. */
  readonly held: readonly Pick<QuarantineRow, 'field' | 'held_value' | 'offered_value'>[]
  /** Ids at the sources; absent where only the lists were read. */
  readonly external_ids?: Readonly<Record<string, string>>
}

/** Facts of a publication, without prices and volumes. */
export interface Facts {
  /** When it was built and when the next is due, as published; absent where trees are compared that are no neighbours. */
  readonly build?: { readonly at: string; readonly nextAt: string } | undefined
  /** Listings of the feed by slug, without delisted ones. */
  readonly listings: ReadonlyMap<string, ListingFacts>
  /** Returns the replacement of a slug that left the feed, or null if it was delisted. */
  readonly successor: (slug: string) => string | null
  readonly sources: readonly (Pick<SourceRow, 'source_id' | 'source_label' | 'error'> &
    Partial<Pick<SourceRow, 'price_factor'>>)[]
  readonly methodology: Methodology | null
  readonly requests: readonly Pick<RequestRow, 'request_id' | 'name' | 'status' | 'reason_code'>[]
  /** Sources that gave two collectors of the run different values; none where one collected. */
  readonly disagreements?: readonly Disagreement[]
  /** Sources that wind down, or will. */
  readonly closing?: readonly Pick<Source, 'id' | 'closing'>[] | undefined
  /** Bars of the past that are held back from this run on. */
  readonly pastHeld?: readonly HeldPast[]
  /** A move of the whole market that the sources of the run confirm. */
  readonly moved?: MarketMove | null
}

type Described = Pick<
  Asset,
  'slug' | 'symbol' | 'name' | 'verification_status' | 'contracts' | 'source_label' | 'held'
> & {
  readonly listing_status: ListingStatus
  readonly external_ids?: Asset['external_ids']
}

/** Returns the facts of listings, without delisted ones. */
export const listingFacts = (assets: Iterable<Described>): Map<string, ListingFacts> =>
  new Map(
    [...assets].flatMap(
      ({ slug, listing_status, symbol, name, verification_status, contracts, source_label, held, external_ids }) => {
        // A source that is not believed is one event, and not one for each of its prices.
        const own = held.filter(({ rule }) => rule !== 'source_distrusted')
        const facts = { symbol, name, verification_status, contracts, source_label, held: own }
        if (listing_status === 'delisted') return []
        return [[slug, external_ids ? { ...facts, external_ids } : facts] as const]
      },
    ),
  )
