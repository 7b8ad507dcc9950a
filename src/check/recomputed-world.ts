import type { World } from '../endpoints/endpoint.ts'
import { worldWithoutPast } from '../endpoints/world-without-past.ts'
import { NOTHING_BEFORE } from '../feed/listing.ts'
import { snapshotOf } from '../feed/snapshot.ts'
import { type EventsByDay, latestOf } from './change-figures.ts'
import type { HistoryFigures } from './history-figures.ts'
import type { PublishedTree } from './published-tree.ts'

/** Returns the world that a tree was composed from, computed from the documents of its listings, sources and pools alone. */
export function recomputedWorld(
  tree: PublishedTree,
  histories: ReadonlyMap<string, HistoryFigures>,
  events: EventsByDay,
): World {
  const { index, collector, manifest, ecosystem, requests, listings } = tree
  const snapshot = snapshotOf(
    {
      registry: { assets: ecosystem.map(({ slug, role, protocol }) => ({ slug, ecosystem: { role, protocol } })) },
      previous: NOTHING_BEFORE,
      now: Date.parse(collector.freshness.collectedAt),
      label: index.label,
      nextBuildAt: Date.parse(index.nextBuildAt),
    },
    {
      current: listings,
      pairs: tree.pairs,
      sources: collector.rows,
      rates: collector.referenceRates,
    },
  )
  return {
    ...worldWithoutPast(snapshot),
    sparklineOf: (slug) => histories.get(slug)?.sparkline ?? [],
    withHistory: () => [...histories.values()].filter(({ coversHalf }) => coversHalf).length,
    runs: collector.runs,
    requests,
    changes: {
      days: [...events.keys()],
      events: [],
      latest: latestOf(events),
      rowsOf: (day) => events.get(day) ?? [],
      isChanged: () => false,
    },
    provenance: {
      before: { rowsDigest: manifest.rowsDigest, sha256: '' },
      inputs: manifest.inputs,
      commit: manifest.commit,
    },
  }
}
