import * as z from 'zod'
import { IndexMembers, type EndpointEntry } from '../contract/api-index.ts'
import {
  type EndpointSpec,
  documentPath,
  pathKey,
  pickingParameter,
  urlOf,
  fileOf,
  queryParameters,
} from '../contract/endpoint-spec.ts'
import { by } from '../contract/order.ts'
import { OPENAPI_FILE, TABLE_LIST } from '../contract/paths.ts'
import { PREFIX } from '../contract/prefix.ts'
import { STATE_VERSION, VERSION } from '../contract/words.ts'
import {
  type Endpoint,
  type NoParameters,
  type PublicationData,
  type ComposedSoFar,
  type TypedEndpoint,
  oneDocument,
} from './endpoint.ts'
import { manifest } from './manifest.ts'
import { changes, collector } from './operations.ts'

const Rows = z.object({ rows: z.array(z.record(z.string(), z.unknown())) })

/** Returns a request that this tree answers: the declared example, or one for the first document; null: none. */
export function exampleIn(
  spec: EndpointSpec,
  endpoints: readonly Endpoint[],
  world: PublicationData,
  written: ComposedSoFar,
): string | null {
  const [declared = '', query] = spec.example.split('?')
  const [path, picking] = [documentPath(spec), pickingParameter(spec)]
  const [parent, picked] = picking ? [declared.replace(/\/[^/]*$/, ''), declared.split('/').at(-1)] : [declared]
  const own = pathKey({ ...spec, path }, parent)
  const documents = endpoints.find((one) => one.path === path && (picking !== null || path.includes('/:')))
  if (own === null || !documents) return spec.example
  const keys = [...documents.keys(world, written)]
  const key = keys.find((one) => Object.entries(own).every(([name, value]) => one[name] === value)) ?? keys[0]
  if (key === undefined) return null
  const inPath = Object.fromEntries(
    Object.keys(own).flatMap((name) => (key[name] === undefined ? [] : [[name, key[name]]])),
  )
  const url = urlOf(documents, inPath).slice(PREFIX.length) + (query === undefined ? '' : `?${query}`)
  if (!picking) return url
  const rows = Rows.safeParse(documents.body(world, key, written)).data?.rows ?? []
  const values = rows.map((row) => String(row[picking.member]))
  const value = values.find((one) => one === picked) ?? values[0]
  return value === undefined ? null : `${url}/${value}`
}

const entryOf = (spec: EndpointSpec, example: string): EndpointEntry => {
  const inQuery = new Set(queryParameters(spec).map(([name]) => name))
  return {
    endpoint: spec.name,
    method: spec.method,
    path: PREFIX + spec.path,
    parameters: Object.entries(spec.parameters).map(([name, parameter]) => ({
      name,
      in: inQuery.has(name) ? 'query' : 'path',
      type: parameter.type,
      default: parameter.default ?? null,
      allowed: typeof parameter.allowed === 'string' ? parameter.allowed : [...parameter.allowed],
    })),
    description: spec.description,
    example,
  }
}

const snapshotOf = ({ at, run, freshness }: PublicationData, { rows, digest }: ComposedSoFar) => ({
  snapshotId: digest(rows.toSorted(by(({ path }) => path))),
  generatedAt: at,
  nextBuildAt: run.next_at,
  staleAfter: freshness.staleAfter,
})

type Index = TypedEndpoint<'index', '', NoParameters, typeof IndexMembers>

/** Returns the index of an API with these other endpoints. */
export const apiIndex = (others: readonly (Endpoint | EndpointSpec)[]): Index => {
  const documents = others.filter((one) => 'keys' in one)
  const index: Index = oneDocument('Operations', {
    name: 'index',
    path: '',
    description: 'The endpoints of this API, its size, and when it was built.',
    members: IndexMembers,
    health: ({ health }) => health,
    stamped: true,
    covers: true,
    body: (world, _key, written) => ({
      version: VERSION,
      stateVersion: STATE_VERSION,
      label: world.run.label,
      listings: world.listed.length,
      ...snapshotOf(world, written),
      attributions: world.sources.flatMap(({ last_success, rights: { attribution } }) =>
        last_success === null || attribution === null ? [] : [attribution],
      ),
      sha256: {
        manifest: written.row(fileOf(manifest, {}))?.sha256 ?? '',
        collector: written.row(fileOf(collector, {}))?.sha256 ?? '',
        tables: written.row(TABLE_LIST)?.sha256 ?? '',
      },
      endpoints: [index, ...others].map((spec) =>
        entryOf(spec, PREFIX + (exampleIn(spec, documents, world, written) ?? spec.example)),
      ),
      links: {
        openapi: `/${OPENAPI_FILE}`,
        manifest: PREFIX + manifest.path,
        changes: PREFIX + changes.path,
        docs: '/docs/',
      },
    }),
  })
  return index
}

const { snapshotId, generatedAt, nextBuildAt, staleAfter } = IndexMembers

/** What the index says of the snapshot, in one packet. It is published after the index. */
export const head = oneDocument('Operations', {
  name: 'head',
  path: '/head',
  description: 'Id and times of the snapshot, in less than 300 bytes: for clients that poll for a new one.',
  members: { snapshotId, generatedAt, nextBuildAt, staleAfter },
  stamped: true,
  covers: true,
  body: (world, _key, written) => snapshotOf(world, written),
})
