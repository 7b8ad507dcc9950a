import { type EndpointEntry, IndexMembers } from '../contract/api-index.ts'
import {
  type EndpointSpec,
  type Key,
  documentPath,
  exampleKey,
  pickingParameter,
  urlOf,
  fileOf,
} from '../contract/endpoint-spec.ts'
import { by } from '../contract/order.ts'
import { OPENAPI_FILE, TABLE_LIST } from '../contract/paths.ts'
import { PREFIX } from '../contract/prefix.ts'
import { isRecord } from '../contract/read-json.ts'
import { STATE_VERSION, VERSION } from '../contract/words.ts'
import { type Endpoint, type PublicationData, type ComposedSoFar, oneDocument } from './endpoint.ts'
import { changes, collector, manifest } from './operations.ts'

/** Returns the key of a request that this tree answers: the example of the endpoint, or its first document; null: none. */
export function exampleIn(
  spec: EndpointSpec,
  endpoints: readonly Endpoint[],
  world: PublicationData,
  written: ComposedSoFar,
): Key | null {
  const usual = exampleKey(spec)
  const documents = endpoints.find(({ path }) => path === documentPath(spec))
  if (usual === null || !documents) return usual
  const isUsual = (key: Key) => Object.entries(key).every(([name, value]) => usual[name] === value)
  const keys = [...documents.keys(world, written)]
  const key = keys.find(isUsual) ?? keys[0]
  if (key === undefined) return null
  const picking = pickingParameter(spec)
  if (!picking) return { ...usual, ...key }
  const { rows } = documents.body(world, key, written)
  const values = Array.isArray(rows) ? rows.filter(isRecord).map((row) => String(row[picking.member])) : []
  const value = values.find((one) => one === usual[picking.name]) ?? values[0]
  return value === undefined ? null : { ...usual, ...key, [picking.name]: value }
}

/** Returns the path of the list that leads to the documents of an endpoint: `/closes` of `/closes/:day`. */
export const listPath = ({ path }: EndpointSpec): string => path.split('/').slice(0, 2).join('/')

const entryOf = (spec: EndpointSpec, example: Key | null): EndpointEntry => ({
  endpoint: spec.name,
  method: spec.method,
  path: PREFIX + spec.path,
  parameters: Object.entries(spec.parameters).map(([name, parameter]) => ({
    name,
    in: spec.path.split('/').includes(`:${name}`) ? 'path' : 'query',
    type: parameter.type,
    default: parameter.default ?? null,
    allowed: typeof parameter.allowed === 'string' ? parameter.allowed : [...parameter.allowed],
  })),
  description: spec.description,
  example: example === null ? PREFIX + listPath(spec) : urlOf(spec, example),
})

const snapshotOf = ({ at, run, freshness }: PublicationData, { rows, digest }: ComposedSoFar) => ({
  snapshotId: digest(rows.toSorted(by(({ path }) => path))),
  generatedAt: at,
  nextBuildAt: run.next_at,
  staleAfter: freshness.staleAfter,
})

type Index = ReturnType<typeof oneDocument<'index', '', typeof IndexMembers>>

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
      endpoints: [index, ...others].map((spec) => entryOf(spec, exampleIn(spec, documents, world, written))),
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
