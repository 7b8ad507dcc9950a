import { type Facts, listingFacts } from '../changes/facts.ts'
import type { Snapshot } from '../feed/snapshot.ts'
import type { LastPublication } from '../tree/last-publication.ts'
import type { Requests } from './listing-requests.ts'

/** Returns the facts of the last publication, or null before the first. */
export function factsBefore({
  label,
  publishedAt,
  nextBuildAt,
  listings,
  sources,
  methodology,
  requests,
}: LastPublication): Facts | null {
  if (label === null) return null
  return {
    build: publishedAt === null || nextBuildAt === null ? undefined : { at: publishedAt, nextAt: nextBuildAt },
    listings: listingFacts([...listings.values()].map(({ asset }) => asset)),
    successor: () => null,
    sources: [...sources.values()],
    methodology,
    requests,
  }
}

/** Returns the facts of this run, without listings whose last facts are lost: nobody knows what changed in them. */
export const factsNow = (
  { at, nextBuildAt, listed, bySlug, sources, methodology }: Snapshot,
  { rows }: Requests,
  { unreadable, disagreements, moved }: Pick<LastPublication, 'unreadable'> & Pick<Facts, 'disagreements' | 'moved'>,
): Facts => ({
  ...(disagreements ? { disagreements } : {}),
  build: { at, nextAt: nextBuildAt },
  ...(moved ? { moved } : {}),
  listings: listingFacts(listed.flatMap(({ asset }) => (unreadable?.has(asset.slug) ? [] : asset))),
  successor: (slug) => bySlug.get(slug)?.asset.replaced_by ?? null,
  sources,
  methodology,
  requests: rows,
})
