import * as z from 'zod'
import { dayIn } from '../contract/time.ts'
import { Asset, DetailedRow } from '../contract/asset.ts'
import { fileOf } from '../contract/endpoint-spec.ts'
import { readJson } from '../contract/read-json.ts'
import { Slug } from '../contract/words.ts'
import { asset } from '../endpoints/one-asset.ts'
import { markets } from '../endpoints/lists.ts'

const Rows = z.object({
  rows: z.array(DetailedRow.pick({ slug: true, symbol: true, name: true, verification_status: true, contracts: true })),
})
const Document = z.object({
  asset: Asset.pick({ symbol: true, name: true, first_listed: true, replaced_by: true, contracts: true }),
})

/** All slugs that a published tree has ever used. */
export type PublishedSlugs = NonNullable<ReturnType<typeof publishedSlugs>>

/**
 * Returns the slugs of a published tree, or null if it has no list of listings.
 *
 * @param read returns the text of a file of the tree, or null if there is none
 * @throws ZodError or SyntaxError if the list cannot be read
 */
export function publishedSlugs(read: (file: string) => string | null) {
  const list = read(fileOf(markets, {}))
  if (list === null) return null
  const listed = Rows.parse(JSON.parse(list)).rows
  const current = new Set(listed.map(({ slug }) => slug))
  return {
    listed,
    /** Returns a sentence about the former owner of a slug that has a document but left the feed; null for other slugs. */
    formerOwner: (slug: string): string | null => {
      if (current.has(slug) || !Slug.safeParse(slug).success) return null
      const text = read(fileOf(asset, { slug }))
      return text === null ? null : ownerIn(text, slug)
    },
  }
}

function ownerIn(text: string, slug: string): string {
  const document = readJson(text, Document)
  // A slug counts as used even if its document cannot be read.
  if (!document) return `${slug} belonged to a listing whose document cannot be read`
  const { name, symbol, first_listed, replaced_by, contracts } = document.asset
  return [
    `${slug} belonged to ${name} (${symbol})`,
    ...(first_listed === null ? [] : [`first listed ${dayIn(first_listed)}`]),
    replaced_by === null ? 'delisted' : `now ${replaced_by}`,
    ...contracts.map(({ chain, address }) => `${address} on ${chain}`),
  ].join(', ')
}
