import { brotliCompressSync } from 'node:zlib'
import type { Asset } from '../../src/core/contract/asset.ts'
import type { SourceRow } from '../../src/core/contract/collector.ts'
import type { Market } from '../../src/core/contract/market.ts'
import { NOTHING_COMPOSED, compose } from '../../src/core/endpoints/compose.ts'
import type { Endpoint, PublicationData } from '../../src/core/endpoints/endpoint.ts'
import { worldOf as worldOfRows } from '../../src/core/endpoints/world.ts'
import { feedOf } from '../../src/core/feed/feed.ts'
import { NOTHING_BEFORE } from '../../src/core/feed/listing.ts'
import { METHODOLOGY } from '../../src/core/feed/methodology.ts'
import { type SnapshotRows, type Snapshot, snapshotOf } from '../../src/core/feed/snapshot.ts'
import { NO_ROWS, type Rows, type SiteRow } from '../../src/core/history/rows.ts'
import { collect } from '../../src/core/sources/collect.ts'
import { openRegistry } from '../../src/core/registry/registry.ts'
import { SAMPLE_SPELLINGS, sampleSources } from '../../src/core/sources/sample/sample.ts'
import { AT, NOW, inputOf } from '../feed/world.ts'
import { SITE } from '../sample-tree.ts'

export const rowsOf = (snapshot: Snapshot, members: SiteRow['members'] = []): Rows => ({
  ...NO_ROWS,
  site: { ...SITE, members },
  run: {
    at: snapshot.at,
    next_at: snapshot.at,
    cadence_ms: 1_800_000,
    label: 'test',
    latest: snapshot.at,
    methodology: METHODOLOGY,
    inputs: '',
    token_list: { major: 1, minor: 0, patch: 0, timestamp: snapshot.at },
    commit: null,
  },
  listings: new Map(snapshot.listings.map((listing) => [listing.asset.slug, listing])),
  sources: new Map(snapshot.sources.map((row) => [row.source_id, row])),
  rates: new Map(snapshot.rates.map((rate) => [rate.symbol, rate])),
  pairs: snapshot.pairs,
})

const worldWithoutPast = (...given: Parameters<typeof rowsOf>): PublicationData => worldOfRows(rowsOf(...given))

export const worldOf = (
  listings: readonly (readonly [asset: Asset, ...markets: readonly Market[]])[],
  given: Partial<SnapshotRows> = {},
): PublicationData =>
  worldWithoutPast(
    snapshotOf(NOTHING_BEFORE, {
      at: AT,
      listings: listings.map(([asset, ...markets]) => ({ asset, markets })),
      pairs: [],
      sources: [],
      rates: [],
      ...given,
    }),
  )

/** The world that the sample sources tell of. 1,250 rows make the 1,252 listings of `npm run snapshot -- --sources sample`. */
export async function sampleWorld(count = 1250): Promise<PublicationData> {
  const registry = openRegistry({ label: 'sample registry', spelledAs: SAMPLE_SPELLINGS })
  const reports = await collect(sampleSources(NOW, count), {
    at: NOW,
    now: () => 0,
    signal: new AbortController().signal,
    connect: () => ({
      stats: { requests: 0, retries: 0, bytes: 0 },
      json: () => Promise.reject(new Error('the sample makes no request')),
      close: async () => {},
    }),
    wants: () => ({ listings: null, profiles: () => [], tokens: [] }),
  })
  const members = registry.assets.flatMap(({ slug, ecosystem }) => (ecosystem ? [{ slug, ...ecosystem }] : []))
  return worldWithoutPast(feedOf({ ...inputOf(reports), now: NOW, registry, reports }).snapshot, members)
}

/** The texts of these endpoints' documents by file, below the API's folder and without the ending. */
export function documentsOf(world: PublicationData, ...endpoints: readonly Endpoint[]): ReadonlyMap<string, string> {
  const tables = { path: 'state/tables.json', bytes: 0, sha256: '', timestamp: world.at }
  const composition = { endpoints, attachments: [], tables: () => [] }
  const documents = compose(composition, world, NOTHING_COMPOSED, () => tables)
  return new Map(
    [...documents].map(({ path, content }) => [path.slice('api/mkt/'.length, -'.json'.length), String(content)]),
  )
}

export const brotliBytes = (text: string | undefined): number => brotliCompressSync(text ?? '').byteLength

/** Health of a source that answered; an exchange by default. */
export const sourceRowOf = (source_id: string, given: Partial<SourceRow> = {}): SourceRow => ({
  source_id,
  source_label: source_id,
  source_type: 'exchange',
  status: 'ok',
  last_attempt: AT,
  asked: true,
  last_success: null,
  consecutive_failures: 0,
  failing_since: null,
  asset_count: 0,
  market_count: 0,
  quarantined_count: 0,
  error: null,
  terms_url: null,
  rights: { class: 'open', terms_url: null, read_on: null, attribution: null },
  unavailable_from: [],
  row_count: 0,
  used_count: 0,
  unmatched_count: 0,
  dead_count: 0,
  price_factor: null,
  outlier_count: 0,
  needed_count: 0,
  quota: null,
  quarantine_reasons: [],
  ...given,
})
