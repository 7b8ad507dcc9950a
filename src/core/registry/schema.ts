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

const LINKS = Links.keyof().options

/** A reviewed asset. As people write it, only the slug, the symbol and the name are required. Unknown members are null. */
export const Entry = z.strictObject({
  slug: Slug,
  symbol: line(64),
  name: line(200),
  asset_type: z.enum(['coin', 'token']).nullable().default(null),
  verification_status: VerificationStatus.default('unverified'),
  ecosystem: z.strictObject({ role: z.string().nullable(), protocol: z.string().nullable() }).nullable().default(null),
  max_supply: z.number().positive().nullable().default(null),
  external_ids: z.record(z.string(), z.string()).default({}),
  exchange_symbols: z
    .record(z.string(), z.string())
    .default({})
    .describe(
      'Base symbol by venue; `*` for every venue. With symbols but no `*`, the asset is only matched at these venues.',
    ),
  former_symbols: z
    .array(line(64))
    .optional()
    .describe('Symbols that venues may still have it under. Where its price is known, it must agree.'),
  aliases: z.array(Slug).optional().describe('Other slugs that lead to it, unless a listing has them.'),
  contracts: z
    .array(z.strictObject({ chain: Slug, address: z.string().min(1), decimals: z.int().min(0).max(255).nullable() }))
    .default([]),
  tags: z.array(line(80)).default([]),
  links: z
    .strictObject(Links.shape)
    .partial()
    .transform((links) => Links.parse(Object.fromEntries(LINKS.map((name) => [name, links[name] ?? null]))))
    .prefault({}),
  description: z.string().max(4000).nullable().default(null),
  notice: z.string().nullable().default(null),
  relisted: z
    .literal(true)
    .optional()
    .describe('A reviewer decided that it is the delisted asset that had its slug, whatever else differs.'),
})
export type Entry = z.infer<typeof Entry>
