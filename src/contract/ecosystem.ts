import * as z from 'zod'
import { AssetRow, TokenContract, Links } from './asset.ts'
import { Count } from './words.ts'

export const EcosystemRow = z
  .object({
    ...AssetRow.shape,
    role: z.string().nullable().describe('Purpose of the asset in the ecosystem.'),
    protocol: z.string().nullable().describe('Protocol that issues it.'),
    contracts: z.array(TokenContract),
    links: Links,
  })
  .meta({ id: 'EcosystemRow', description: 'An asset of the Trac, TAP, DMT and BX ecosystem.' })
export type EcosystemRow = z.infer<typeof EcosystemRow>

export const EcosystemMembers = {
  registry: z
    .object({
      assets: Count,
      verified: Count,
      unverified: Count,
      pending: Count,
      flagged: Count,
      with_price: Count,
    })
    .describe('Number of registered assets of the ecosystem, by state.'),
} as const
