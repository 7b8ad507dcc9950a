import { IndexMembers, type EndpointEntry } from '../contract/api-index.ts'
import * as z from 'zod'
import {
  type EndpointSpec,
  documentPath,
  fileOf,
  pathKey,
  pickingParameter,
  queryParameters,
  urlOf,
} from '../contract/endpoint-spec.ts'
import { OPENAPI_FILE } from '../contract/paths.ts'
import { PREFIX } from '../contract/prefix.ts'
import { STATE_VERSION, VERSION } from '../contract/words.ts'
import { type Endpoint, type TypedEndpoint, type World, type Written, endpoint } from './endpoint.ts'

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

const Rows = z.object({ rows: z.array(z.record(z.string(), z.unknown())) })

/** Returns a request that this tree answers: the declared example if its document is there, else one for the first document. */
function exampleIn(spec: EndpointSpec, endpoints: readonly Endpoint[], world: World, written: Written): string {
  const [declared = '', query] = spec.example.split('?')
  const [path, picking] = [documentPath(spec), pickingParameter(spec)]
  const [parent, picked] = picking ? [declared.replace(/\/[^/]*$/, ''), declared.split('/').at(-1)] : [declared]
  const own = pathKey({ ...spec, path }, parent)
  const documents = endpoints.find((one) => one.path === path && path.includes('/:'))
  if (own === null || !documents) return PREFIX + spec.example
  const keys = [...documents.keys(world)]
  const key = keys.find((one) => Object.entries(own).every(([name, value]) => one[name] === value)) ?? keys[0]
  if (key === undefined) return PREFIX + spec.example
  const inPath = Object.fromEntries(
    Object.keys(own).flatMap((name) => (key[name] === undefined ? [] : [[name, key[name]]])),
  )
  const url = urlOf(documents, inPath) + (query === undefined ? '' : `?${query}`)
  if (!picking) return url
  const rows = Rows.safeParse(documents.body(world, key, written)).data?.rows ?? []
  const values = rows.map((row) => String(row[picking.member]))
  const value = values.find((one) => one === picked) ?? values[0]
  return value === undefined ? PREFIX + spec.example : `${url}/${value}`
}

/** Endpoints that the index links to, or whose digests it holds. */
interface Linked {
  readonly manifest: EndpointSpec
  readonly collector: EndpointSpec
  readonly changes: EndpointSpec
}

// oxlint-disable-next-line typescript/no-generated-empty-object-type -- an endpoint without parameters
type Index = TypedEndpoint<'', Record<never, never>, typeof IndexMembers>

/** Returns the index of an API with these other endpoints. */
export const apiIndex = (
  others: readonly (Endpoint | EndpointSpec)[],
  { manifest, collector, changes }: Linked,
): Index => {
  const documents = others.filter((one) => 'keys' in one)
  const index: Index = endpoint({
    name: 'index',
    group: 'Operations',
    path: '',
    description: 'The endpoints of this API, its size, and when it was built.',
    example: '',
    parameters: {},
    members: IndexMembers,
    stamped: true,
    covers: true,
    body: (world, _key, written) => ({
      version: VERSION,
      stateVersion: STATE_VERSION,
      label: world.label,
      listings: world.listed.length,
      snapshotId: written.digest(),
      generatedAt: world.at,
      nextBuildAt: world.nextBuildAt,
      attributions: world.sources.flatMap(({ last_success, rights: { attribution } }) =>
        last_success === null || attribution === null ? [] : [attribution],
      ),
      staleAfter: world.freshness.staleAfter,
      sha256: { manifest: written.sha256(fileOf(manifest, {})), collector: written.sha256(fileOf(collector, {})) },
      layout: written.layout && { ...written.layout, blocks: [...written.layout.blocks] },
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
