import type { EndpointSpec } from '../contract/endpoint-spec.ts'
import { ECOSYSTEM, type Ecosystem, isBuiltIn } from '../contract/product.ts'
import { apiIndex, head } from './api-index.ts'
import { changes, changesOfDay } from './changes.ts'
import { closes, closesOfDay } from './closes.ts'
import { dexPairs, ecosystemAssets } from './ecosystem.ts'
import type { Endpoint } from './endpoint.ts'
import {
  chainContracts,
  chains,
  contractListing,
  idSources,
  sourceIdListing,
  sourceIds,
  symbolListings,
} from './identifiers.ts'
import { listingRequests, oneListingRequest, submitListingRequest } from './listing-requests.ts'
import { assets, gainers, losers, markets, trending } from './lists.ts'
import { manifest, manifestPart } from './manifest.ts'
import { assetMarkets, asset } from './one-asset.ts'
import { collector, quarantine, rights, tables } from './operations.ts'
import { chainPrices, prices } from './prices.ts'
import { rates, ratesOfDay, ratesOfYear } from './rates.ts'
import { candles, daily, history } from './series.ts'
import { categories, categoryListings, exchangeMarkets, exchanges, global, totals } from './whole-market.ts'

/** Endpoints whose answers are files, in the order of composition, by the client's method. */
const read = {
  history,
  candles,
  daily,
  closesOfDay,
  closes,
  ratesOfYear,
  asset,
  assetMarkets,
  markets,
  assets,
  prices,
  chainPrices,
  gainers,
  losers,
  trending,
  /** The publisher's own assets, under the built-in name. */
  tnk: ecosystemAssets(ECOSYSTEM),
  dexPairs,
  exchange: exchangeMarkets,
  exchanges,
  category: categoryListings,
  categories,
  global,
  totals,
  rates,
  listingRequests,
  changes,
  changesOfDay,
  quarantine,
  rights,
  symbol: symbolListings,
  chainContracts,
  chains,
  sourceIds,
  idSources,
  tables,
  collector,
  manifestPart,
  manifest,
} as const

/** Endpoints without files, answered from the documents of others. */
const picked = { contract: contractListing, sourceId: sourceIdListing } as const

/** Endpoints without files, which the client answers by itself. */
const derived = { ratesOfDay } as const

const written = { submitListingRequest } as const

/** All endpoints by the client's method, with the types of their members. */
export type EndpointsByMethod = typeof read &
  typeof picked &
  typeof written & {
    readonly index: ReturnType<typeof apiIndex>
    readonly head: typeof head
    readonly listingRequest: typeof oneListingRequest
  }

/** The endpoints of one publisher. */
export interface EndpointTable {
  /**
   * Endpoints whose answers are files, in the order they are composed: the manifest after everything it lists, and the
   * index and its head last.
   */
  readonly published: readonly Endpoint[]
  /** All endpoints of a tree and its index. */
  readonly specs: readonly EndpointSpec[]
  /** All endpoints, including those that only a host with a queue can answer. */
  readonly answered: readonly EndpointSpec[]
}

/** Returns the table of endpoints of a publisher with this ecosystem. */
export function endpointsOf(ecosystem: Ecosystem): EndpointTable {
  const own = Object.values(isBuiltIn(ecosystem) ? read : { ...read, tnk: ecosystemAssets(ecosystem) })
  const others = [...Object.values(picked), ...Object.values(derived), ...Object.values(written)]
  const published = [...own, apiIndex([...own, head, ...others], { manifest, collector, changes }), head]
  const specs = [...published, ...others]
  return { published, specs, answered: [...specs, oneListingRequest] }
}

export const { published, specs, answered } = endpointsOf(ECOSYSTEM)
