import {
  type EndpointSpec,
  type Key,
  computedParameter,
  fileParameters,
  limitParameter,
  fileOf,
  pathTexts,
  pickingParameter,
  queryParameters,
} from '../core/contract/endpoint-spec.ts'
import { type Parameter, adviceOn, type Value, valueOf } from '../core/contract/parameters.ts'
import { PREFIX } from '../core/contract/prefix.ts'
import { type ErrorCode } from '../core/contract/words.ts'

export interface RequestError {
  readonly kind: 'error'
  readonly endpoint: string
  readonly status: number
  readonly code: ErrorCode
  readonly message: string
  readonly parameter: string | null
  readonly allowed: Parameter['allowed'] | null
  /** For 405: the methods of the path. */
  readonly allow?: readonly string[]
  /** For 422: every problem of the body. */
  readonly issues?: readonly { readonly path: string; readonly message: string }[]
  /** With `issues`: unknown members of the body. */
  readonly ignored?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}

export type Resolution = ReturnType<typeof resolve>

export type Computation = NonNullable<ReturnType<typeof computationOf>>

const STATUS: Readonly<Record<ErrorCode, number>> = {
  not_found: 404,
  asset_not_found: 404,
  invalid_parameter: 400,
  invalid_json: 400,
  invalid_request: 422,
  method_not_allowed: 405,
  unsupported_media_type: 415,
  payload_too_large: 413,
  rate_limited: 429,
  unavailable: 503,
  internal_error: 500,
}

/** Creates an error of an endpoint, by default not about a parameter. */
export const requestError = (
  endpoint: string,
  code: ErrorCode,
  message: string,
  more: Partial<Omit<RequestError, 'kind' | 'endpoint' | 'code' | 'message'>> = {},
): RequestError => ({
  kind: 'error',
  endpoint,
  status: STATUS[code],
  code,
  message,
  parameter: null,
  allowed: null,
  ...more,
})

/** Resolves the method and URL of a request. `csv`: its `Accept` header prefers CSV, where the URL names no format. */
export function resolve(specs: readonly EndpointSpec[], method: string, url: URL, csv = false) {
  const unknown = requestError('index', 'not_found', `There is no such endpoint. ${PREFIX} lists all endpoints.`)
  const path = pathOf(url)
  if (path === null) return unknown
  const { bare, query, variant } = addressOf(path, url.searchParams)
  const found = specs.flatMap((spec) => {
    const values = pathTexts(spec, bare)
    // A query may contain anything, but a file name only a parameter that selects it.
    const isNamed = variant === null || fileParameters(spec).some(([name]) => name === variant)
    if (path.endsWith('.csv') && !hasCsv(spec)) return []
    return values && isNamed ? [{ spec, values }] : []
  })
  const [first] = found
  if (!first) return unknown

  const methods = found.map(({ spec }) => spec.method)
  const allow = [
    ...(methods.includes('GET') ? ['GET', 'HEAD'] : []),
    ...(methods.includes('POST') ? ['POST'] : []),
    'OPTIONS',
  ]
  if (method === 'OPTIONS') return { kind: 'preflight', allow } as const
  const wanted = method === 'HEAD' ? 'GET' : method
  const one = found.find(({ spec }) => spec.method === wanted)
  if (!one)
    return requestError(first.spec.name, 'method_not_allowed', `${method} is not allowed for this path.`, {
      allowed: allow,
      allow,
    })
  if (one.spec.method === 'POST') return { kind: 'action', spec: one.spec } as const
  const isAccepted = csv && !path.endsWith('.json') && computedParameter(one.spec, 'format') !== undefined
  return documentOf(one.spec, one.values, { query, csv: path.endsWith('.csv') || isAccepted })
}

/** Returns a path without its percent-encoding; null if that is not valid. */
export function decoded(pathname: string): string | null {
  try {
    return decodeURIComponent(pathname)
  } catch {
    return null
  }
}

/** Returns the decoded path below the prefix, without a trailing slash, or null if no file of a tree can have that name. */
function pathOf(url: URL): string | null {
  const path = decoded(url.pathname)
  if (path === null) return null
  const printable = /^[\x21-\x7e]*$/.test(path) && !path.includes('\\') && !path.split('/').includes('..')
  if (!printable || !(path === PREFIX || path.startsWith(`${PREFIX}/`) || path === `${PREFIX}.json`)) return null
  return path.slice(PREFIX.length).replace(/\/$/, '')
}

/** Whether `.csv` after the path of an endpoint is its rows as CSV. */
const hasCsv = (spec: EndpointSpec): boolean =>
  spec.path === '/assets' || computedParameter(spec, 'format') !== undefined

