import { IndexMembers, type EndpointEntry } from '../contract/api-index.ts'
import { type EndpointSpec, fileOf, queryParameters } from '../contract/endpoint-spec.ts'
import { OPENAPI_FILE } from '../contract/paths.ts'
import { PREFIX } from '../contract/prefix.ts'
import { STATE_VERSION, VERSION } from '../contract/words.ts'
import { type Endpoint, type TypedEndpoint, endpoint } from './endpoint.ts'
import { exampleIn } from './example-request.ts'

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
