import type * as z from 'zod'
import type { EndpointSpec, Key } from '../contract/endpoint-spec.ts'
import { HEALTHY } from '../contract/envelope.ts'
import type { ManifestRow, TableFile } from '../contract/manifest.ts'
import type { Parameter, ParameterTable } from '../contract/parameters.ts'
import { entriesIn } from '../contract/text.ts'
import type { Health } from '../feed/health.ts'
import type { worldOf } from './world.ts'

/** The rows of a publication, with everything that is computed from them once for many documents. */
export type PublicationData = ReturnType<typeof worldOf>

export interface ComposedSoFar {
  /** Those that the manifest lists. */
  readonly rows: readonly ManifestRow[]
  readonly parts: () => ReadonlyMap<string, readonly ManifestRow[]>
  readonly row: (file: string) => ManifestRow | undefined
  /** Returns one digest of files, in order: equal files have equal digests. A Worker composes nothing, and has no such function. */
  readonly digest: (rows: readonly Pick<ManifestRow, 'path' | 'sha256'>[]) => string
  readonly tables: readonly TableFile[]
  /** The OpenAPI description of this publication, for the page that shows it; null before it is composed. */
  readonly openApi: () => string | null
}

/** Returns what a document is of. @throws Error if there is none, as for a key that no document has */
export function existing<Value>(value: Value | null | undefined, what: string): Value {
  if (value === undefined || value === null) throw new Error(`there is no document of the ${what}`)
  return value
}

export const entryAt = <Value>(values: ReadonlyMap<string, Value>, key: string): Value =>
  existing(values.get(key), `key ${key}`)

type Members = Readonly<Record<string, z.ZodType>>
type Listed<T> = T extends (infer Row)[] ? readonly Row[] : T
/** What a body says, without the counts, see {@link composedBody}. Rows may be whole assets: the schema drops what it lacks. */
type Output<M extends Members> = {
  readonly [Name in Exclude<keyof M, 'count' | 'total'>]: Listed<z.output<M[Name]>>
} & { readonly count?: number; readonly total?: number }
export type Named<P> = { readonly [Name in keyof P]: P[Name] extends Parameter<infer Value> ? Value : never }
/** `/assets/:slug/markets` -> 'slug' */
export type PathNames<Path extends string> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | PathNames<`/${Tail}`>
    : Rest
  : never

interface Documents<Parameters, Body> {
  /** Set on a document about the run rather than the data: it changes with every run. */
  readonly stamped?: true
  /** Set on a document built from the digests of all documents before it. */
  readonly covers?: true
  /** By default one document without a key. */
  keys?(this: void, world: PublicationData, written: ComposedSoFar): Iterable<Key>
  /** By default that of the lists, or of none in groups that do not depend on it. */
  health?(this: void, world: PublicationData, key: Parameters): Health
  /** Names of all that a document shows, see `CHANGES`: it is composed again if one changed. Without this, always. */
  reads?(this: void, world: PublicationData, key: Parameters): readonly string[]
  /** Names of the entries of a map, if their order counts. */
  order?(this: void, world: PublicationData, key: Parameters): readonly string[]
  body(this: void, world: PublicationData, key: Parameters, written: ComposedSoFar): Body
}

export interface Endpoint extends EndpointSpec, Documents<Key, Readonly<Record<string, unknown>>> {
  keys(this: void, world: PublicationData, written: ComposedSoFar): Iterable<Key>
  health(this: void, world: PublicationData, key: Key): Health
}

/** Returns the members of a document, those that its schema lacks among them. A list has its counts, unless it says others. */
export function composedBody(endpoint: Endpoint, world: PublicationData, key: Key, written: ComposedSoFar) {
  const body = endpoint.body(world, key, written)
  return { count: entriesIn(body), total: world.listed.length, ...body }
}

/** An endpoint whose name, path, parameters and members are known to the compiler. */
interface TypedEndpoint<
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

interface Declared<Name extends string, Path extends string, P extends ParameterTable, M extends Members>
  extends Documents<Named<P>, Output<M>>, Pick<EndpointSpec, 'description' | 'absent'> {
  readonly name: Name
  readonly path: Path
  readonly members: M
}

type Group = EndpointSpec['group']

/** The past and what is known of operations do not depend on how the sources are now. */
const HEALTHY_GROUPS: readonly Group[] = ['History', 'Operations']

const defaultsOf = (group: Group) =>
  ({
    method: 'GET',
    group,
    parameters: {},
    keys: (): Iterable<Key> => [{}],
    health: (world: PublicationData): Health => (HEALTHY_GROUPS.includes(group) ? HEALTHY : world.health),
  }) as const

/** Declares an endpoint. A `:name` in `path` without a parameter, or a body that breaks `members`, does not compile. */
export const endpoint = <
  const Name extends string,
  const Path extends string,
  const P extends ParameterTable,
  const M extends Members,
>(
  group: Group,
  declared: Declared<Name, Path, P, M> & { readonly parameters: P & Readonly<Record<PathNames<Path>, Parameter>> },
): TypedEndpoint<Name, Path, P, M> => ({ ...defaultsOf(group), ...declared })

// oxlint-disable-next-line typescript/no-generated-empty-object-type -- an endpoint without parameters
type NoParameters = Record<never, never>

export const oneDocument = <const Name extends string, const Path extends string, const M extends Members>(
  group: Group,
  declared: Declared<Name, Path, NoParameters, M>,
): TypedEndpoint<Name, Path, NoParameters, M> => ({ ...defaultsOf(group), ...declared })

/** A file of the tree that is not an answer of the API, such as a page, an export or a feed. */
export interface Attachment {
  /** Relative to the tree's root: `openapi.json`, `api/mkt/assets.csv`. */
  readonly path: string
  readonly text: string
}

/** Builds attachments from the same world as the documents. Equal worlds give equal texts. */
export type Attachments = (world: PublicationData, written: ComposedSoFar) => Iterable<Attachment>
