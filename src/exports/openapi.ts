import { sort } from 'd3-array'
import { byKey } from '../contract/order.ts'
import {
  ENDPOINT_GROUPS,
  type EndpointSpec,
  type Key,
  computedParameter,
  exampleKey,
  fileOf,
  operationOf,
  pickingParameter,
  queryParameters,
} from '../contract/endpoint-spec.ts'
import type { Parameter } from '../contract/parameters.ts'
import { TEXT_TABLES, type TextTable } from '../contract/text-tables.ts'
import type { Json } from '../contract/text.ts'
import { PREFIX } from '../contract/prefix.ts'
import { VERSION } from '../contract/words.ts'
import { ERROR_SCHEMA, type Kind, type Schemas, referring, schemaOfValue } from './json-schemas.ts'
import { HEADERS, REQUEST_HEADERS, part, responsesOf, sharedResponses, textResponses } from './responses.ts'

/** Input of {@link openApi}. */
export interface Described {
  readonly product: string
  readonly summary: string
  /** In Markdown. */
  readonly text: string
  readonly specs: readonly EndpointSpec[]
  readonly schemas: Schemas
  /** Returns a request that the tree answers; null: it has no document of the endpoint. */
  readonly requestOf: (spec: EndpointSpec) => string | null
}

/** Returns an OpenAPI 3.1 description. Its URLs are relative to its own, so the tree can be hosted below any path. */
export function openApi(described: Described): Json {
  const { product, summary, text, specs, schemas } = described
  const paths: Record<string, Record<string, Json>> = {}
  for (const spec of byGroup(specs)) {
    const path = PREFIX + spec.path.replaceAll(/:([a-z_]+)/g, '{$1}')
    paths[path] = { ...paths[path], [spec.method.toLowerCase()]: operation(spec, described) }
    if (computedParameter(spec, 'format') !== undefined) paths[`${path}.csv`] = { get: csvOperation(spec, described) }
  }
  for (const [id, table] of Object.entries(TEXT_TABLES)) paths[PREFIX + table.path] = { get: textOperation(id, table) }
  return {
    openapi: '3.1.1',
    info: {
      title: product,
      version: VERSION,
      summary,
      description: text,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '.', description: 'Location of this file.' }],
    security: [],
    tags: groupsOf(specs),
    paths,
    components: {
      schemas: Object.fromEntries([...schemas.named].toSorted(byKey).map(([name, schema]) => [name, pointed(schema)])),
      parameters: Object.fromEntries(
        Object.values(REQUEST_HEADERS)
          .flatMap((group) => Object.entries(group))
          .map(([id, [name, description]]) => [id, { name, in: 'header', description, schema: { type: 'string' } }]),
      ),
      headers: HEADERS,
      responses: sharedResponses(ERROR_SCHEMA),
    },
  }
}

const pointed = (schema: Json): Json => referring(schema, (name) => `#/components/schemas/${name}`)

const textOperation = (id: string, { contentType, description }: TextTable): { readonly [member: string]: Json } => ({
  operationId: id,
  summary: description.split(/[:;.]/, 1).join(''),
  description,
  tags: [ENDPOINT_GROUPS[0]],
  responses: textResponses(description, { [contentType]: { schema: { type: 'string' } } }),
})

/** Returns the operation of the rows of an answer as CSV. Code generators expect one type of an answer. */
function csvOperation(spec: EndpointSpec, { requestOf }: Pick<Described, 'requestOf'>): Json {
  const description = `The rows of ${spec.path} as CSV, on a host with a function.`
  const table = { path: `${spec.path}.csv`, contentType: 'text/csv', description }
  const parameters = parametersOf(spec, keyOf(spec, requestOf(spec)))
  return { ...textOperation(`${idOf(spec)}Csv`, table), tags: [spec.group], parameters }
}

const idOf = (spec: EndpointSpec): string =>
  operationOf(spec).replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())

const keyOf = (spec: EndpointSpec, request: string | null): Key | null =>
  request === null ? null : exampleKey({ ...spec, example: request })

const parametersOf = (spec: EndpointSpec, key: Key | null): Json[] =>
  Object.entries(spec.parameters)
    .filter(([, { computed }]) => computed !== 'format')
    .map(([name, parameter]) => parameterOf(spec, name, parameter, key))

