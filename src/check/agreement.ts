import { isDeepStrictEqual } from 'node:util'
import { Asset, DetailedRow } from '../contract/asset.ts'
import type { Listing } from '../feed/listing.ts'
import type { PublishedTree } from './published-tree.ts'

const MEMBERS = Object.keys(DetailedRow.shape)

/**
 * Returns the listings with the value of each member that most documents have. The profile, the lists and their NDJSON
 * exports repeat the same row, so a single changed copy is outvoted and can be named. On a tie the profile counts.
 */
export function agreedListings({ listings, lists }: PublishedTree): readonly Listing[] {
  return listings.map((listing) => {
    const rows = [...lists.values()].flatMap((list) => {
      const row = list.get(listing.asset.slug)
      return row ? [row] : []
    })
    const outvoted = MEMBERS.flatMap((member) => {
      const own = Reflect.get(listing.asset, member)
      const others = rows.flatMap((row) => (member in row ? [row[member]] : []))
      const value = majority([own, ...others])
      return isDeepStrictEqual(own, value) ? [] : [[member, value] as const]
    })
    if (outvoted.length === 0) return listing
    const agreed = Asset.safeParse({ ...listing.asset, ...Object.fromEntries(outvoted) })
    return agreed.success ? { ...listing, asset: agreed.data } : listing
  })
}

/** Returns the first of the most frequent values. */
function majority(values: readonly unknown[]): unknown {
  const [first] = values
  if (values.every((value) => isDeepStrictEqual(value, first))) return first
  const votes = (value: unknown) => values.filter((other) => isDeepStrictEqual(value, other)).length
  return values.reduce((best, value) => (votes(value) > votes(best) ? value : best), first)
}
