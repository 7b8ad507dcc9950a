import * as z from 'zod'
import { AssetRow, Contract, Links } from './asset.ts'
import { Count } from './words.ts'

/** An asset of the Trac / TAP / DMT / BX ecosystem. */
export const EcosystemRow = z
  .object({
    ...AssetRow.shape,
    role: z.string().nullable().describe('What the asset is for in the ecosystem.'),
    protocol: z.string().nullable(),
    contracts: z.array(Contract),
    links: Links,
  })
  .meta({ id: 'EcosystemRow' })
export type EcosystemRow = z.infer<typeof EcosystemRow>

export const EcosystemMembers = {
  registry: z.object({
    assets: Count,
    verified: Count,
    unverified: Count,
    pending: Count,
    flagged: Count,
    with_price: Count,
  }),
} as const
