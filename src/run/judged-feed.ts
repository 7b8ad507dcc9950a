import { dropKept, readKept, writeKept } from './kept-state.ts'
import { GateRecord, NOTHING_REFUSED, gate } from '../feed/gate.ts'
import { feedOf } from '../feed/feed.ts'
import { oldestPriceOf, pastPointsOf } from '../history/last-series.ts'
import { labelOf } from '../contract/product.ts'
import type { State } from './open-state.ts'
import type { Recorded } from './record-sources.ts'
import type { Inputs, Limits } from './run.ts'

/** The feed of what the sources said, and what the gate says of it; the gate remembers it for the next run. */
export function judgedFeed(
  { kind, label, sources, configured = sources, registry, only, known, now, cadenceMs }: Inputs,
  { listings, leastListings, accept }: Limits,
  { tree, previous, known: last }: State,
  { recording: { reports }, currencies }: Recorded,
) {
  const feed = feedOf({
    reports,
    configured,
    registry,
    only,
    previous,
    acquaintance: known && { known, lists: currencies },
    priceDayAgo: oldestPriceOf(last),
    ...pastPointsOf(last, now),
    now,
    label: labelOf(kind, label),
    nextBuildAt: now + cadenceMs,
  })
  const judged = { previous, snapshot: feed.snapshot, reports, now, listings, leastListings }
  const verdict = gate(judged, readGateRecord(tree.root), accept)
  writeGateRecord(tree.root, verdict.record)
  return { feed, verdict }
}

/** A refused run publishes nothing, so its record is kept beside what is published. */
const NAME = 'refused'

/** Returns the gate record of the last run. A lost record costs time, not data: the count of refusals starts again. */
const readGateRecord = (root: string): GateRecord => readKept(root, NAME, GateRecord) ?? NOTHING_REFUSED

/** Keeps the gate record for the next run. */
function writeGateRecord(root: string, record: GateRecord): void {
  if (record.refused.length === 0) dropKept(root, NAME)
  else writeKept(root, NAME, record)
}
