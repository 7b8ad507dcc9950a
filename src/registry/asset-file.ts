import * as z from 'zod'
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
