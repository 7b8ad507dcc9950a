import type { EndpointSpec } from '../contract/endpoint-spec.ts'
import { ECOSYSTEM, type Ecosystem, isBuiltIn } from '../contract/product.ts'
import { apiIndex, head } from './api-index.ts'
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
  symbols,
} from './identifiers.ts'
import { assets, chainPrices, gainers, losers, markets, prices, top, trending } from './lists.ts'
import { assetMarkets, asset } from './one-asset.ts'
import {
  changes,
  changesOfDay,
  collector,
  listingRequests,
  manifest,
  manifestPart,
  oneListingRequest,
  quarantine,
  rights,
  submitListingRequest,
  tables,
} from './operations.ts'
import { pegs, rates, ratesOfDay, ratesOfYear, stocks } from './rates.ts'
import { candleList, candles, closes, closesOfDay, daily, dailyList, history } from './series.ts'
import { categories, categoryListings, exchangeMarkets, exchanges, global, totals } from './whole-market.ts'

/** Endpoints whose answers are files, in the order of composition, by the client's method. */
export const documents = {
  history,
  candles,
  candleList,
  daily,
  dailyList,
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
  top,
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
  pegs,
  stocks,
  listingRequests,
  changes,
  changesOfDay,
  quarantine,
  rights,
  symbols,
  chainContracts,
  chains,
  sourceIds,
  idSources,
  tables,
  collector,
  manifestPart,
  manifest,
} as const

/** Endpoints without files. The client answers that of the rates of a day by itself. */
const answeredOnly = {
  contract: contractListing,
  sourceId: sourceIdListing,
  symbol: symbolListings,
  ratesOfDay,
  submitListingRequest,
} as const

export type EndpointsByMethod = typeof documents &
  Omit<typeof answeredOnly, 'ratesOfDay'> & {
    readonly index: ReturnType<typeof apiIndex>
    readonly head: typeof head
    readonly listingRequest: typeof oneListingRequest
  }

export function endpointsOf(ecosystem: Ecosystem) {
  const own: readonly Endpoint[] = Object.values(
    isBuiltIn(ecosystem) ? documents : { ...documents, tnk: ecosystemAssets(ecosystem) },
  )
  const others: readonly EndpointSpec[] = Object.values(answeredOnly)
  /** Those whose answers are files, in the order they are composed: the manifest after what it lists, the index and its head last. */
  const published: readonly Endpoint[] = [...own, apiIndex([...own, head, ...others]), head]
  const specs: readonly EndpointSpec[] = [...published, ...others]
  /** All endpoints, including those that only a host with a queue can answer. */
  const answered: readonly EndpointSpec[] = [...specs, oneListingRequest]
  return { published, specs, answered }
}

export const { published, specs, answered } = endpointsOf(ECOSYSTEM)
