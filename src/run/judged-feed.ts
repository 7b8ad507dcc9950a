import { gate } from '../feed/gate.ts'
import { feedOf } from '../feed/feed.ts'
import { oldestPriceOf, pastPointsOf } from '../history/last-series.ts'
import { labelOf } from '../contract/product.ts'
import { readGateRecord, writeGateRecord } from './gate-record-file.ts'
import { cadenceOf } from './run.ts'
import type { Collected, RationedRun } from './run-observations.ts'

/** The feed of what the sources said, and what the gate says of it; the gate remembers it for the next run. */
export function judgedFeed(run: RationedRun, { reports, previous, known, currencies }: Collected) {
  const feed = feedOf({
    ...run,
    reports,
    configured: run.configured ?? run.all,
    previous,
    ...(run.known ? { acquaintance: { known: run.known, lists: currencies.lists } } : {}),
    priceDayAgo: oldestPriceOf(known),
    ...pastPointsOf(known, run.now),
    label: labelOf(run.kind, run.label),
    nextBuildAt: run.now + cadenceOf(run),
  })
  const judged = {
    previous,
    snapshot: feed.snapshot,
    reports,
    now: run.now,
    listings: run.listings,
    leastListings: run.leastListings,
  }
  const verdict = gate(judged, readGateRecord(run.root), run.accept)
  writeGateRecord(run.root, verdict.record)
  return { feed, verdict }
}
