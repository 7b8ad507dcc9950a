import type { EndpointSpec } from '../contract/endpoint-spec.ts'
import { ChainMembers, ContractRow, pickedFrom } from '../contract/identity.ts'
import { foldedAddress } from '../contract/names.ts'
import { type Parameter, chain, printable } from '../contract/parameters.ts'
import { endpoint } from './endpoint.ts'

const address = {
  ...printable,
  description: 'Address of a contract; a hexadecimal one in any case.',
  schema: printable.schema.transform(foldedAddress),
  picks: 'address',
} as const satisfies Parameter<string>

export const chainContracts = endpoint({
  name: 'chain-contracts',
  path: '/contracts/:chain',
  description: 'Every contract of a chain that a listing names, by address.',
  example: '/contracts/ethereum',
  parameters: { chain },
  members: ChainMembers,
  keys: ({ directory }) => [...directory.chains.keys()].map((chain) => ({ chain })),
  body: ({ directory }, { chain }) => {
    const rows = directory.chains.get(chain) ?? []
    return { chain, count: rows.length, rows }
  },
})

/** Picked out of the chain's document: one file each would be more than hosts take. */
export const contractListing: EndpointSpec = {
  name: 'contract',
  method: 'GET',
  path: '/contracts/:chain/:address',
  description: 'The listing of a contract. Hosts of files alone have the document of the chain.',
  example: '/contracts/ethereum/0xdac17f958d2ee523a2206206994597c13d831ec7',
  parameters: { chain, address },
  members: pickedFrom(ContractRow),
}
