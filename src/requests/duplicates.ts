import * as z from 'zod'
import { AssetRow } from '../core/contract/asset.ts'
import { type EndpointSpec, fileOf } from '../core/contract/endpoint-spec.ts'
import { ChainRow, ContractRow } from '../core/contract/identity.ts'
import type { ListingRequestBody } from '../core/contract/listing-request.ts'
import { foldedAddress } from '../core/contract/names.ts'
import { readJson } from '../core/contract/read-json.ts'
import { chainContracts, chains } from '../core/endpoints/identifiers.ts'
import { assets } from '../core/endpoints/lists.ts'
import { type RequestRecord, byAge, isOpen } from './queue.ts'

type ReadFile = (file: string) => string | null | Promise<string | null>

const rowsIn = async <Row extends z.ZodType>(read: ReadFile, spec: EndpointSpec, row: Row, key = {}) =>
  readJson(await read(fileOf(spec, key)), z.object({ rows: z.array(row) }))?.rows ?? []

const PublishedListing = AssetRow.pick({ slug: true, symbol: true, name: true })
export type PublishedListing = z.infer<typeof PublishedListing>

export const listingsIn = (read: ReadFile): Promise<PublishedListing[]> => rowsIn(read, assets, PublishedListing)

const ChainNames = ChainRow.pick({ chain: true, name: true, chain_id: true, aliases: true })
const Contract = ContractRow.pick({ address: true, slug: true })

/** Returns the chain of a tree that has a name, a chain id or a short name; null: there is none. */
export async function chainNamed(read: ReadFile, named: string): Promise<string | null> {
  const rows = await rowsIn(read, chains, ChainNames)
  const found = rows.find(({ chain, name, chain_id, aliases }) =>
    [chain, name.toLowerCase(), String(chain_id ?? chain), ...aliases].includes(named.toLowerCase()),
  )
  return found?.chain ?? null
}

/** Returns the slugs of the listings that have a contract of a request, by the contracts of a tree. */
export async function ownersIn(read: ReadFile, { contracts = [] }: ListingRequestBody): Promise<string[]> {
  const requested = new Set(contracts.map(({ chain, address }) => `${chain} ${foldedAddress(address)}`))
  const owners = [...new Set(contracts.map(({ chain }) => chain))].map(async (named) => {
    const chain = await chainNamed(read, named)
    const rows = chain === null ? [] : await rowsIn(read, chainContracts, Contract, { chain })
    return rows.flatMap(({ address, slug }) => (requested.has(`${named} ${address}`) ? [slug] : []))
  })
  return (await Promise.all(owners)).flat()
}

/** Case is folded and nothing else: a name that only looks alike is another asset. */
export const isNamesake = (one: Pick<PublishedListing, 'name' | 'symbol'>, other: typeof one): boolean =>
  `${one.name} ${one.symbol}`.toLowerCase() === `${other.name} ${other.symbol}`.toLowerCase()

/** Returns the slug of another listing that has a contract of a request, or of a new request's name and symbol. */
export async function listedAlready(body: ListingRequestBody, listings: readonly PublishedListing[], read: ReadFile) {
  const owners = await ownersIn(read, body)
  if (body.request_type !== 'new') return owners.find((slug) => slug !== body.slug)
  return owners[0] ?? listings.find((listing) => isNamesake(listing, body))?.slug
}

/** Returns the oldest open request of the same type for the same asset: the same slug, contract, or name and symbol. */
export function openDuplicate(body: ListingRequestBody, records: readonly RequestRecord[]): RequestRecord | undefined {
  const addresses = new Set(body.contracts?.map(({ address }) => foldedAddress(address)))
  const isSame = (other: ListingRequestBody): boolean =>
    other.request_type === body.request_type &&
    ((body.slug !== undefined && other.slug === body.slug) ||
      isNamesake(other, body) ||
      other.contracts?.some(({ address }) => addresses.has(foldedAddress(address))) === true)
  return records.toSorted(byAge).find((record) => isOpen(record) && isSame(record.body))
}
