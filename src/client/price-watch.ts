import { ClientError } from './errors.ts'
import { slugsOf } from './route.ts'
import type { Methods } from './methods.ts'
import { DAY_MS } from '../contract/time.ts'

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

/** A publication needs this long at the least until it has been written and has left the caches. */
const PUBLISHED_AFTER_MS = 60_000
/** Clients spread their requests over this time, so that they do not all ask at once. */
const JITTER_MS = 60_000
/** First pause after a request without news, or after a failure. Each further one doubles it. */
const FIRST_PAUSE_MS = 60_000
const LONGEST_PAUSE_MS = 15 * 60_000
/** Longest wait for a snapshot. */
const LONGEST_WAIT_MS = DAY_MS
/** The index is read again after so many requests without news: two snapshots may have equal prices. */
const INDEX_AFTER = 3

/** When snapshots are built, as the index says. */
export interface BuildTimes {
  readonly generatedAt: string
  readonly nextBuildAt: string
}

/** Decides when the next request for a snapshot is worth making. */
export type SnapshotPace = ReturnType<typeof snapshotPace>

/** @param random returns a number between 0 and 1 */
export function snapshotPace(random: () => number) {
  let cadenceMs: number | null = null
  let dueAt = Number.NEGATIVE_INFINITY
  let fruitless = 0
  let failures = 0

  /** Half of a growing pause, and a random share of the other half. */
  const backOff = (times: number): number =>
    Math.min(FIRST_PAUSE_MS * 2 ** (times - 1), LONGEST_PAUSE_MS) * (0.5 + random() / 2)

  return {
    /** Whether the index should be read: nothing is known of the schedule, or it is outdated. */
    needsIndex: (): boolean => cadenceMs === null || fruitless >= INDEX_AFTER,
    scheduled({ generatedAt, nextBuildAt }: BuildTimes): void {
      dueAt = Date.parse(nextBuildAt)
      cadenceMs = Math.max(FIRST_PAUSE_MS, dueAt - Date.parse(generatedAt))
      fruitless = 0
    },
    /** Data of a time arrived, for the first time or again. */
    arrived(timestamp: string, isNews: boolean): void {
      failures = 0
      if (!isNews) fruitless++
      else if (cadenceMs !== null) {
        fruitless = 0
        dueAt = Date.parse(timestamp) + cadenceMs
      }
    },
    failed(): void {
      failures++
    },
    /** Returns how long to wait from a time on, in ms. */
    pauseAt(now: number): number {
      if (failures > 0) return backOff(failures)
      const untilDue = dueAt + PUBLISHED_AFTER_MS + random() * JITTER_MS - now
      const least = backOff(fruitless + 1)
      // A host may state a time that is none, or one that no timer waits for.
      return untilDue > least ? Math.min(untilDue, LONGEST_WAIT_MS) : least
    },
  }
}
