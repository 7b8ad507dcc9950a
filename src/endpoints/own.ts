import type { Key } from '../contract/endpoint-spec.ts'
import type { Listing } from '../feed/listing.ts'
import type { Health } from '../feed/health.ts'
import type { Snapshot } from '../feed/snapshot.ts'

/** Yields a key for every listing that has its own documents. */
export function* slugs({ listings }: Snapshot): Generator<Key> {
  for (const { asset } of listings) yield { slug: asset.slug }
}

/** Returns the health of the sources of one listing. */
export const healthOf = ({ health, healthOf }: Snapshot, { slug }: { readonly slug: string }): Health =>
  healthOf.get(slug) ?? health

/** Returns the listing of a key from {@link slugs}. */
export function listingOf({ bySlug }: Snapshot, slug: string): Listing {
  const listing = bySlug.get(slug)
  if (!listing) throw new Error(`no listing has the slug ${slug}`)
  return listing
}
