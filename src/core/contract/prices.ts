import * as z from 'zod'
import { ListTotals } from './envelope.ts'
import { ChainId } from './identity.ts'
import { Price, Slug } from './words.ts'

export const PricesMembers = {
  ...ListTotals,
  prices: z
    .record(z.string(), Price)
    .describe(
      'Price in US dollars by slug: `price_usd` of `assets`, in the same order. Listings without a price are omitted.',
    ),
} as const

const ContractPrice = z
  .object({ slug: Slug, price_usd: Price })
  .meta({ id: 'ContractPrice', description: 'The listing of a contract and its price.' })

export const ChainPricesMembers = {
  chain: ChainId,
  count: ListTotals.count,
  prices: z
    .record(z.string(), ContractPrice)
    .describe(
      'By contract address, in lower case if hexadecimal. Omitted: listings without a price, flagged listings, and ' +
        'contracts that several listings claim unless exactly one of them is verified.',
    ),
} as const
