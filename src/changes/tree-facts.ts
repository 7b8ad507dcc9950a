import * as z from 'zod'
import { Asset, DetailedRow } from '../contract/asset.ts'
import { CollectorMembers, SourceRow } from '../contract/collector.ts'
import { fileOf } from '../contract/endpoint-spec.ts'
import { RequestsMembers } from '../contract/listing-request.ts'
import { asset } from '../endpoints/one-asset.ts'
import { quarantine, collector } from '../endpoints/operations.ts'
import { listingRequests } from '../endpoints/listing-requests.ts'
import { markets } from '../endpoints/lists.ts'
import { QuarantineRow } from '../contract/quarantine.ts'
import { readJson } from '../contract/read-json.ts'
import { groupBy } from '../feed/group-by.ts'
import { LAYOUT } from '../tree/layout.ts'
import type { TreeReader } from '../tree/reader.ts'
import { type Facts, listingFacts } from './facts.ts'

/** A tree that cannot be compared. */
class ChangesError extends Error {
  override readonly name = 'ChangesError'
}

/** Facts and prices for the comparison of two trees. */
interface TreeFacts extends Facts {
  /** What the tree calls its data, such as a sample; null if it does not say. */
  readonly label: string | null
  readonly prices: ReadonlyMap<string, number | null>
}

const Markets = z.object({
  rows: z.array(
    DetailedRow.pick({
      slug: true,
      symbol: true,
      name: true,
      verification_status: true,
      contracts: true,
      source_label: true,
      listing_status: true,
      price_usd: true,
    }),
  ),
})
const Collector = z.object({
  rows: z.array(SourceRow.pick({ source_id: true, source_label: true, error: true })),
  methodology: CollectorMembers.methodology,
})
const Quarantine = z.object({ rows: z.array(QuarantineRow) })
const Index = z.object({ label: z.string() })
const Requests = z.object({ rows: RequestsMembers.rows })
const Successor = z.object({ asset: Asset.pick({ replaced_by: true }) })

const heldRows = async (read: TreeReader): Promise<readonly QuarantineRow[]> =>
  readJson(await read(fileOf(quarantine, {})), Quarantine)?.rows ?? []

/**
 * Reads the facts of a published tree.
 *
 * @param beside slugs of the other tree. For those missing in this feed, the profile tells the replacement.
 * @throws ChangesError if the list of listings is missing or damaged
 */
export async function treeFacts(read: TreeReader, name: string, beside: Iterable<string> = []): Promise<TreeFacts> {
  const list = readJson(await read(fileOf(markets, {})), Markets)
  if (!list) throw new ChangesError(`${name} has no readable ${fileOf(markets, {})}. Name a published tree.`)
  // A document of another version may lack facts. Missing facts are not compared.
  const [sources, requests] = [
    readJson(await read(fileOf(collector, {})), Collector),
    readJson(await read(fileOf(listingRequests, {})), Requests),
  ]
  const heldOf = groupBy(await heldRows(read), ({ slug }) => slug)
  const listings = listingFacts(list.rows.map((row) => ({ ...row, held: heldOf.get(row.slug) ?? [] })))
  const gone = [...beside].filter((slug) => !listings.has(slug))
  const successors = new Map<string, string | null>()
  for (const slug of gone)
    successors.set(slug, readJson(await read(fileOf(asset, { slug })), Successor)?.asset.replaced_by ?? null)
  return {
    label: readJson(await read(LAYOUT.index), Index)?.label ?? null,
    listings,
    prices: new Map(list.rows.map(({ slug, price_usd }) => [slug, price_usd])),
    successor: (slug) => successors.get(slug) ?? null,
    sources: sources?.rows ?? [],
    methodology: sources?.methodology ?? null,
    requests: requests?.rows ?? [],
  }
}
