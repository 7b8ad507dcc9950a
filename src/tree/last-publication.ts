import * as z from 'zod'
import { IndexMembers } from '../contract/api-index.ts'
import { Asset } from '../contract/asset.ts'
import { CollectorMembers, type Methodology, SourceRow } from '../contract/collector.ts'
import { DexPair } from '../contract/dex-pair.ts'
import { RequestRow } from '../contract/listing-request.ts'
import { Market } from '../contract/market.ts'
import { QuarantineRow } from '../contract/quarantine.ts'
import { PREFIX } from '../contract/words.ts'
import { type Listing, NOTHING_BEFORE, type Previous } from '../feed/listing.ts'
import { hashOf } from '../endpoints/compose.ts'
import type { Tree } from './tree.ts'

/** What a tree says of itself and its last publication. */
export interface LastPublication extends Previous {
  /** The index's label; null where nothing was published yet. */
  readonly label: string | null
  /** Files that could not be read back. What they held is made anew from the sources. */
  readonly damaged: readonly string[]
  readonly methodology: Methodology | null
  readonly requests: readonly RequestRow[]
  readonly manifest: { readonly snapshotId: string; readonly sha256: string } | null
}

/** Before the first publication. */
export const NOTHING_PUBLISHED: LastPublication = {
  ...NOTHING_BEFORE,
  label: null,
  damaged: [],
  methodology: null,
  requests: [],
  manifest: null,
}

const Index = z.object({ label: IndexMembers.label })
const Collector = z.object({
  rows: z.array(SourceRow),
  referenceRates: CollectorMembers.referenceRates,
  methodology: CollectorMembers.methodology,
})
const Requests = z.object({ rows: z.array(RequestRow) })
const Quarantine = z.object({ rows: z.array(QuarantineRow) })
const Manifest = z.object({ snapshotId: z.string() })
const Pairs = z.object({ rows: z.array(DexPair) })
const Profile = z.object({ asset: Asset })
const Markets = z.object({ rows: z.array(Market) })

const API = PREFIX.slice(1)
const PROFILE = new RegExp(`^${API}/assets/([a-z0-9-]+)\\.json$`)

/** Reads the state that a run extends: the published documents, and nothing else. */
export function lastPublication(tree: Tree): LastPublication {
  const damaged: string[] = []
  const read = <Schema extends z.ZodType>(file: string, schema: Schema): z.infer<Schema> | null => {
    const text = tree.read(file)
    if (text === null) {
      if (tree.damaged.includes(file)) damaged.push(file)
      return null
    }
    const result = schema.safeParse(jsonOf(text))
    if (result.success) return result.data
    damaged.push(file)
    return null
  }
  const listings = new Map<string, Listing>()
  for (const file of tree.files) {
    const slug = PROFILE.exec(file)?.[1]
    const profile = slug === undefined ? null : read(file, Profile)
    if (slug === undefined || profile === null) continue
    listings.set(slug, {
      asset: profile.asset,
      markets: read(`${API}/assets/${slug}/markets.json`, Markets)?.rows ?? [],
    })
  }
  const collector = read(`${API}/collector.json`, Collector)
  return {
    label: read(`${API}.json`, Index)?.label ?? null,
    listings,
    sources: new Map(collector?.rows.map((row) => [row.source_id, row])),
    rates: new Map(collector?.referenceRates.map((rate) => [rate.symbol, rate])),
    pairs: read(`${API}/dex-pairs.json`, Pairs)?.rows ?? [],
    quarantine: new Map(read(`${API}/quarantine.json`, Quarantine)?.rows.map((row) => [row.slug, row])),
    damaged,
    methodology: collector?.methodology ?? null,
    requests: read(`${API}/listing-requests.json`, Requests)?.rows ?? [],
    manifest: manifestOf(tree.read(`${API}/manifest.json`)),
  }
}

function manifestOf(text: string | null): LastPublication['manifest'] {
  const result = Manifest.safeParse(text === null ? null : jsonOf(text))
  return text !== null && result.success ? { snapshotId: result.data.snapshotId, sha256: hashOf(text) } : null
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON is one more way of not fitting the schema; the caller names the file.
    return undefined
  }
}
