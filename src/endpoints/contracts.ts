import type { EndpointSpec } from '../contract/endpoint-spec.ts'
import { ChainMembers, ChainsMembers, ContractRow, pickedFrom } from '../contract/identity.ts'
import { byKey } from '../contract/order.ts'
import { foldedAddress } from '../contract/names.ts'
import { type Parameter, chain, printable } from '../contract/parameters.ts'
import { namesOfChain } from '../registry/chain-names.ts'
import { endpoint } from './endpoint.ts'

const address = {
  ...printable,
  description: 'Contract address. A hexadecimal address may be in any case.',
  schema: printable.schema.transform(foldedAddress),
  picks: 'address',
} as const satisfies Parameter<string>

export const chainContracts = endpoint({
  name: 'chain-contracts',
  group: 'One asset',
  path: '/contracts/:chain',
  description: 'All contracts of listings on one chain, by address.',
  example: '/contracts/ethereum',
  parameters: { chain },
  members: ChainMembers,
  keys: ({ directory }) => [...directory.chains.keys()].map((chain) => ({ chain })),
  body: ({ directory }, { chain }) => {
    const rows = directory.chains.get(chain) ?? []
    return { chain, count: rows.length, rows }
  },
})

export const chains = endpoint({
  name: 'chains',
  group: 'One asset',
  path: '/contracts',
  description: 'The chains with contracts of listings, and their other names.',
  example: '/contracts',
  parameters: {},
  members: ChainsMembers,
  body: ({ directory }) => {
    const rows = [...directory.chains]
      .toSorted(byKey)
      .map(([chain, contracts]) => ({ chain, ...namesOfChain(chain), contract_count: contracts.length }))
    return { count: rows.length, rows }
  },
})

/** Selected from the chain's document: one file per contract would exceed the file limits of hosts. */
export const contractListing = {
  name: 'contract',
  group: 'One asset',
  method: 'GET',
  path: '/contracts/:chain/:address',
  description: 'The listing of a contract. Static hosts only serve the document of the chain.',
  example: '/contracts/ethereum/0xdac17f958d2ee523a2206206994597c13d831ec7',
  parameters: { chain, address },
  members: pickedFrom(ContractRow),
} as const satisfies EndpointSpec
