import type * as z from 'zod'
import type { ClosesList, ClosesOfDay } from '../contract/closes.ts'
import type { EndpointSpec, Key } from '../contract/endpoint-spec.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import type { Parameter, ParameterTable } from '../contract/parameters.ts'
import type { TableRow } from '../contract/tables.ts'
import type { Health } from '../feed/health.ts'
import type { Snapshot } from '../feed/snapshot.ts'
import type { SeriesOptions } from '../history/series.ts'
import type { ListingPast, PastClock } from '../history/past.ts'
import type { RunRow, SiteRow } from '../history/row-schemas.ts'
import type { Rows } from '../history/rows.ts'
import type { marketView } from './market-view.ts'

/** The rows of a publication, with everything that is computed from them once for many documents. */
export interface PublicationData
  extends
    Snapshot,
    ReturnType<typeof marketView>,
    Pick<Rows, 'past' | 'pegs' | 'stocks' | 'pastRates' | 'totals' | 'events' | 'requests' | 'seen'> {
  readonly site: SiteRow
  readonly run: RunRow
  readonly methodology: RunRow['methodology']
  readonly runs: Rows['runDays']
  readonly clock: Pick<PastClock, 'grid' | 'latest'>
  /** Returns the past of a listing; an empty one if nothing is known of it. */
  pastOf(this: void, slug: string): ListingPast
  /** Returns what the series of a listing depend on besides its points. */
  seriesOf(this: void, slug: string): SeriesOptions
  readonly closes: {
    readonly list: ClosesList
    /** Days that have a document, oldest first. */
    readonly days: readonly string[]
    of(this: void, day: string): ClosesOfDay
  }
  /** Slugs with candles, and those with daily bars, by slug. */
  readonly candleSlugs: readonly string[]
  readonly dailySlugs: readonly string[]
  /** Number of listings with a value on at least half of the last 365 days. */
  withHistory(this: void): number
}

export interface ComposedSoFar {
  /** Those that the manifest lists. */
  readonly rows: readonly ManifestRow[]
  /** Returns those by part of the manifest. */
  readonly parts: () => ReadonlyMap<string, readonly ManifestRow[]>
  readonly row: (file: string) => ManifestRow | undefined
  /** Returns one digest of files, in order: equal files have equal digests. A Worker composes nothing, and has no such function. */
  readonly digest: (rows: readonly Pick<ManifestRow, 'path' | 'sha256'>[]) => string
  readonly tables: readonly Pick<TableRow, 'table' | 'path' | 'days' | 'schema'>[]
  /** The OpenAPI description of this publication, for the page that shows it; null before it is composed. */
  readonly openApi: () => string | null
}

export const enveloped = (
  endpoint: Endpoint,
  key: Key,
  {
    world,
    product,
    timestamp,
  }: { readonly world: PublicationData; readonly product: string; readonly timestamp: string },
  body: Readonly<Record<string, unknown>>,
) => ({ ok: true, product, endpoint: endpoint.name, timestamp, ...endpoint.health(world, key), ...body })

export const counted = <Row>(rows: readonly Row[]) => ({ count: rows.length, rows })

/** Returns the members of a list. Rows may be whole assets: the schema drops what it lacks. */
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
  keys(world: PublicationData, written?: Pick<ComposedSoFar, 'parts'>): Iterable<Key>
  health(world: PublicationData, key: Key): Health
  /** Names of all that a document shows, see `CHANGES`: it is composed again if one changed. Without this, always. */
  reads?(world: PublicationData, key: Key): readonly string[]
  /** Names of the entries of a map, if their order counts. */
  order?(world: PublicationData, key: Key): readonly string[]
  body(world: PublicationData, key: Key, written: ComposedSoFar): Readonly<Record<string, unknown>>
  /** The rows as they are printed, for a document that would take an object for each of a million rows. */
  lines?(world: PublicationData, key: Key): readonly string[]
  /** The body without its rows; set with `lines`. */
  head?(world: PublicationData, key: Key): Readonly<Record<string, unknown>>
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
  readonly absent?: string
  readonly stamped?: true
  readonly covers?: true
  /** By default one document without a key. */
  keys?(this: void, world: PublicationData, written?: Pick<ComposedSoFar, 'parts'>): Iterable<Key>
  /** By default the health of the lists. */
  health?(this: void, world: PublicationData, key: Named<P>): Health
  reads?(this: void, world: PublicationData, key: Named<P>): readonly string[]
  order?(this: void, world: PublicationData, key: Named<P>): readonly string[]
  body(this: void, world: PublicationData, key: Named<P>, written: ComposedSoFar): Output<M>
  lines?(this: void, world: PublicationData, key: Named<P>): readonly string[]
  head?(this: void, world: PublicationData, key: Named<P>): Readonly<Record<string, unknown>>
}

/** Declares an endpoint. A `:name` in `path` without a parameter, or a body that breaks `members`, does not compile. */
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
export type Attachments = (world: PublicationData, written: ComposedSoFar) => Iterable<Attachment>