/** Maps a file name to its request: `/assets/limit=10.json` is `/assets?limit=10`. `variant` is the parameter in the file name. */
function addressOf(
  path: string,
  asked: URLSearchParams,
): { bare: string; query: URLSearchParams; variant: string | null } {
  if (!path.endsWith('.json')) return { bare: path.replace(/\.csv$/, ''), query: asked, variant: null }
  const bare = path.slice(0, -'.json'.length)
  const [, parent, name, value] = /^(.*)\/([a-z]+)=([^/]*)$/.exec(bare) ?? []
  if (parent === undefined || name === undefined || value === undefined) return { bare, query: asked, variant: null }
  return { bare: parent, query: new URLSearchParams([[name, value], ...asked]), variant: name }
}

/** Returns the error for a parameter of another API that would be ignored in silence; null without one. */
function foreignError({ name, parameters }: EndpointSpec, query: URLSearchParams): RequestError | null {
  for (const [parameter, value] of query) {
    const allowed = adviceOn(parameter, parameters)
    if (allowed === null || (parameter === 'format' && value === 'json')) continue
    const message = `${parameter} is not a parameter of this endpoint. Use instead: ${allowed}.`
    return requestError(name, 'invalid_parameter', message, { parameter, allowed })
  }
  return null
}

/** Returns what a read is answered from, or why it is refused. */
function documentOf(
  spec: EndpointSpec,
  texts: Readonly<Record<string, string>>,
  { query, csv: accepted }: { readonly query: URLSearchParams; readonly csv: boolean },
) {
  const path = pathValues(spec, texts)
  if ('error' in path) return path.error
  const foreign = foreignError(spec, query)
  if (foreign) return foreign
  const chosen = queryValues(spec, query)
  if ('error' in chosen) return chosen.error
  const key: Key = { ...path.values, ...chosen.values }
  const picking = pickingParameter(spec)
  const pick = picking && { ...picking, value: key[picking.name] ?? '' }
  const limit = limitParameter(spec)
  const rows = limit === undefined ? undefined : key[limit]
  const computed = computationOf(spec, key)
  const format = computedParameter(spec, 'format')
  const csv = format === undefined || key[format] === undefined ? accepted : key[format] === 'csv'
  const { [limit ?? '']: _, ...full } = key
  return {
    kind: 'document',
    spec,
    key,
    /** The file with the exact answer, which may not exist. */
    file: fileOf(spec, key),
    /** If it does not exist: the file of the full list, and the number of rows to keep. */
    limited: typeof rows === 'number' ? { file: fileOf(spec, full), rows } : null,
    /** If the answer is a selection of rows: the parameter, the member and the value to match. */
    pick,
    /** If the answer is computed from the document: the slugs to select and the currency of the amounts. */
    computed,
    csv,
  } as const
}

/**
 * Returns what the values of a request make a function compute: rows of some slugs, in alphabetical order, and amounts in a
 * currency, by its symbol in lower case. Null if its answer is a document.
 */
function computationOf(spec: EndpointSpec, key: Key) {
  const textOf = (what: Parameter['computed']) => {
    const text = key[computedParameter(spec, what) ?? '']
    return text === undefined ? null : String(text)
  }
  const [rows, currency] = [textOf('rows'), textOf('currency')]
  return rows === null && currency === null ? null : { slugs: rows?.split(',').toSorted() ?? null, currency }
}

type Values = { readonly values: Key } | { readonly error: RequestError }

/** Returns the error for a value of a parameter in the path under which nothing is published. */
export function nothingNamed({ name: endpoint, parameters, absent }: EndpointSpec, parameter: string): RequestError {
  if (absent !== undefined) return requestError(endpoint, 'not_found', absent, { parameter })
  if (parameter === 'slug') return requestError(endpoint, 'asset_not_found', 'No asset has this slug.', { parameter })
  const allowed = parameters[parameter]?.allowed ?? null
  const message = `There is no such ${parameter}, or nothing is published of it.`
  return requestError(endpoint, 'not_found', message, { parameter, allowed })
}

function pathValues(spec: EndpointSpec, texts: Readonly<Record<string, string>>): Values {
  const key: Record<string, Value> = {}
  for (const [name, text] of Object.entries(texts)) {
    const parameter = spec.parameters[name]
    const value = parameter && valueOf(parameter, text)
    if (value === undefined) return { error: nothingNamed(spec, name) }
    key[name] = value
  }
  return { values: key }
}

function queryValues(spec: EndpointSpec, query: URLSearchParams): Values {
  const key: Record<string, Value> = {}
  for (const [name, parameter] of queryParameters(spec)) {
    const given = query.getAll(name)
    const [text] = given
    const value = text === undefined ? parameter.default : valueOf(parameter, text)
    if (given.length > 1 || (text !== undefined && value === undefined)) {
      const message = given.length > 1 ? `${name} is given more than once.` : `${name} has an invalid value.`
      const { allowed } = parameter
      return { error: requestError(spec.name, 'invalid_parameter', message, { parameter: name, allowed }) }
    }
    if (value !== undefined) key[name] = value
  }
  return { values: key }
}
