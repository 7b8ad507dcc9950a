import type { TokenContract, VerificationStatus } from '../contract/asset.ts'
import type { ListingRequestBody } from '../contract/listing-request.ts'
import type { RequestRecord } from './queue.ts'
import type { Registry } from '../registry/registry.ts'
import { resembles } from './look-alikes.ts'
import { CLOSED } from './decisions.ts'

export interface Known {
  readonly slug: string
  readonly symbol: string
  readonly name: string
  readonly verification_status: VerificationStatus
  readonly contracts: readonly Pick<TokenContract, 'chain' | 'address'>[]
}

/**
 * Returns hints for the reviewer, the most severe first; none for closed requests. No submitted URL is fetched.
 */
export function hintsOf(
  { body, status, listing }: RequestRecord,
  known: readonly Known[],
  registry: Registry,
  formerOwner: (slug: string) => string | null = () => null,
): string[] {
  if (status === 'approved') return lostEntry(body, listing, known, registry)
  if (CLOSED.has(status)) return []
  const own = body.request_type === 'new' ? null : body.slug
  const others = known.filter(({ slug }) => slug !== own)
  const owners = new Map(
    others.flatMap(({ slug, contracts }) =>
      contracts.map(({ chain, address }) => [`${chain} ${address}`, slug] as const),
    ),
  )
  const contracts = contractsOf(body, registry)
  const former = body.request_type === 'new' && body.slug !== undefined ? formerOwner(body.slug) : null
  const isName = resembles(body.name)
  return [
    ...contracts.flatMap(({ chain, address }) => {
      const owner = owners.get(`${chain} ${address}`)
      return owner === undefined ? [] : [`contract already listed: ${owner} has ${address} on ${chain}`]
    }),
    ...others
      .filter(({ name }) => isName(name))
      .map(({ slug, verification_status }) => `look-alike name: ${slug} (${verification_status})`),
    ...others
      .filter(({ symbol, verification_status }) => symbol === body.symbol && verification_status === 'verified')
      .map(({ slug }) => `same symbol as the verified ${slug}`),
    ...(former === null ? [] : [`requests a used slug: ${former}`]),
    ...strangeChains(body, registry).map((chain) => `chain unknown: ${chain}`),
    ...(own === null || known.some(({ slug }) => slug === own)
      ? []
      : [`no listing has the slug ${own ?? '(none given)'}`]),
  ]
}

/** An approved request without a registry entry would never be listed. */
function lostEntry(
  { request_type }: ListingRequestBody,
  listing: string | null,
  known: readonly Known[],
  registry: Registry,
): string[] {
  const isThere = [...known, ...registry.assets].some(({ slug }) => slug === listing)
  return request_type !== 'new' || isThere
    ? []
    : [`approved as ${listing ?? 'nothing'}, which is not in the registry. Approve it again`]
}

/** Returns the contracts on known chains, in the registry's spelling. Requests may use the chain names of any aggregator. */
export const contractsOf = (body: ListingRequestBody, registry: Registry): { chain: string; address: string }[] =>
  (body.contracts ?? []).flatMap(({ chain, address }) => {
    const known = chainOf(chain, registry)
    return known === null ? [] : [{ chain: known, address: registry.normalizeAddress(known, address) }]
  })

/** Returns the unknown chains of a request. */
export const strangeChains = (body: ListingRequestBody, registry: Registry): string[] => [
  ...new Set((body.contracts ?? []).flatMap(({ chain }) => (chainOf(chain, registry) === null ? [chain] : []))),
]

const SPELLINGS = ['coingecko', 'coinpaprika', 'dexscreener', 'geckoterminal']

function chainOf(name: string, registry: Registry): string | null {
  const wanted = name.toLowerCase()
  return SPELLINGS.map((source) => registry.chainOf(source, wanted)).find((chain) => chain !== null) ?? null
}
