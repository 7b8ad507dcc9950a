import { sort } from 'd3-array'
import * as z from 'zod'
import { type ZodOpenApiOperationObject, createDocument } from 'zod-openapi'
import { methodOf } from '../client/methods.ts'
import {
  ENDPOINT_GROUPS,
  type EndpointSpec,
  type Key,
  answerSchemaOf,
  fileOf,
  operationOf,
  pickingParameter,
  queryParameters,
} from '../core/contract/endpoint-spec.ts'
import { PREFIX } from '../core/contract/prefix.ts'
import { VERSION } from '../core/contract/words.ts'
import { REQUEST_HEADERS, responsesOf, textResponses } from './responses.ts'
import { TEXT_TABLES } from './text-tables.ts'

export interface Described {
  readonly product: string
  readonly summary: string
  readonly text: string
  readonly specs: readonly EndpointSpec[]
  /** Returns a request that the tree answers; null: it has no document of the endpoint. */
  readonly requestOf: (spec: EndpointSpec) => Key | null
}

/** Returns an OpenAPI 3.1 description as JSON. Its URLs are relative to its own, so the tree can be hosted below any path. */
export function openApi({ product, summary, text, specs, requestOf }: Described): string {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {}
  for (const spec of byGroup(specs)) {
    const path = PREFIX + spec.path.replaceAll(/:([a-z_]+)/g, '{$1}')
    const key = requestOf(spec)
    paths[path] = { ...paths[path], [spec.method.toLowerCase()]: operation(spec, key) }
    if ('format' in spec.parameters) paths[`${path}.csv`] = { get: csvOperation(spec, key) }
  }
  for (const { id, path, contentType, description } of TEXT_TABLES)
    paths[PREFIX + path] = { get: textOperation(id, contentType, description) }
  const license = { name: 'MIT', identifier: 'MIT' }
  const contact = { name: product }
  const info = { title: product, version: VERSION, summary, description: text, contact, license }
  const servers = [{ url: '.', description: 'Location of this file.' }]
  const tags = groupsOf(specs)
  const document = createDocument({ openapi: '3.1.1', info, servers, security: [], tags, paths }, { override })
  return `${JSON.stringify(document, (name, value: unknown) => (isNoise(name, value) ? undefined : value))}\n`
}

const Schemas = z.object({ components: z.object({ schemas: z.record(z.string(), z.looseObject({})) }) })

export const schemasIn = (description: string) => Schemas.parse(JSON.parse(description)).components.schemas

/**
 * Whether a member of a schema says too much. zod sets limits on every integer, which hold for every integer that a double
 * represents exactly. Within a version members are only added, and a reader that validates must not break on them.
 */
