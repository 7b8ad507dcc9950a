import * as z from 'zod'
import { fileOf } from '../core/contract/endpoint-spec.ts'
import { by } from '../core/contract/order.ts'
import { PREFIX } from '../core/contract/prefix.ts'
import { type ComposedSoFar, type PublicationData, composedBody } from '../core/endpoints/endpoint.ts'
import { endpointsOf } from '../core/endpoints/table.ts'

type Ref = { readonly $ref?: string }
type Named<Value> = Readonly<Record<string, Value>>

export interface Schema extends Ref {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly (string | number | boolean | null)[]
  /** False where the values of a list each have a schema of their own. */
  readonly items?: Schema | false
  readonly anyOf?: readonly Schema[]
  readonly properties?: Named<Schema>
}

interface Body extends Ref {
  readonly description: string
  readonly content?: {
    readonly 'application/json'?: { readonly schema?: Schema; readonly examples?: Named<{ readonly value?: unknown }> }
  }
}

interface Parameter {
  readonly name: string
  readonly description?: string
  readonly schema: { readonly default?: string | number | boolean }
}

interface Operation {
  readonly operationId: string
  readonly description: string
  readonly tags: readonly string[]
  readonly 'x-file'?: string
  /** The headers that all endpoints share are references. */
  readonly parameters?: readonly (Required<Ref> | Parameter)[]
  readonly requestBody?: Body
  readonly responses: Named<Body>
}

interface OpenApi {
  readonly paths: Named<Named<Operation>>
  readonly components: { readonly schemas: Named<Schema>; readonly responses: Named<Body> }
}

export type ApiReference = ReturnType<typeof apiReferenceOf>
export type EndpointReference = ApiReference['groups'][number]['endpoints'][number]

/** `#/components/schemas/Market` -> `Market` */
const nameOf = ({ $ref = '' }: Ref): string => $ref.split('/').at(-1) ?? ''

const only = <Value>(members: Named<Value>, isWanted: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(members).filter(([name]) => isWanted(name)))

const PRICES = ['prices', 'asset', 'assetMarkets', 'chainPrices', 'rates', 'global']

const GROUPS = {
  Prices: 'The present price of one listing or of all, with the markets behind it.',
  History: 'Prices, candles, daily bars, closes and rates of the past.',
  Lists: 'All listings, exchanges and categories, and tables for analysts.',
  Reference: 'Identifiers, the state of the feed, and listing requests.',
}
const groupOf = ({ operationId, tags }: Operation): string =>
  PRICES.includes(operationId) ? 'Prices' : (['History', 'Lists'].find((tag) => tags.includes(tag)) ?? 'Reference')

/**
 * Returns the reference of an OpenAPI description: endpoints by group, each with the members of its answer that not all
 * answers share and an example of them, what is refused by status, and the types that members name.
 *
 * @param exampleOf returns a short answer by its path and file
 */
export function apiReferenceOf(text: string, exampleOf: (path: string, file: string) => string | null) {
  const { paths, components }: OpenApi = JSON.parse(text)
  const schemaOf = (body: Body | undefined) => nameOf(body?.content?.['application/json']?.schema ?? {})
  const membersOf = ({ responses }: Operation) =>
    components.schemas[schemaOf(responses['200'] ?? responses['202'])]?.properties ?? {}
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  )
  const [first = {}, ...others] = operations.map(membersOf).filter((members) => 'ok' in members)
  const isShared = (name: string) => name in first && others.every((members) => name in members)
  const endpoints = operations.map((operation) => {
    const { parameters = [], requestBody, responses, 'x-file': file = '' } = operation
    const [taken] = Object.values(requestBody?.content?.['application/json']?.examples ?? {})
    return {
      ...operation,
      parameters: parameters.filter((one) => 'name' in one),
      members: only(membersOf(operation), (name) => !isShared(name)),
      takes: schemaOf(requestBody),
      errors: Object.keys(responses).filter((status) => Number(status) >= 400),
      example: taken ? JSON.stringify(taken.value, null, 2) : exampleOf(operation.path, file.slice(1)),
    }
  })
  const statuses = new Map(
    endpoints.flatMap((one) => Object.entries(one.responses).map(([status, body]) => [nameOf(body), status] as const)),
  )
  return {
    groups: Object.entries(GROUPS).map(([name, description]) => {
      const own = endpoints.filter((one) => groupOf(one) === name)
      return { name, description, endpoints: own.toSorted(by(({ operationId }) => PRICES.indexOf(operationId))) }
    }),
    envelope: only(first, isShared),
    refusals: Object.entries(components.responses)
      .map(([name, { description }]) => [statuses.get(name) ?? '', description] as const)
      .toSorted(([a], [b]) => Number(a) - Number(b)),
    types: only(components.schemas, (name) => !name.endsWith('Answer')),
  }
}

/** Whether a schema is no more than a number or a text, whose name says less than its type. */
export const isPlain = ({ properties, enum: values }: Schema): boolean => !properties && !values

/** Returns a short description of a schema's type: `number or null`, `list of Market`. */
export function typeOf(schema: Schema, types: Named<Schema>): string {
  const name = nameOf(schema)
  const named = types[name]
  if (name !== '') return named && isPlain(named) ? typeOf(named, types) : name
  const { anyOf, enum: values, items, type = 'any' } = schema
  if (anyOf) return [...new Set(anyOf.map((one) => typeOf(one, types)))].join(' or ')
  if (values) return values.join(' | ')
  return items ? `list of ${typeOf(items, types)}` : [type].flat().join(' or ')
}

/** Members from which on an object is a map, such as prices by slug, of which two entries are shown. */
const MAP = 100

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shortened)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, member]) => [name, shortened(member)] as const)
  return Object.fromEntries(entries.slice(0, entries.length > MAP ? 2 : entries.length))
}

/**
 * Returns what finds a short answer of this publication by its path and file, without the members that all answers
 * share; null where there is none before everything else is written.
 */
export function examplesOf(world: PublicationData, written: ComposedSoFar) {
  const { published } = endpointsOf(world.site.ecosystem)
  return (path: string, file: string): string | null => {
    const own = path.slice(PREFIX.length).replaceAll(/\{(\w+)\}/g, ':$1')
    const endpoint = published.find((one) => one.path === own && one.covers !== true)
    const whole = file.replace(/\/limit=\d+\.json$/, '.json')
    const key = endpoint && [...endpoint.keys(world, written)].find((one) => fileOf(endpoint, one) === whole)
    const body = key && composedBody(endpoint, world, key, written)
    const { data } = z.object(endpoint?.members ?? {}).safeParse(shortened(body))
    return data === undefined ? null : JSON.stringify(data, null, 2)
  }
}
