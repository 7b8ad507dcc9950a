import * as z from 'zod'
import { sortedBy } from './sorted.ts'

/** A value of an enumeration, or the one of a parameter that is left out. */
const Plain = z.union([z.string(), z.number(), z.boolean(), z.null()])

const Schema = z.object({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).default('any'),
  description: z.string().default(''),
  enum: z.array(Plain).default([]),
  /** False where the values of a list each have a schema of their own. */
  get items(): z.ZodOptional<z.ZodUnion<readonly [typeof Schema, z.ZodLiteral<false>]>> {
    return z.union([Schema, z.literal(false)]).optional()
  },
  get anyOf(): z.ZodDefault<z.ZodArray<typeof Schema>> {
    return z.array(Schema).default([])
  },
  get properties(): z.ZodDefault<z.ZodRecord<z.ZodString, typeof Schema>> {
    return z.record(z.string(), Schema).default({})
  },
})
export type Schema = z.infer<typeof Schema>

const Value = z.record(z.string(), z.json())
const Content = z.object({
  schema: Schema.optional(),
  examples: z.record(z.string(), z.object({ $ref: z.string().optional(), value: Value.optional() })).default({}),
})
const Body = z.object({
  $ref: z.string().optional(),
  description: z.string().default(''),
  content: z.object({ 'application/json': Content.optional() }).default({}),
})
const Parameter = z.object({
  name: z.string(),
  description: z.string().default(''),
  schema: z.object({ default: Plain.optional() }),
})
const Operation = z.object({
  operationId: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  'x-file': z.string().optional(),
  parameters: z.array(z.union([Parameter, z.object({ $ref: z.string() })])).default([]),
  requestBody: Body.optional(),
  responses: z.record(z.string(), Body),
})

/** What the page of the API shows of an OpenAPI description. */
const OpenApi = z.object({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.object({
    schemas: z.record(z.string(), Schema),
    examples: z.record(z.string(), z.object({ value: Value })).default({}),
    responses: z.record(z.string(), z.object({ description: z.string() })),
  }),
})

/** What the page of the API shows, and one endpoint of it. */
export type Reference = ReturnType<typeof referenceOf>
export type Endpoint = Reference['groups'][number]['endpoints'][number]

/** `#/components/schemas/Market` -> `Market` */
const nameOf = ({ $ref = '' }: { readonly $ref?: string | undefined }): string => $ref.split('/').at(-1) ?? ''

const only = <Value>(members: Readonly<Record<string, Value>>, isWanted: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(members).filter(([name]) => isWanted(name)))

/** Returns the JSON of a request or a response, and its schema. */
function jsonOf(body: z.infer<typeof Body> | undefined) {
  const { schema, examples = {} } = body?.content['application/json'] ?? {}
  return { schema: nameOf(schema ?? {}), example: Object.values(examples)[0] }
}

/** Returns an operation with what is written elsewhere: the members of its answer, the name of what it takes, and an example. */
function operationOf(operation: z.infer<typeof Operation>, { schemas }: z.infer<typeof OpenApi>['components']) {
  const { requestBody, responses } = operation
  const answer = jsonOf(responses['200'] ?? responses['202'])
  const taken = jsonOf(requestBody)
  return {
    ...operation,
    // The headers that all endpoints share are references.
    parameters: operation.parameters.filter((one) => 'name' in one),
    members: schemas[answer.schema]?.properties ?? {},
    takes: taken.schema,
    taken: taken.example?.value,
  }
}

/** Operations that most readers come for, in their order. */
const PRICES = ['prices', 'asset', 'assetMarkets', 'chainPrices', 'rates', 'global']

/** Groups of endpoints in the order of use, with what is in each. */
const GROUPS = [
  ['Prices', 'The present price of one listing or of all, with the markets behind it.', isPrice],
  [
    'History',
    'Prices, candles, daily bars, closes and rates of the past.',
    ({ tags }: Tagged) => tags.includes('History'),
  ],
  [
    'Lists',
    'All listings, exchanges and categories, and tables for analysts.',
    ({ tags }: Tagged) => tags.includes('Lists'),
  ],
  ['Reference', 'Identifiers, the state of the feed, and listing requests.', () => true],
] as const

type Tagged = Pick<z.infer<typeof Operation>, 'operationId' | 'tags'>

function isPrice({ operationId }: Tagged): boolean {
  return PRICES.includes(operationId)
}

/**
 * Returns the reference of an OpenAPI description: endpoints by group, each with the members of its answer that not all
 * answers share and an example of them, what is refused by status, and the types that members name.
 *
 * @param exampleOf returns a short answer by its file
 * @throws ZodError if it is none
 */
export function referenceOf(text: string, exampleOf: (file: string) => string | null) {
  const { paths, components } = OpenApi.parse(JSON.parse(text))
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operationOf(operation, components),
      path,
      method: method.toUpperCase(),
    })),
  )
  const [first = {}, ...others] = operations.map(({ members }) => members).filter((members) => 'ok' in members)
  const isShared = (name: string) => name in first && others.every((members) => name in members)
  const own = <Value>(members: Readonly<Record<string, Value>>) => only(members, (name) => !isShared(name))
  const endpoints = operations.map(({ taken, ...operation }) => ({
    ...operation,
    members: own(operation.members),
    errors: Object.keys(operation.responses).filter((status) => Number(status) >= 400),
    example:
      taken === undefined
        ? operation['x-file'] === undefined
          ? null
          : exampleOf(operation['x-file'].slice(1))
        : JSON.stringify(taken, null, 2),
  }))
  const statuses = new Map(
    operations.flatMap((one) => Object.entries(one.responses).map(([status, body]) => [nameOf(body), status] as const)),
  )
  const placeOf = (one: Tagged) => GROUPS.findIndex(([, , has]) => has(one))
  return {
    groups: GROUPS.map(([name, description], at) => ({
      name,
      description,
      endpoints: sortedBy(
        endpoints.filter((one) => placeOf(one) === at),
        ({ operationId }) => (PRICES.includes(operationId) ? PRICES.indexOf(operationId) : null),
        false,
      ),
    })),
    envelope: only(first, isShared),
    refusals: Object.entries(components.responses)
      .map(([name, { description }]) => [statuses.get(name) ?? '', description] as const)
      .toSorted(([a], [b]) => Number(a) - Number(b)),
    types: only(components.schemas, (name) => !name.endsWith('Answer')),
  }
}

/** Whether a schema is no more than a number or a text, whose name says less than its type. */
export const isPlain = ({ properties, enum: values }: Schema): boolean =>
  Object.keys(properties).length === 0 && values.length === 0

/** Returns a short description of a schema's type: `number or null`, `list of Market`. */
export function typeOf(schema: Schema, types: Schema['properties']): string {
  const name = nameOf(schema)
  const named = types[name]
  if (name !== '') return named && isPlain(named) ? typeOf(named, types) : name
  if (schema.anyOf.length > 0) return [...new Set(schema.anyOf.map((one) => typeOf(one, types)))].join(' or ')
  if (schema.enum.length > 0) return schema.enum.join(' | ')
  if (schema.items) return `list of ${typeOf(schema.items, types)}`
  return [schema.type].flat().join(' or ')
}
