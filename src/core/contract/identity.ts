import * as z from 'zod'
import { TokenContract, ListingStatus, VerificationStatus } from './asset.ts'
import { Count, Slug, formed, line } from './words.ts'

export const SymbolKey = z.string().regex(/^[A-Z0-9]{1,64}$/)

export const ChainId = formed(64, /^[a-z0-9]+(-[a-z0-9]+)*$/)

export const ExchangeId = formed(64, /^[a-z0-9]+([-_.][a-z0-9]+)*$/)

const identity = {
  slug: Slug,
  symbol: line(64),
  name: line(200),
  verification_status: VerificationStatus,
  listing_status: ListingStatus,
}

export const SymbolRow = z
  .object({
    key: SymbolKey.describe('The symbol in capitals, without punctuation.'),
    ...identity,
    contracts: z.array(TokenContract.pick({ chain: true, address: true })),
  })
  .meta({ id: 'SymbolRow', description: 'A listing by its symbol.' })

export const ContractRow = z
  .object({
    address: z.string().describe('In lower case if hexadecimal.'),
    ...identity,
    decimals: TokenContract.shape.decimals,
    standard: TokenContract.shape.standard,
  })
  .meta({ id: 'ContractRow', description: 'A listing by one of its contracts.' })
export type ContractRow = z.infer<typeof ContractRow>

export const SourceIdRow = z
  .object({ id: z.string().describe('Id of the asset at the source.'), ...identity })
  .meta({ id: 'SourceIdRow', description: 'A listing by its id at a source.' })
export type SourceIdRow = z.infer<typeof SourceIdRow>

export const ChainRow = z
  .object({
    chain: ChainId,
    name: line(80),
    chain_id: TokenContract.shape.chain_id,
    aliases: z
      .array(z.string())
      .describe('Other names of the chain. Hosts with a function redirect them and `chain_id` to `chain`.'),
    contract_count: Count.describe('Contracts of listings on it.'),
  })
  .meta({ id: 'ChainRow', description: 'A chain with contracts of listings.' })

export const IdSourceRow = z
  .object({
    source_id: z.string(),
    source_label: line(80),
    id_count: Count.describe('Listings with an id at the source.'),
  })
  .meta({ id: 'IdSourceRow', description: 'A source whose ids lead to listings.' })
