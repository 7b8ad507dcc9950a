import { isDeepStrictEqual } from 'node:util'
import { Asset, DetailedRow } from '../contract/asset.ts'
import type { Listing } from '../feed/listing.ts'

const MEMBERS = Object.keys(DetailedRow.shape)

/**
 * Returns the listings with the value of each member that most documents have. The profile and the lists repeat the same row,
 * so a single changed copy is outvoted and can be named. On a tie the profile counts.
 *
 * @param lists the rows of each list, by slug
 */
export const agreedListings = (
  listings: readonly Listing[],
  lists: readonly ReadonlyMap<string, object>[],
): readonly Listing[] =>
  listings.map((listing) => {
    const rows = lists.flatMap((list) => list.get(listing.asset.slug) ?? [])
    const outvoted = MEMBERS.flatMap((member) => {
      const own = Reflect.get(listing.asset, member)
      const others = rows.flatMap((row) => (member in row ? [Reflect.get(row, member)] : []))
      const value = majority([own, ...others])
      return isDeepStrictEqual(own, value) ? [] : [[member, value] as const]
    })
    if (outvoted.length === 0) return listing
    const agreed = Asset.safeParse({ ...listing.asset, ...Object.fromEntries(outvoted) })
    return agreed.success ? { ...listing, asset: agreed.data } : listing
  })

/** Returns the first of the most frequent values. */
function majority(values: readonly unknown[]): unknown {
  const [first] = values
  if (values.every((value) => isDeepStrictEqual(value, first))) return first
  const votes = (value: unknown) => values.filter((other) => isDeepStrictEqual(value, other)).length
  return values.reduce((best, value) => (votes(value) > votes(best) ? value : best), first)
}
