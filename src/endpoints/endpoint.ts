import type * as z from 'zod'
import type { BlockLayout } from '../contract/blocks.ts'
import type { ChangeEvent } from '../contract/changes.ts'
import type { RunDay } from '../contract/collector.ts'
import type { EndpointSpec, Key } from '../contract/endpoint-spec.ts'
import type { Days, Point, SeriesMembers } from '../contract/history.ts'
import type { RequestsMembers } from '../contract/listing-request.ts'
import type { ManifestList } from '../contract/manifest-parts.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import type { Parameter, ParameterTable } from '../contract/parameters.ts'
import type { Health } from '../feed/health.ts'
import type { Snapshot } from '../feed/snapshot.ts'
import type { CandleSeries } from '../history/candle-series.ts'
import type { ExtendedCloses } from '../history/closes.ts'
import type { Keyed } from '../history/keyed.ts'
import type { DailySeries } from '../contract/daily.ts'
import type { RatesOfYear } from '../contract/rates.ts'
import type { Totals } from '../contract/whole-market.ts'

/** One range of an asset's history, as published. */
type SeriesAnswer = z.infer<z.ZodObject<typeof SeriesMembers>> & {
  readonly count: number
  readonly rows: readonly Point[]
}

export interface Changes {
  /** Days with events, newest first. */
  readonly days: readonly string[]
  /** Events of this run. */
  readonly events: readonly ChangeEvent[]
  /** Newest first. */
  readonly latest: readonly ChangeEvent[]
  /** Whether this run added events to the day. */
  isChanged(this: void, day: string): boolean
  /** Events of a day, newest first. */
  rowsOf(this: void, day: string): readonly ChangeEvent[]
}

interface Provenance {
  /** Digests of the last manifest; null if there is none. */
  readonly before: { readonly rowsDigest: string; readonly sha256: string } | null
  /** SHA-256 of the source data. */
  readonly inputs: string
  /** Commit of the program that built it; null if unknown. */
  readonly commit: string | null
}

/** A snapshot with everything else that documents are built from. */
export interface World extends Snapshot {
  /** The ranges of one asset's history that changed. */
  changedSeries(slug: string): ReadonlyMap<Days, SeriesAnswer>
  /** One range of an asset's history, changed or not. Lost data counts as missing. */
  seriesOf(slug: string, days: Days): SeriesAnswer
  /** The ranges of one asset's candles that changed. */
  changedCandles(slug: string): ReadonlyMap<Days, CandleSeries>
  /** One range of an asset's candles, changed or not. */
  candlesOf(slug: string, days: Days): CandleSeries
  readonly closes: ExtendedCloses
  /** The daily bars of listings since they were listed. */
  readonly daily: Keyed<DailySeries>
  readonly pastRates: Keyed<RatesOfYear>
  /** The totals of the market, categories and chains by day. */
  readonly totals: Keyed<Totals>
  /** The values of `sparkline_7d` of a listing. */
  sparklineOf(slug: string): readonly (number | null)[]
  /** Number of listings with a value on at least half of the last 365 days. */
  withHistory(this: void): number
  /** Runs by day, this one included, oldest first. */
  readonly runs: readonly RunDay[]
  readonly requests: z.infer<z.ZodObject<typeof RequestsMembers>>
  readonly changes: Changes
  readonly provenance: Provenance
  /** Text of a file of the last publication; null if there is none. */
  last(this: void, file: string): string | null
}

/** The documents composed so far in this publication. */
export interface Written {
  /** Which documents are in blocks; null: none. */
  readonly layout: BlockLayout | null
  readonly rows: readonly ManifestRow[]
  /** The lists of the manifest, from the lowest up; none before all files are composed. */
  readonly lists: () => readonly ManifestList<ManifestRow>[]
  /** Those that the manifest has rows of. */
  readonly topLists: () => readonly ManifestList<ManifestRow>[]
  /** Row of a list, or of another document that covers others, that is already composed. */
  readonly covering: (file: string) => ManifestRow
  /** SHA-256 of a file that is already composed. */
  readonly sha256: (file: string) => string
  /** One digest of the rows of the manifest and, once it is composed, of itself. Equal data has equal digests. */
  readonly digest: () => string
  /** The OpenAPI description of this publication, for the page that shows it; null before it is composed. */
  readonly openApi: () => string | null
}