const isNoise = (name: string, value: unknown): boolean =>
  (name === 'maximum' && value === Number.MAX_SAFE_INTEGER) ||
  (name === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
  (name === 'additionalProperties' && value === false)

export const ERROR_SCHEMA = 'ErrorAnswer'

export const schemaFile = (name: string): string => `schemas/${name}.json`

const IN_OPENAPI = '#/components/schemas/'
const REFERENCE = new RegExp(`"${IN_OPENAPI}(\\w+)"`, 'g')

/** Returns the schemas of all answers and bodies of a description, each with those that it refers to. */
export function schemaFiles(specs: readonly EndpointSpec[], description: string) {
  const schemas = schemasIn(description)
  const names = specs.flatMap((spec) => [answerName(spec), bodyName(spec) ?? []].flat())
  return [...names, ERROR_SCHEMA].map((name) => {
    const needed = new Set([name])
    for (const one of needed)
      for (const [, other = ''] of JSON.stringify(schemas[one]).matchAll(REFERENCE)) needed.add(other)
    const $defs = Object.fromEntries([...needed].slice(1).map((one) => [one, schemas[one]]))
    const whole = { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schemas[name], $defs }
    return { path: schemaFile(name), text: `${JSON.stringify(whole).replaceAll(IN_OPENAPI, '#/$defs/')}\n` }
  })
}

export const answerName = (spec: EndpointSpec): string => {
  const id = methodOf(spec)
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}Answer`
}

export const bodyName = ({ takes }: EndpointSpec): string | undefined => takes && z.globalRegistry.get(takes.schema)?.id

function override({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.type === 'number' && jsonSchema.enum?.every(Number.isInteger)) jsonSchema.type = 'integer'
  // A record with known keys becomes an object with these members, which more tools support.
  const { propertyNames, required, additionalProperties = {} } = jsonSchema
  if (propertyNames === undefined || required === undefined) return
  jsonSchema.properties = Object.fromEntries(required.map((name) => [name, additionalProperties]))
  delete jsonSchema.additionalProperties
  delete jsonSchema.propertyNames
}

const summaryOf = (description: string): string => description.split(/[:;.]/, 1).join('')

const textOperation = (operationId: string, contentType: string, description: string) => ({
  operationId,
  summary: summaryOf(description),
  description,
  tags: [ENDPOINT_GROUPS[0]],
  responses: textResponses(description, { [contentType]: { schema: z.string() } }),
})

/** Returns the operation of the rows of an answer as CSV. Code generators expect one type of an answer. */
function csvOperation(spec: EndpointSpec, key: Key | null) {
  const description = `The rows of ${spec.path} as CSV, on a host with a function.`
  const operation = textOperation(`${methodOf(spec)}Csv`, 'text/csv', description)
  const responses = responsesOf({ ...spec, description }, z.string(), 'text/csv')
  return { ...operation, tags: [spec.group], requestParams: parametersOf(spec, key), responses }
}

function parametersOf(spec: EndpointSpec, key: Key | null) {
  const inQuery = new Set(queryParameters(spec).map(([name]) => name))
  const path: Record<string, z.ZodType> = {}
  const query: typeof path = {}
  for (const [name, parameter] of Object.entries(spec.parameters)) {
    const { schema, description: text, allowed, default: usual } = parameter
    const description = typeof allowed === 'string' ? `${text} Allowed: ${allowed}.` : text
    const example = key?.[name] === undefined ? {} : { examples: [key[name]] }
    if (!inQuery.has(name)) path[name] = schema.meta({ description, ...example })
    else if (name !== 'format')
      query[name] = (usual === undefined ? schema.optional() : schema.default(usual)).meta({ description })
  }
  return { path: z.object(path), query: z.object(query) }
}

function operation(spec: EndpointSpec, key: Key | null): ZodOpenApiOperationObject {
  const { description, takes } = spec
  const isFile = spec.method === 'GET' && !spec.isDerived && pickingParameter(spec) === null
  const short = { summary: 'Minimal request.', value: takes?.example }
  return {
    operationId: methodOf(spec),
    summary: summaryOf(description),
    description,
    tags: [spec.group],
    // Saved to a disk, a description has no tree beside it, so an example is no reference to a file.
    ...(key && isFile ? { 'x-file': `/${fileOf(spec, key)}` } : {}),
    requestParams: { ...parametersOf(spec, key), header: REQUEST_HEADERS[spec.method] },
    ...(takes && {
      requestBody: { required: true, content: { 'application/json': { schema: takes.schema, examples: { short } } } },
    }),
    responses: responsesOf(spec, answerSchemaOf(spec).meta({ id: answerName(spec) })),
  }
}

const DESCRIPTIONS: Readonly<Record<EndpointSpec['group'], string>> = {
  Lists: 'All prices and listings, and the market as a whole.',
  'One asset': 'Everything about one listing, and how to find it by another name.',
  History: 'Past prices on fixed grids.',
  Ecosystem: 'TNK, TAP, DMT-NAT and BX, and decentralized exchanges.',
  Operations: 'State of the data and its sources, what changed, and listing requests.',
}

/** Returns the name and description of each group of endpoints of an API. A publisher's own ecosystem is not the built-in one. */
export function groupsOf(specs: readonly EndpointSpec[]) {
  const isOwn = specs.some((spec) => operationOf(spec) === 'ecosystem')
  const descriptions = isOwn
    ? { ...DESCRIPTIONS, Ecosystem: "Assets of the publisher's registry, and decentralized exchanges." }
    : DESCRIPTIONS
  return ENDPOINT_GROUPS.map((name) => ({ name, description: descriptions[name] }))
}

/** Returns endpoints by group, those below the first segment of a path together, and the shortest of them first. */
function byGroup<Spec extends EndpointSpec>(specs: readonly Spec[]): readonly Spec[] {
  const segments = [...new Set(specs.map(segmentOf))]
  return sort(
    specs,
    ({ group }) => ENDPOINT_GROUPS.indexOf(group),
    (spec) => segments.indexOf(segmentOf(spec)),
    ({ path }) => path.split('/').length,
  )
}

const segmentOf = ({ path }: EndpointSpec): string => path.split('/')[1] ?? ''
