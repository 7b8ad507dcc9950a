import { DAYS, gridOf } from '../src/contract/history.ts'
import type { Listing } from '../src/feed/listing.ts'
import type { Health } from '../src/feed/health.ts'
import { lastPublication } from '../src/tree/last-publication.ts'
import { Tree } from '../src/tree/tree.ts'
import { extendedSeries } from '../src/history/extended-series.ts'
import { lastSeries } from '../src/history/last-series.ts'
import { CADENCE_MS } from '../src/run/run.ts'

const DAY_MS = 86_400_000
const COPY = /~\d+(?=\/)/

/** CPU and memory used to extend every series. */
export interface HistoryFigures {
  readonly assets: number
  readonly series: number
  readonly cpuMs: number
  readonly heapMiB: number
}

/**
 * Measures CPU and memory of reading, checking and extending all five series of `assets` assets, a day after `root` was
 * built, so that every series changes. If the tree has fewer assets, its own are repeated.
 */
export function benchHistory(root: string, at: number, assets: number): HistoryFigures {
  const tree = new Tree(root)
  const own = [...lastPublication(tree).listings.values()].filter(({ asset }) => asset.price_usd !== null)
  const slugs: string[] = []
  const bySlug = new Map<string, Listing>()
  for (let copy = 0; slugs.length < assets; copy++)
    for (const listing of own.slice(0, assets - slugs.length)) {
      const slug = `${listing.asset.slug}~${copy}`
      slugs.push(slug)
      bySlug.set(slug, listing)
    }
  const health: Health = { sourceStatus: 'ok', sourceError: null }
  const healthOf = new Map(slugs.map((slug) => [slug, health]))
  const readable = {
    read: (file: string) => tree.read(file.replace(COPY, '')),
    head: (file: string) => tree.head(file.replace(COPY, '')),
  }
  const nothing = { backfills: new Map(), requests: 0, failures: [] }

  globalThis.gc?.()
  const base = process.memoryUsage().heapUsed
  const begin = process.cpuUsage()
  const memory = extendedSeries({
    snapshot: { bySlug, healthOf },
    past: nothing,
    last: lastSeries(readable, () => []),
    label: 'Bench',
    grid: gridOf(CADENCE_MS),
    now: at + DAY_MS,
  })
  let series = 0
  let peak = base
  for (const slug of slugs) {
    const changed = memory.changedSeries(slug)
    series += DAYS.filter((days) => changed.has(days)).length
    peak = Math.max(peak, process.memoryUsage().heapUsed)
  }
  const { user, system } = process.cpuUsage(begin)
  return { assets: slugs.length, series, cpuMs: (user + system) / 1000, heapMiB: (peak - base) / 2 ** 20 }
}
