import * as z from 'zod'
import type { EndpointSpec } from '../contract/endpoint-spec.ts'
import { SymbolKey, SymbolRow, ChainId, ChainRow, ContractRow, IdSourceRow, SourceIdRow } from '../contract/identity.ts'
import { ownListOf } from '../contract/envelope.ts'
import { symbolKey, foldedAddress } from '../contract/names.ts'
import { byKey } from '../contract/order.ts'
import { type Parameter, printable, chain, source, textParameter } from '../contract/parameters.ts'
import { namesOfChain } from '../registry/chain-names.ts'
import { endpoint, oneDocument } from './endpoint.ts'

/** What is selected from a document of all: one file per symbol, contract or id would exceed the file limits of hosts. */
const PICKED = { group: 'One asset', method: 'GET' } as const

const pickedFrom = <Row extends z.ZodType>(row: Row) =>
  ({ ambiguous: z.boolean().describe('Whether more than one listing matches.'), ...ownListOf(row) }) as const

const symbol = {
  ...textParameter(
    'Symbol in any case; punctuation is ignored.',
    printable.schema.transform(symbolKey).pipe(SymbolKey),
    'Latin letters and digits, at most 64: USDC.e is USDCE',
  ),
  example: 'BTC',
  picks: 'key',
} as const satisfies Parameter<string>

export const symbols = oneDocument('One asset', {
  name: 'symbols',
  path: '/symbols',
  description: 'All listings by symbol, those of one symbol by rank. Symbols are not unique.',
  members: ownListOf(SymbolRow),
  body: ({ directory }) => ({
    rows: [...directory.symbols].toSorted(byKey).flatMap(([key, rows]) => rows.map((row) => ({ key, ...row }))),
  }),
})

export const symbolListings = {
  ...PICKED,
  name: 'symbol',
  path: '/symbols/:symbol',
  description: 'All listings with a symbol, by rank. Static hosts only serve the document of all symbols.',
  parameters: { symbol },
  members: pickedFrom(SymbolRow),
} as const satisfies EndpointSpec

const address = {
  ...printable,
  description: 'Contract address. A hexadecimal address may be in any case.',
  schema: printable.schema.transform(foldedAddress),
  example: '0xdac17f958d2ee523a2206206994597c13d831ec7',
  picks: 'address',
} as const satisfies Parameter<string>

export const chainContracts = endpoint('One asset', {
  name: 'chain-contracts',
  path: '/contracts/:chain',
  description: 'All contracts of listings on one chain, by address.',
  parameters: { chain },
  members: { chain: ChainId, ...ownListOf(ContractRow) },
  keys: ({ directory }) => [...directory.chains.keys()].map((chain) => ({ chain })),
  body: ({ directory }, { chain }) => ({ chain, rows: directory.chains.get(chain) ?? [] }),
})

export const chains = oneDocument('One asset', {
  name: 'chains',
  path: '/contracts',
  description: 'The chains with contracts of listings, and their other names.',
  members: ownListOf(ChainRow),
  body: ({ directory }) => ({
    rows: [...directory.chains]
      .toSorted(byKey)
      .map(([chain, contracts]) => ({ chain, ...namesOfChain(chain), contract_count: contracts.length })),
  }),
})

export const contractListing = {
  ...PICKED,
  name: 'contract',
  path: '/contracts/:chain/:address',
  description: 'The listing of a contract. Static hosts only serve the document of the chain.',
  parameters: { chain, address },
  members: pickedFrom(ContractRow),
} as const satisfies EndpointSpec

const id = {
  ...printable,
  description: 'Id of the asset at the source.',
  example: 'bitcoin',
  picks: 'id',
} as const satisfies Parameter<string>

export const sourceIds = endpoint('One asset', {
  name: 'source-ids',
  path: '/ids/:source',
  description: 'The listing of each id of one source, by id.',
  parameters: { source },
  members: { sourceId: z.string(), ...ownListOf(SourceIdRow) },
  keys: ({ directory }) => [...directory.sources.keys()].map((source) => ({ source })),
  body: ({ directory }, { source }) => ({ sourceId: source, rows: directory.sources.get(source) ?? [] }),
})

export const idSources = oneDocument('One asset', {
  name: 'id-sources',
  path: '/ids',
  description: 'The sources whose ids lead to listings.',
  members: ownListOf(IdSourceRow),
  body: ({ directory, sources }) => {
    const labels = new Map(sources.map(({ source_id, source_label }) => [source_id, source_label]))
    const rows = [...directory.sources].toSorted(byKey).map(([source_id, ids]) => ({
      source_id,
      source_label: labels.get(source_id) ?? source_id,
      id_count: ids.length,
    }))
    return { rows }
  },
})

export const sourceIdListing = {
  ...PICKED,
  name: 'source-id',
  path: '/ids/:source/:id',
  description: 'The listing of an id at a source. Static hosts only serve the document of the source.',
  parameters: { source, id },
  members: pickedFrom(SourceIdRow),
} as const satisfies EndpointSpec
