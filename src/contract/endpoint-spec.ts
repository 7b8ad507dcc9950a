import * as z from 'zod'
import { Envelope } from './envelope.ts'
import type { Json } from './text.ts'
import { type Parameter, type Parameters, type Value, valueOf } from './parameters.ts'
import { API_FOLDER, PREFIX } from './words.ts'

/** What the API says of one endpoint: all that a router, a host or a client has to know of it. */
export interface EndpointSpec {
  readonly name: string
  /** Its own name where several endpoints share `name`: each is described, and called by clients, under its own. */
  readonly operation?: string
  readonly method: 'GET' | 'POST'
  /** Below {@link PREFIX}; `''` is the index. `:name` stands for the path parameter of that name. */
  readonly path: string
  readonly description: string
  /** A request that works on every tree, below {@link PREFIX}. */
  readonly example: string
  readonly parameters: Parameters
  /** Members of the response beside the envelope, in order of publication. */
  readonly members: Readonly<Record<string, z.ZodType>>
  /** What is to be sent with a POST. */
  readonly takes?: { readonly schema: z.ZodType; readonly example: Json }
}

/** The name that an endpoint is described under, and called by clients. */
export const operationOf = ({ name, operation }: EndpointSpec): string => operation ?? name

/** The values that choose one document of an endpoint. */
export type Key = Readonly<Record<string, Value>>

/** The schema of an endpoint's whole answer. Nothing beside it is published. */
export const answerSchemaOf = (spec: EndpointSpec) =>
  z.strictObject({
    ...Envelope,
    ok: z.literal(true),
    endpoint: z.literal(spec.name).describe('Name of the endpoint.'),
    ...spec.members,
  })

/** The parameters of an endpoint that stand in the query, in order of declaration. */
export const queryParameters = ({ path, parameters }: EndpointSpec): readonly (readonly [string, Parameter])[] =>
  Object.entries(parameters).filter(([name]) => !path.split('/').includes(`:${name}`))

/** The parameter that shortens rows, if the endpoint has one. */
export const cuttingParameter = (spec: EndpointSpec): string | undefined =>
  queryParameters(spec).find(([, { cuts }]) => cuts)?.[0]

/** The parameter that picks rows, if the endpoint has one: its name, and the member of a row that it is compared with. */
export function pickingParameter({
  parameters,
}: EndpointSpec): { readonly name: string; readonly member: string } | null {
  for (const [name, { picks }] of Object.entries(parameters)) if (picks !== undefined) return { name, member: picks }
  return null
}

const fill = (path: string, key: Key): string =>
  path
    .split('/')
    .map((part) => (part.startsWith(':') ? String(key[part.slice(1)]) : part))
    .join('/')

/** Path of the document that an answer comes from: where rows are picked it is that of all of them. */
export function documentPath(spec: EndpointSpec): string {
  const picking = pickingParameter(spec)
  return picking ? spec.path.slice(0, -`/:${picking.name}`.length) : spec.path
}

/**
 * File of a document, relative to the tree's root: `api/mkt/history/bitcoin/days=30.json`. See {@link documentPath}
 * where rows are picked.
 */
export function fileOf(spec: EndpointSpec, key: Key): string {
  const chosen = queryParameters(spec)
    .filter(([name]) => key[name] !== undefined)
    .map(([name]) => `/${name}=${key[name]}`)
  return `${API_FOLDER}${fill(documentPath(spec), key)}${chosen.join('')}.json`
}

/** Address of a document, relative to the host's root: `/api/mkt/history/bitcoin?days=30`. */
export function urlOf(spec: EndpointSpec, key: Key): string {
  const chosen = queryParameters(spec)
    .filter(([name]) => key[name] !== undefined)
    .map(([name]) => `${name}=${encodeURIComponent(key[name] ?? '')}`)
  return PREFIX + fill(spec.path, key) + (chosen.length > 0 ? `?${chosen.join('&')}` : '')
}

/** The texts of a contract's path parameters in a path below {@link PREFIX}; null where it is not the contract's path. */
export function pathTexts(spec: EndpointSpec, path: string): Readonly<Record<string, string>> | null {
  const [pattern, all] = [spec.path.split('/'), path.split('/')]
  // What picks a row is the rest of the path: an address may hold a slash.
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

/** What chooses the document of a contract's own example; null where the example is one of another endpoint. */
export function exampleKey(spec: EndpointSpec): Key | null {
  const [path = '', query = ''] = spec.example.split('?')
  const texts = pathTexts(spec, path)
  if (texts === null) return null
  const key: Record<string, Value> = {}
  for (const [name, text] of Object.entries(texts)) {
    const parameter = spec.parameters[name]
    const value = parameter && valueOf(parameter, text)
    if (value === undefined) return null
    key[name] = value
  }
  const asked = new URLSearchParams(query)
  for (const [name, parameter] of queryParameters(spec)) {
    const text = asked.get(name)
    const value = text === null ? parameter.default : valueOf(parameter, text)
    if (value !== undefined) key[name] = value
  }
  return key
}
