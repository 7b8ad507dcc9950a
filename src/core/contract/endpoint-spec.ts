import * as z from 'zod'
import { convertedName } from './conversion.ts'
import { declaredMembers } from './declared-members.ts'
import { Envelope } from './envelope.ts'
import { ensured } from './order.ts'
import { type ParameterTable, type Value, parameterValue } from './parameters.ts'
import { API_FOLDER, PREFIX } from './prefix.ts'
import { RateOfDay, RateRow } from './rates.ts'

/** What endpoints are for, in the order in which a reader needs them. */
export const ENDPOINT_GROUPS = ['Lists', 'One asset', 'History', 'Ecosystem', 'Operations'] as const

export interface EndpointSpec {
  readonly name: string
  readonly group: (typeof ENDPOINT_GROUPS)[number]
  /** Unique name of the operation, set if several endpoints share `name`. OpenAPI and the client use it. */
  readonly operation?: string
  readonly method: 'GET' | 'POST'
  /** Relative to {@link PREFIX}; `''` is the index. `:name` is a path parameter. */
  readonly path: string
  readonly description: string
  readonly parameters: ParameterTable
  readonly members: Readonly<Record<string, z.ZodType>>
  /** Set on an endpoint without files: a host with a function makes its answers of the documents of others. */
  readonly isDerived?: true
  /** Set on an endpoint that not every listing has a document of: the reason, as a sentence. */
  readonly absent?: string
  readonly takes?: { readonly schema: z.ZodType; readonly example: object }
}

export const operationOf = ({ name, operation }: EndpointSpec): string => operation ?? name

export type Key = Readonly<Record<string, Value>>

/** Returns a function that computes each value once: zod compiles a schema at its first use, which costs more than a check. */
export function perKey<Key extends WeakKey, Value>(of: (key: Key) => Value): (key: Key) => Value {
  // Specs are made for each ecosystem, and what is known of one goes with it.
  const known = new WeakMap<Key, Value>()
  return (key) => ensured(known, key, () => of(key))
}

/** Whether answers are of one day, and converted by its rates. */
export const isOfDay = ({ parameters }: EndpointSpec): boolean => 'day' in parameters

/** The schema of a whole answer. */
export const answerSchemaOf = perKey((spec: EndpointSpec) =>
  z.strictObject({
    ...Envelope,
    ok: z.literal(true),
    endpoint: z.literal(spec.name).describe('Name of the endpoint.'),
    ...('vs' in spec.parameters
      ? { ...conversionMembers(isOfDay(spec) ? RateOfDay : RateRow), ...withAmounts(spec.members) }
      : spec.members),
    ...('ids' in spec.parameters ? { missing: Missing } : {}),
  }),
)

export const answerMembersOf = perKey((spec: EndpointSpec) => declaredMembers(answerSchemaOf(spec)))

export const queryParameters = perKey(({ path, parameters }: EndpointSpec) =>
  Object.entries(parameters).filter(([name]) => !path.split('/').includes(`:${name}`)),
)

export const fileParameters = perKey((spec: EndpointSpec) =>
  queryParameters(spec).filter(([, { computed }]) => !computed),
)

export function columnsOf({ name, members }: EndpointSpec): readonly string[] {
  const { rows } = members
  if (!(rows instanceof z.ZodArray && rows.element instanceof z.ZodObject)) throw new Error(`${name} has no rows`)
  return Object.keys(rows.element.shape)
}

/** Returns the parameter that selects rows, if the endpoint has one: its name and the row member it is compared with. */
export function pickingParameter({ parameters }: EndpointSpec) {
  for (const [name, { picks }] of Object.entries(parameters)) if (picks !== undefined) return { name, member: picks }
  return null
}

const fill = (path: string, key: Key): string => path.replaceAll(/:(\w+)/g, (_, name: string) => String(key[name]))

/** Returns the path of the document that holds an answer. If the endpoint selects rows, that document holds all rows. */
export const documentPath = perKey((spec: EndpointSpec) => {
  const picking = pickingParameter(spec)
  return picking ? spec.path.slice(0, -`/:${picking.name}`.length) : spec.path
})

