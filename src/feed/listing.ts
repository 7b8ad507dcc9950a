import type { Asset } from '../contract/asset.ts'
import type { ReferenceRate, SourceRow } from '../contract/collector.ts'
import type { DexPair } from '../contract/ecosystem.ts'
import type { Market } from '../contract/market.ts'

/** One asset with its markets, exactly as published, so that a run reads back what the last one knew. */
export interface Listing {
  readonly asset: Asset
  readonly markets: readonly Market[]
}

/** The last publication; empty before the first. */
export interface Previous {
  readonly listings: ReadonlyMap<string, Listing>
  readonly sources: ReadonlyMap<string, SourceRow>
  readonly rates: ReadonlyMap<string, ReferenceRate>
  readonly pairs: readonly DexPair[]
  /** Slugs that were published, and of which nothing can be read back. */
  readonly unreadable?: ReadonlySet<string>
}

export const NOTHING_BEFORE: Previous = {
  listings: new Map(),
  sources: new Map(),
  rates: new Map(),
  pairs: [],
}
