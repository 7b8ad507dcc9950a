import * as z from 'zod'
import { isBuiltIn, type Ecosystem } from '../contract/product.ts'
import assets from './assets.json' with { type: 'json' }
import { Entry } from './schema.ts'

const { shape } = Entry
const NO_LINK = shape.links.shape.website.default(null)

/** An entry as people write it: only the slug, the symbol and the name are required. */
export const AssetFile = z.strictObject({
  ...shape,
  asset_type: shape.asset_type.default(null),
  verification_status: shape.verification_status.default('unverified'),
  ecosystem: shape.ecosystem.default(null),
  max_supply: shape.max_supply.default(null),
  external_ids: shape.external_ids.default({}),
  exchange_symbols: shape.exchange_symbols.default({}),
  contracts: shape.contracts.default([]),
  tags: shape.tags.default([]),
  links: z
    .strictObject({
      website: NO_LINK,
      whitepaper: NO_LINK,
      source_code: NO_LINK,
      twitter: NO_LINK,
      telegram: NO_LINK,
      discord: NO_LINK,
    })
    .prefault({}),
  description: shape.description.default(null),
  notice: shape.notice.default(null),
})
export type AssetFile = z.infer<typeof AssetFile>

/** The assets that people add to a feed. */
export interface Added {
  /** Assets of the project, one file each. */
  readonly shared: readonly unknown[]
  /** The publisher's own, which make up his ecosystem. */
  readonly own: readonly unknown[]
}

/**
 * Returns the entries of a registry: the built-in ones, those of the project's folder, and the publisher's own, which
 * replace others with their slug. Under another name the ecosystem is the publisher's alone.
 */
export function entriesOf({ shared, own }: Added, ecosystem: Ecosystem): readonly unknown[] {
  const mine = own.map(asOwn)
  const slugs = new Set(mine.flatMap((entry) => slugOf(entry) ?? []))
  const builtIn: readonly unknown[] = isBuiltIn(ecosystem) ? assets : assets.filter((entry) => entry.ecosystem === null)
  return [...builtIn.filter((entry) => !slugs.has(slugOf(entry) ?? '')), ...shared.map(complete), ...mine]
}

/** Returns an entry with its defaults, or as it is if it is invalid, so that the registry says why. */
function complete(value: unknown): unknown {
  const result = AssetFile.safeParse(value)
  return result.success ? result.data : value
}

/** Returns an entry of the publisher, which belongs to his ecosystem unless it says otherwise. */
function asOwn(value: unknown): unknown {
  const isSilent = typeof value === 'object' && value !== null && !('ecosystem' in value)
  return complete(isSilent ? { ...value, ecosystem: { role: null, protocol: null } } : value)
}

const Slugged = z.object({ slug: z.string() })
const slugOf = (entry: unknown): string | null => Slugged.safeParse(entry).data?.slug ?? null