/** Returns an answer with its envelope, before validation. */
export const enveloped = (
  endpoint: Endpoint,
  key: Key,
  { world, product, timestamp }: { readonly world: World; readonly product: string; readonly timestamp: string },
  body: Readonly<Record<string, unknown>>,
) => ({ ok: true, product, endpoint: endpoint.name, timestamp, ...endpoint.health(world, key), ...body })

/** Returns the members of a list with its number of rows. */
export const counted = <Row>(rows: readonly Row[]) => ({ count: rows.length, rows })

/**
 * Returns the members of a list with its number of rows and that of all listings. Rows may be whole assets: the schema of the
 * endpoint drops the members it lacks.
 */
export const listRows = <Row>({ listed }: Pick<Snapshot, 'listed'>, rows: readonly Row[]) => ({
  count: rows.length,
  total: listed.length,
  rows,
})

type Members = Readonly<Record<string, z.ZodType>>
type Listed<T> = T extends (infer Row)[] ? readonly Row[] : T
type Output<M extends Members> = { readonly [Name in keyof M]: Listed<z.input<M[Name]>> }
type Named<P> = { readonly [Name in keyof P]: P[Name] extends Parameter<infer Value> ? Value : never }
/** `/assets/:slug/markets` -> 'slug' */
type PathNames<Path extends string> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | PathNames<`/${Tail}`>
    : Rest
  : never

/** An endpoint: its declaration in the API, and the documents that implement it. */
export interface Endpoint extends EndpointSpec {
  /** Set on a document about the run rather than the data: it changes with every run. */
  readonly stamped?: true
  /** Set on a document built from the digests of all documents before it. */
  readonly covers?: true
  keys(world: World, written?: Pick<Written, 'lists'>): Iterable<Key>
  health(world: World, key: Key): Health
  /** Whether the body equals that of the last publication, if that is known without building it. */
  isUnchanged?(world: World, key: Key, written: Written): boolean
  /** Names of the entries of a map, if their order counts. */
  order?(world: World, key: Key): readonly string[]
  /** Builds the whole body, even if it is unchanged: the last publication may have lost its document. */
  body(world: World, key: Key, written: Written): Readonly<Record<string, unknown>>
  /** The rows of the body as they are printed, checked by the endpoint; without this, they are checked with the body. */
  lines?(world: World, key: Key): readonly string[]
}

/** An endpoint whose name, path, parameters and members are known to the compiler. */
export interface TypedEndpoint<
  Name extends string,
  Path extends string,
  P extends ParameterTable,
  M extends Members,
> extends Endpoint {
  readonly name: Name
  readonly method: 'GET'
  readonly path: Path
  readonly parameters: P
  readonly members: M
}

interface Declared<Name extends string, Path extends string, P extends ParameterTable, M extends Members> {
  readonly name: Name
  readonly group: EndpointSpec['group']
  readonly path: Path
  readonly description: string
  /** By default the path. */
  readonly example?: string
  readonly parameters: P & Readonly<Record<PathNames<Path>, Parameter>>
  readonly members: M
  readonly stamped?: true
  readonly covers?: true
  /** By default one document without a key. */
  keys?(this: void, world: World, written?: Pick<Written, 'lists'>): Iterable<Key>
  /** By default the health of the lists. */
  health?(this: void, world: World, key: Named<P>): Health
  isUnchanged?(this: void, world: World, key: Named<P>, written: Written): boolean
  order?(this: void, world: World, key: Named<P>): readonly string[]
  body(this: void, world: World, key: Named<P>, written: Written): Output<M>
  lines?(this: void, world: World, key: Named<P>): readonly string[]
}

/**
 * Declares an endpoint with documents. A `:name` in `path` without a parameter of that name, or a body that breaks
 * `members`, does not compile.
 */
export function endpoint<
  const Name extends string,
  const Path extends string,
  const P extends ParameterTable,
  const M extends Members,
>(declared: Declared<Name, Path, P, M>): TypedEndpoint<Name, Path, P, M> {
  return { method: 'GET', example: declared.path, keys: () => [{}], health: (world) => world.health, ...declared }
}

/** A file of the tree that is not an answer of the API, such as a page, an export or a feed. */
export interface Attachment {
  /** Relative to the tree's root: `openapi.json`, `api/mkt/assets.csv`. */
  readonly path: string
  readonly text: string
}

/** Builds attachments from the same world as the documents. Equal worlds give equal texts. */
export type Attachments = (world: World, written: Written) => Iterable<Attachment>
