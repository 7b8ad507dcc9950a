import * as z from 'zod'
import { TokenContract, ListingStatus, VerificationStatus } from './asset.ts'
import { ownListOf } from './envelope.ts'
import { Slug, line } from './words.ts'

/** A symbol as addresses name it: `symbolKey` of how it is written. */
export const SymbolKey = z.string().regex(/^[A-Z0-9]{1,64}$/)

/** A chain as addresses name it. */
export const Chain = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)

const identity = {
  slug: Slug,
  symbol: line(64),
  name: line(200),
  verification_status: VerificationStatus,
  listing_status: ListingStatus,
}

const ambiguous = z.boolean().describe('Whether more than one listing answers: then a name alone does not tell which.')

export const SymbolRow = z
  .object({ ...identity, contracts: z.array(TokenContract.pick({ chain: true, address: true })) })
  .meta({ id: 'SymbolRow', description: 'A listing by its symbol.' })

export const ContractRow = z
  .object({
    address: z.string().describe('In small letters where it is hexadecimal.'),
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

export const SymbolMembers = { key: SymbolKey, ambiguous, ...ownListOf(SymbolRow) }
export const ChainMembers = { chain: Chain, ...ownListOf(ContractRow) }
export const SourceMembers = { source_id: z.string(), ...ownListOf(SourceIdRow) }
/** What is picked out of a longer document. */
export const pickedFrom = <Row extends z.ZodType>(row: Row) => ({ ambiguous, ...ownListOf(row) }) as const
