import { link, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileOf } from '../core/contract/endpoint-spec.ts'
import type { ListingRequestBody } from '../core/contract/listing-request.ts'
import { freeSlug } from '../core/contract/names.ts'
import { asset } from '../core/endpoints/one-asset.ts'
import { type Registry, openRegistry } from '../core/registry/registry.ts'
import { Entry } from '../core/registry/schema.ts'
import { ownersIn } from './duplicates.ts'
import { placeFile } from './folder-queue.ts'
import { type Queue, QueueError, type RequestRecord, ReviewError, decide } from './queue.ts'

export interface AcceptanceEdge {
  readonly queue: Queue
  /** Folder with a file for each reviewed asset, and all entries of the registry, of which it has some. */
  readonly folder: string
  readonly entries: () => readonly unknown[]
  readonly read: (file: string) => string | null
  readonly now: number
  /** Public text that replaces the usual one. */
  readonly reason?: string | undefined
  /** Shows the reviewer what will be written, and asks. */
  readonly confirm: (text: string) => Promise<boolean>
}

/**
 * Accepts a request for a new listing: shows the asset's file, asks, writes the file, and then the decision. If another
 * reviewer decided meanwhile, the file is removed again.
 *
 * @returns the accepted request; null if the reviewer did not confirm
 * @throws ReviewError if the request cannot be accepted
 */
export async function accept(record: RequestRecord, edge: AcceptanceEdge): Promise<RequestRecord | null> {
  const { queue, folder, entries, read, now, reason, confirm } = edge
  const { body } = record
  const name = relative('.', folder)
  const registry = openRegistry({ assets: entries(), file: name })
  const { contracts, unknown } = contractsOf(body, registry)
  const present = registry.assets.find(
    (entry) =>
      (entry.name === body.name && entry.symbol === body.symbol) ||
      registry
        .contractsOf(entry)
        .some((own) => contracts.some((one) => one.chain === own.chain && one.address === own.address)),
  )
  const [owner] = present ? [] : await ownersIn(read, body)
  if (owner !== undefined)
    throw new ReviewError(`${owner} has this contract already. Reject the request, or edit ${owner} in ${name}.`)
  const entry = present ?? proposedEntry(body, registry, read)
  const { slug } = entry
  const accepted = (current: RequestRecord) =>
    decide(current, 'accepted', reason ?? `It will be listed as ${slug}.`, now)
  // A request that cannot be accepted is refused before the question.
  accepted(record)
  const text = `${JSON.stringify(entry, null, 2)}\n`
  const added = `+++ ${name}/${slug}.json\n${text.trimEnd().replaceAll(/^/gm, '+')}`
  const shown = present ? `${name} has the asset already, as ${slug}.` : added
  const leftOut = unknown.length === 0 ? '' : `\nLeft out: contracts on unknown chains (${unknown.join(', ')}).`
  if (!(await confirm(shown + leftOut))) return null
  const file = join(folder, `${slug}.json`)
  if (!present && !(await placeFile(file, text, link, 0o644)))
    throw new ReviewError(`${relative('.', file)} is there already, written by another reviewer.`)
  try {
    if (!present) openRegistry({ assets: entries(), file: name })
    const after = await queue.update(record.request_id, accepted)
    if (!after) throw new ReviewError(`The request ${record.request_id} no longer exists.`)
    return after
  } catch (error) {
    // If the queue did not answer, the decision may be stored: the file stays, and the next attempt finds it.
    if (!present && !(error instanceof QueueError)) await rm(file)
    throw error
  }
}

/**
 * Returns the registry entry of a request, with reviewed members only, under a slug that no listing has or had. Contracts on
 * unknown chains are left out. Venue symbols are never set, so that the asset takes no market from another one.
 */
export function proposedEntry(body: ListingRequestBody, registry: Registry, read: (file: string) => string | null) {
  const has = (slug: string) =>
    registry.assets.some((one) => one.slug === slug) || read(fileOf(asset, { slug })) !== null
  const { symbol, name, asset_type, description, website, twitter, telegram, discord } = body
  return Entry.parse({
    slug: freeSlug([body.slug ?? name, name, symbol], { has }),
    symbol,
    name,
    asset_type,
    description,
    contracts: contractsOf(body, registry).contracts.map((contract) => ({ ...contract, decimals: null })),
    links: { website, twitter, telegram, discord, whitepaper: body.whitepaper_url, source_code: body.source_code_url },
  })
}

/** Sources whose names of chains a request may use. */
const SPELLINGS = ['coingecko', 'coinpaprika', 'dexscreener', 'geckoterminal']

/** Returns the contracts of a request on known chains, in the registry's spelling, and the other chains. */
function contractsOf({ contracts: given = [] }: ListingRequestBody, registry: Registry) {
  const chainNamed = (name: string) =>
    SPELLINGS.map((source) => registry.chainOf(source, name.toLowerCase())).find((chain) => chain !== null)
  const contracts = given.flatMap(({ chain: name, address }) => {
    const chain = chainNamed(name)
    return chain ? [{ chain, address: registry.normalizeAddress(chain, address) }] : []
  })
  const unknown = given.flatMap(({ chain }) => (chainNamed(chain) ? [] : chain))
  return { contracts, unknown: [...new Set(unknown)] }
}