/** Returns the file of a document: `api/mkt/history/bitcoin/days=30.json`, see {@link documentPath}. */
export function fileOf(spec: EndpointSpec, key: Key): string {
  const chosen = fileParameters(spec)
    .filter(([name]) => key[name] !== undefined)
    .map(([name]) => `/${name}=${key[name]}`)
  return `${API_FOLDER}${fill(documentPath(spec), key)}${chosen.join('')}.json`
}

export function urlOf(spec: EndpointSpec, key: Key): string {
  const chosen = queryParameters(spec)
    .filter(([name]) => key[name] !== undefined)
    .map(([name]) => `${name}=${encodeURIComponent(key[name] ?? '')}`)
  return PREFIX + fill(spec.path, key) + (chosen.length > 0 ? `?${chosen.join('&')}` : '')
}

/** Returns the raw path parameters in a path relative to {@link PREFIX}, or null if the path is not the endpoint's. */
export function pathTexts(spec: EndpointSpec, path: string): Readonly<Record<string, string>> | null {
  // Most specs of a table are ruled out by their beginning; taking them apart is half the cost of an uncached request.
  const fixed = spec.path.indexOf(':')
  if (!path.startsWith(fixed < 0 ? spec.path : spec.path.slice(0, fixed))) return null
  const [pattern, all] = [spec.path.split('/'), path.split('/')]
  // The last parameter of an endpoint that selects rows takes the rest of the path: an address may contain a slash.
  const last = all.length > pattern.length && pickingParameter(spec) ? pattern.length - 1 : all.length
  const parts = last < all.length ? [...all.slice(0, last), all.slice(last).join('/')] : all
  if (pattern.length !== parts.length) return null
  const texts: Record<string, string> = {}
  for (const [place, name] of pattern.entries()) {
    const part = parts[place] ?? ''
    if (name.startsWith(':')) texts[name.slice(1)] = part
    else if (name !== part) return null
  }
  return texts
}

export function pathKey(spec: EndpointSpec, path: string): Key | null {
  const texts = pathTexts(spec, path)
  if (texts === null) return null
  const key: Record<string, Value> = {}
  for (const [name, text] of Object.entries(texts)) {
    const parameter = spec.parameters[name]
    const value = parameter && parameterValue(parameter, text)
    if (value === undefined) return null
    key[name] = value
  }
  return key
}

/** Returns the examples of the parameters; null: one in the path has none, because its values differ from tree to tree. */
export function exampleKey({ path, parameters }: EndpointSpec): Key | null {
  const examples = Object.entries(parameters).flatMap(([name, { example }]) =>
    example === undefined ? [] : [[name, example] as const],
  )
  const key = Object.fromEntries(examples)
  return path.match(/(?<=:)\w+/g)?.every((name) => name in key) === false ? null : key
}

const Missing = z.array(z.string()).optional().describe('Only with `ids`: slugs without a row in this answer.')

const conversionMembers = (rate: typeof RateRow | typeof RateOfDay) => ({
  vs: z.string().optional().describe('Only with `vs`: the currency, a symbol of `/rates` in lower case.'),
  rate: rate.optional().describe('Only with `vs`: US dollars for one unit of the currency.'),
})

/** Built once per row: two schemas of one name cannot be described. */
const rowWithAmounts = perKey((row: z.ZodObject) => {
  const { id = 'Row', description } = z.globalRegistry.get(row) ?? {}
  const amounts = Object.entries(row.shape).flatMap(([name, schema]) => {
    const own = convertedName(name)
    if (own === null || !(schema instanceof z.ZodType)) return []
    return [[own, schema.optional().describe(`Only with \`vs\`: \`${name}\` in that currency.`)]]
  })
  return z.object({ ...row.shape, ...Object.fromEntries(amounts) }).meta({ id: `${id}InCurrency`, description })
})

/** Returns members whose rows may have their amounts in a currency too. A map of prices has no unit in its names. */
const withAmounts = (members: Readonly<Record<string, z.ZodType>>): Readonly<Record<string, z.ZodType>> =>
  Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [
      name,
      schema instanceof z.ZodArray && schema.element instanceof z.ZodObject
        ? z.array(rowWithAmounts(schema.element))
        : schema,
    ]),
  )
