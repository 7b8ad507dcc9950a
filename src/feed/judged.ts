import type { Report } from '../sources/collect.ts'
import type { Previous } from './listing.ts'
import type { Snapshot } from './snapshot.ts'

/** A snapshot before it is published, and what the gate compares it with. */
export interface Judged {
  readonly previous: Previous
  readonly snapshot: Snapshot
  readonly reports: readonly Report[]
  /** The run's clock in ms. */
  readonly now: number
  /** Listings that each list was asked for; absent or null: as many as it gives. */
  readonly listings?: number | null
  /** Listings that a first publication must have; absent: any number will do. */
  readonly leastListings?: number | undefined
}
