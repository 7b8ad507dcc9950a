import * as z from 'zod'
import { Links, VerificationStatus } from '../contract/asset.ts'
import { Slug, line } from '../contract/words.ts'

/** A chain and its name at each source. Its own name is that of CoinGecko's platform. */
export const Chain = z.strictObject({
  chain: Slug,
  label: line(80),
  chain_id: z.int().positive().nullable(),
  standard: z.string().nullable(),
  evm: z.boolean().describe('Addresses are hexadecimal and mean the same in upper and lower case.'),
  token_url: z.string().startsWith('https://').includes('{address}').nullable(),
  address_url: z.string().startsWith('https://').includes('{address}').nullable(),
  spellings: z.record(z.string(), z.string().nullable()),
})
export type Chain = z.infer<typeof Chain>

/** A reviewed asset. Unknown members are null. */
export const Entry = z.strictObject({
  slug: Slug,
  symbol: line(64),
  name: line(200),
  asset_type: z.enum(['coin', 'token']).nullable(),
  verification_status: VerificationStatus,
  ecosystem: z.strictObject({ role: z.string().nullable(), protocol: z.string().nullable() }).nullable(),
  max_supply: z.number().positive().nullable(),
  external_ids: z.record(z.string(), z.string()),
  exchange_symbols: z
    .record(z.string(), z.string())
    .describe(
      'Base symbol by venue; `*` for every venue. With symbols but no `*`, the asset is only matched at these venues.',
    ),
  former_symbols: z
    .array(line(64))
    .optional()
    .describe('Symbols that venues may still have it under. Where its price is known, it must agree.'),
  aliases: z.array(Slug).optional().describe('Other slugs that lead to it, unless a listing has them.'),
  contracts: z.array(
    z.strictObject({ chain: Slug, address: z.string().min(1), decimals: z.int().min(0).max(255).nullable() }),
  ),
  tags: z.array(line(80)),
  links: Links,
  description: z.string().max(4000).nullable(),
  notice: z.string().nullable(),
  relisted: z
    .literal(true)
    .optional()
    .describe('A reviewer decided that it is the delisted asset that had its slug, whatever else differs.'),
})
export type Entry = z.infer<typeof Entry>

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
