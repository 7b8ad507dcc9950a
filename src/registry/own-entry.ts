import * as z from 'zod'
import { isBuiltIn, type Ecosystem } from '../contract/product.ts'
import { builtInAssets, complete } from './asset-files.ts'

const Slugged = z.looseObject({ slug: z.string() })
const slugOf = (entry: unknown): string | null => Slugged.safeParse(entry).data?.slug ?? null
const Member = z.looseObject({ ecosystem: z.looseObject({}) })

/**
 * Returns the entries of a registry: the built-in ones, and the publisher's own, which replace others with their slug. Under
 * another name the ecosystem is the publisher's alone.
 */
export function entriesOf(own: readonly unknown[], ecosystem: Ecosystem): readonly unknown[] {
  const mine = own.map(asOwn)
  const slugs = new Set(mine.map(slugOf))
  const isKept = (entry: unknown) =>
    !slugs.has(slugOf(entry)) && (isBuiltIn(ecosystem) || !Member.safeParse(entry).success)
  return [...builtInAssets().filter(isKept), ...mine]
}

/** Returns an entry of the publisher, which belongs to his ecosystem unless it says otherwise. */
function asOwn(value: unknown): unknown {
  const isSilent = typeof value === 'object' && value !== null && !('ecosystem' in value)
  return complete(isSilent ? { ...value, ecosystem: { role: null, protocol: null } } : value)
}
