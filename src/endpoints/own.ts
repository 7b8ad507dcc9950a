import type { Key } from '../contract/endpoint-spec.ts'
import type { Listing } from '../feed/listing.ts'
import type { Health } from '../feed/health.ts'
import type { Snapshot } from '../feed/snapshot.ts'

/** A key for every listing that has documents of its own. */
export function* slugs({ listings }: Snapshot): Generator<Key> {
  for (const { asset } of listings) yield { slug: asset.slug }
}

/** How the sources of one listing are. */
export const healthOf = ({ health, healthOf }: Snapshot, { slug }: { readonly slug: string }): Health =>
  healthOf.get(slug) ?? health

/** The listing of a key that {@link slugs} gave. */
export function listingOf({ bySlug }: Snapshot, slug: string): Listing {
  const listing = bySlug.get(slug)
  if (!listing) throw new Error(`no listing has the slug ${slug}`)
  return listing
}
