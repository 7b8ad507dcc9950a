import * as z from 'zod'
import { Asset, DetailedRow } from '../core/contract/asset.ts'
import type { ChangeEvent } from '../core/contract/changes.ts'
import { CollectorMembers, SourceRow } from '../core/contract/collector.ts'
import { fileOf } from '../core/contract/endpoint-spec.ts'
import { RequestsMembers } from '../core/contract/listing-request.ts'
import { groupBy, compare } from '../core/contract/order.ts'
import { QuarantineRow } from '../core/contract/quarantine.ts'
import { readJson } from '../core/contract/read-json.ts'
import { markets } from '../core/endpoints/lists.ts'
import { asset } from '../core/endpoints/one-asset.ts'
import { collector, listingRequests, quarantine } from '../core/endpoints/operations.ts'
import { median } from '../core/feed/statistics.ts'
import { LAYOUT } from '../core/tree/layout.ts'
import type { TreeReader } from '../core/tree/reader.ts'
import { listingFacts, eventsBetween } from '../core/history/events.ts'

class ChangesError extends Error {
  override readonly name = 'ChangesError'
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

/**
 * Reads the facts of a published tree.
 *
 * @param beside slugs of the other tree. For those missing in this feed, the profile names the replacement.
 * @throws ChangesError if the list of listings is missing or damaged
 */
async function treeFacts(read: TreeReader, name: string, beside: Iterable<string> = []) {
  const list = readJson(await read(fileOf(markets, {})), Markets)
  if (!list) throw new ChangesError(`${name} has no readable ${fileOf(markets, {})}. Name a published tree.`)
  // A document of another version may lack facts. Missing facts are not compared.
  const sources = readJson(await read(fileOf(collector, {})), Collector)
  const requests = readJson(await read(fileOf(listingRequests, {})), Requests)
  const { rows: held } = readJson(await read(fileOf(quarantine, {})), Quarantine) ?? { rows: [] }
  const heldOf = groupBy(held, ({ slug }) => slug)
  const listings = listingFacts(list.rows.map((row) => ({ ...row, held: heldOf.get(row.slug) ?? [] })))
  const successors = new Map<string, string | null>()
  for (const slug of [...beside].filter((one) => !listings.has(one)))
    successors.set(slug, readJson(await read(fileOf(asset, { slug })), Successor)?.asset.replaced_by ?? null)
  return {
    // What the tree calls its data, such as a sample.
    label: readJson(await read(LAYOUT.index), Index)?.label ?? null,
    listings,
    prices: new Map(list.rows.map(({ slug, price_usd }) => [slug, price_usd])),
    successor: (slug: string) => successors.get(slug) ?? null,
    sources: sources?.rows ?? [],
    methodology: sources?.methodology ?? null,
    requests: requests?.rows ?? [],
  }
}

export type Difference = Awaited<ReturnType<typeof differenceOf>>

/** Compares two trees. @throws ChangesError if one of them is not a published tree */
export async function differenceOf(
  before: { readonly name: string; readonly read: TreeReader },
  after: { readonly name: string; readonly read: TreeReader },
) {
  const old = await treeFacts(before.read, before.name)
  const now = await treeFacts(after.read, after.name, old.listings.keys())
  const events = [...eventsBetween(old, now)]
  const isOther = old.label !== null && now.label !== null && old.label !== now.label
  return {
    verdict: verdictOf(events),
    different_data: isOther ? [old.label, now.label] : null,
    events,
    ticks: ticksBetween(old.prices, now.prices),
  }
}

/**
 * Returns the severity for users of the data, in terms of semantic versioning: major if a listing is gone, minor if one is
 * new, patch for other facts, none for numbers only.
 */
export function verdictOf(events: readonly Pick<ChangeEvent, 'kind'>[]) {
  if (events.some(({ kind }) => kind === 'delisted' || kind === 'renamed')) return 'major'
  if (events.some(({ kind }) => kind === 'listed')) return 'minor'
  return events.length > 0 ? 'patch' : 'none'
}

type Prices = ReadonlyMap<string, number | null>

/** Returns the distribution of the price moves between two trees, in percent; null where nothing moved. */
export function ticksBetween(before: Prices, after: Prices) {
  const both = [...after].flatMap(([slug, now]) => {
    const old = before.get(slug)
    return old === undefined ? [] : [{ slug, old, now }]
  })
  const moves = both.flatMap(({ slug, old, now }) =>
    old === null || now === null || old === now ? [] : [{ slug, percent: round((now / old - 1) * 100) }],
  )
  const strongest = moves.toSorted((a, b) => Math.abs(b.percent) - Math.abs(a.percent) || compare(a.slug, b.slug))
  return {
    compared: both.length,
    moved: moves.length,
    median_percent: moves.length === 0 ? null : round(median(moves.map(({ percent }) => Math.abs(percent)))),
    largest: strongest[0] ?? null,
    lost: both.flatMap(({ slug, old, now }) => (old !== null && now === null ? [slug] : [])),
    gained: both.flatMap(({ slug, old, now }) => (old === null && now !== null ? [slug] : [])),
  }
}

const round = (percent: number): number => Math.round(percent * 100) / 100
