import { ClientError } from './errors.ts'
import { slugsOf } from './route.ts'
import { type BuildTimes, type SnapshotPace, snapshotPace } from './snapshot-pace.ts'
import type { Methods } from './methods.ts'

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

/** Prices as they were read. */
interface PricesRead {
  readonly data: { readonly timestamp: string; readonly prices: Readonly<Record<string, number>> }
  readonly stale: boolean
  readonly failure: ClientError | null
}

/** What a watch needs of its surroundings. */
export interface Surroundings {
  /** Reads the prices of some slugs, or of more. */
  readonly prices: (slugs: readonly string[]) => Promise<PricesRead>
  readonly times: () => Promise<{ readonly data: BuildTimes }>
  /** Time of day in ms since 1970. */
  readonly now: () => number
  /** Between 0 and 1. */
  readonly random: () => number
  /** Calls a function after a time. Returns a function that cancels it. */
  readonly after: (ms: number, call: () => Promise<void>) => () => void
  readonly page: Page
}

/** The page that the client is on, if any. */
export interface Page {
  readonly isHidden: () => boolean
  /** Calls a function whenever the page is shown again. */
  readonly onShown: (call: () => void) => void
}

interface Watcher {
  readonly slugs: readonly string[]
  readonly listener: (update: PriceUpdate) => void
  readonly onError: (error: ClientError) => void
  last: Readonly<Record<string, number>> | null
}

/**
 * Returns the function that watches prices. All watches share one timer and one request per snapshot. While the page is
 * hidden nothing is requested; when it is shown again, what was missed is.
 */
export function priceWatch({ prices, times, now, random, after, page }: Surroundings): Watch {
  const watchers = new Set<Watcher>()
  const pace = snapshotPace(random)
  const news = newsOf({ prices, times }, watchers, pace)
  let cancel: (() => void) | null = null
  let isPolling = false
  let nextAt = now()

  async function poll(): Promise<void> {
    cancel = null
    if (watchers.size === 0 || page.isHidden()) return
    isPolling = true
    try {
      await news.read()
    } catch (error) {
      if (!(error instanceof ClientError)) throw error
      pace.failed()
      for (const { onError } of watchers) onError(error)
    } finally {
      isPolling = false
      nextAt = now() + pace.pauseAt(now())
      plan()
    }
  }
  /** Sets the timer of the next request, unless it is set or will be. */
  function plan(): void {
    if (cancel || isPolling || watchers.size === 0) return
    cancel = after(Math.max(0, nextAt - now()), poll)
  }
  function begin(watcher: Watcher): () => void {
    watchers.add(watcher)
    const seen = news.of(watcher)
    if (seen) tell(watcher, seen)
    else {
      nextAt = now()
      cancel?.()
      cancel = null
    }
    plan()
    return () => {
      if (!watchers.delete(watcher) || watchers.size > 0) return
      cancel?.()
      cancel = null
    }
  }
  page.onShown(() => {
    cancel?.()
    cancel = null
    plan()
  })
  return (slugs, listener, { signal, onError = () => {} } = {}) => {
    const own = slugsOf('slugs', slugs, Infinity)
    if (signal?.aborted) return () => {}
    const stop = begin({ slugs: own, listener, onError, last: null })
    signal?.addEventListener('abort', stop, { once: true })
    return stop
  }
}

/** Reads the prices of all watches, and knows the last ones. */
function newsOf(
  { prices, times }: Pick<Surroundings, 'prices' | 'times'>,
  watchers: ReadonlySet<Watcher>,
  pace: SnapshotPace,
) {
  let seen: PricesRead | null = null
  let asked: ReadonlySet<string> = new Set()
  return {
    async read(): Promise<void> {
      const slugs = new Set([...watchers].flatMap((watcher) => watcher.slugs))
      const result = await prices([...slugs])
      if (result.failure) throw result.failure
      pace.arrived(result.data.timestamp, result.data.timestamp !== seen?.data.timestamp)
      seen = result
      asked = slugs
      for (const watcher of watchers) tell(watcher, result)
      if (pace.needsIndex()) pace.scheduled((await times()).data)
    },
    /** Returns the last prices, if they were asked for all slugs of a watch. */
    of: ({ slugs }: Watcher) => (slugs.every((slug) => asked.has(slug)) ? seen : null),
  }
}

/** Calls the listener of a watch if a price of it changed. */
function tell(watcher: Watcher, { data, stale }: PricesRead): void {
  const { slugs, last, listener } = watcher
  const known = slugs.flatMap((slug) => {
    const price = data.prices[slug]
    return price === undefined ? [] : [[slug, price] as const]
  })
  const prices = Object.fromEntries(known)
  const changed = slugs.filter((slug) => last === null || last[slug] !== prices[slug])
  if (changed.length === 0) return
  watcher.last = prices
  try {
    const missing = slugs.filter((slug) => !(slug in prices))
    listener({ prices, changed, missing, timestamp: data.timestamp, stale })
  } catch (error) {
    // As event listeners do: an error of one does not keep the others from being called.
    queueMicrotask(() => {
      throw error
    })
  }
}