function operation(spec: EndpointSpec, { schemas, requestOf }: Pick<Described, 'schemas' | 'requestOf'>): Json {
  const kindOf = (is: Kind['is']) => schemas.kinds.find((kind) => kind.spec === spec && kind.is === is)
  const { description } = spec
  const key = keyOf(spec, requestOf(spec))
  const isFile = spec.method === 'GET' && !spec.isDerived && pickingParameter(spec) === null
  const body = kindOf('body')
  return {
    operationId: idOf(spec),
    summary: description.split(/[:;.]/, 1).join(''),
    description,
    tags: [spec.group],
    // Saved to a disk, a description has no tree beside it, so an example is no reference to a file.
    ...(key && isFile ? { 'x-file': `/${fileOf(spec, key)}` } : {}),
    parameters: [
      ...parametersOf(spec, key),
      ...Object.keys(REQUEST_HEADERS[spec.method]).map((id) => part('parameters', id)),
    ],
    ...(body ? { requestBody: { required: true, content: json([body.schema], sentFor(spec)) } } : {}),
    responses: responsesOf(
      spec,
      json(
        [kindOf('answer'), kindOf('converted')].flatMap((kind) => kind?.schema ?? []),
        {},
      ),
    ),
  }
}

const json = ([schema = '', ...others]: readonly string[], examples: Readonly<Record<string, Json>>) => ({
  'application/json': {
    schema:
      others.length === 0
        ? part('schemas', schema)
        : { anyOf: [schema, ...others].map((name) => part('schemas', name)) },
    ...(Object.keys(examples).length > 0 ? { examples } : {}),
  },
})

const sentFor = ({ takes }: EndpointSpec): Readonly<Record<string, Json>> =>
  takes ? { short: { summary: 'Minimal request.', value: takes.example } } : {}

function parameterOf(
  spec: EndpointSpec,
  name: string,
  { schema, type, description, allowed, default: usual }: Parameter,
  key: Key | null,
) {
  const isQuery = queryParameters(spec).some(([one]) => one === name)
  const example = isQuery ? undefined : key?.[name]
  return {
    name,
    in: isQuery ? 'query' : 'path',
    required: !isQuery,
    description: typeof allowed === 'string' ? `${description} Allowed: ${allowed}.` : description,
    schema: { ...schemaOfValue(schema), type, ...(usual === undefined ? {} : { default: usual }) },
    ...(example === undefined ? {} : { example }),
  }
}

const DESCRIPTIONS: Readonly<Record<EndpointSpec['group'], string>> = {
  Lists: 'All prices and listings, and the market as a whole.',
  'One asset': 'Everything about one listing, and how to find it by another name.',
  History: 'Past prices on fixed grids.',
  Ecosystem: 'TNK, TAP, DMT-NAT and BX, and decentralized exchanges.',
  Operations: 'State of the data and its sources, what changed, and listing requests.',
}

const OWN_ECOSYSTEM = "Assets of the publisher's registry, and decentralized exchanges."

/** Returns the name and description of each group of endpoints of an API. A publisher's own ecosystem is not the built-in one. */
export function groupsOf(specs: readonly EndpointSpec[]) {
  const isOwn = specs.some((spec) => operationOf(spec) === 'ecosystem')
  const descriptions = isOwn ? { ...DESCRIPTIONS, Ecosystem: OWN_ECOSYSTEM } : DESCRIPTIONS
  return ENDPOINT_GROUPS.map((name) => ({ name, description: descriptions[name] }))
}

/** Returns endpoints by group, those below the first segment of a path together, and the shortest of them first. */
export function byGroup<Spec extends EndpointSpec>(specs: readonly Spec[]): readonly Spec[] {
  const segments = [...new Set(specs.map(segmentOf))]
  return sort(
    specs,
    ({ group }) => ENDPOINT_GROUPS.indexOf(group),
    (spec) => segments.indexOf(segmentOf(spec)),
    ({ path }) => path.split('/').length,
  )
}

const segmentOf = ({ path }: EndpointSpec): string => path.split('/')[1] ?? ''
