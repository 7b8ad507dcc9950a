import type { Methods } from './methods.ts'
import type { ClientError } from './errors.ts'

/** The prices of a watch when some of them changed. */
export interface PriceUpdate {
  /** The price in US dollars of each watched slug that has one. */
  readonly prices: Readonly<Record<string, number>>
  /** Watched slugs whose price is another than in the update before; all of them in the first. */
  readonly changed: readonly string[]
  /** Watched slugs without a price: unknown, or unpriced. */
  readonly missing: readonly string[]
  /** Time of the data. */
  readonly timestamp: string
  /** Whether the data is stale. */
  readonly stale: boolean
}

/** Options of a watch. */
export interface WatchOptions {
  /** Ends the watch. */
  readonly signal?: AbortSignal | undefined
  /** Called with each failure to read the prices. The watch goes on, and tries again after a growing pause. */
  readonly onError?: ((error: ClientError) => void) | undefined
}

/** Calls a listener with the prices of some slugs, now and whenever they change. Returns a function that ends the watch. */
export type Watch = (
  slugs: readonly string[],
  listener: (update: PriceUpdate) => void,
  options?: WatchOptions,
) => () => void

/** What a page needs that shows the newest data: the methods of the API, and news of prices. */
export interface LiveClient extends Methods {
  /** Watches prices: requests them when a new snapshot is due, one request for all watches, none while the page is hidden. */
  readonly watch: Watch
}
