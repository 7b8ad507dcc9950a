import {
  type EndpointSpec,
  type Key,
  cuttingParameter,
  fileOf,
  pathTexts,
  pickingParameter,
  queryParameters,
} from '../contract/endpoint-spec.ts'
import { type Parameter, type Value, valueOf } from '../contract/parameters.ts'
import { PREFIX, type ErrorCode } from '../contract/words.ts'

/** Why a request is not answered, as the contract says it. */
export interface RequestError {
  readonly kind: 'error'
  readonly endpoint: string
  readonly status: number
  readonly code: ErrorCode
  readonly message: string
  readonly parameter: string | null
  readonly allowed: Parameter['allowed'] | null
  /** With 405: the methods of the path. */
  readonly allow?: readonly string[]
  /** With 422: everything that is wrong with the body. */
  readonly issues?: readonly { readonly path: string; readonly message: string }[]
  /** Headers besides those of every answer. */
  readonly headers?: Readonly<Record<string, string>>
}

/** What a request asks for. */
export type Resolution =
  | RequestError
  | { readonly kind: 'preflight'; readonly allow: readonly string[] }
  | { readonly kind: 'action'; readonly spec: EndpointSpec }
  | {
      readonly kind: 'document'
      readonly spec: EndpointSpec
      readonly key: Key
      /** The file that holds the answer as it is, where one was written. */
      readonly file: string
      /** Where it was not: the file to shorten, and to how many rows. */
      readonly cut: { readonly file: string; readonly rows: number } | null
      /** Where rows of the file are the answer: those with this value in this member. */
      readonly pick: { readonly member: string; readonly value: Value } | null
    }

/** An error of an endpoint, about no parameter unless told. */
export const requestError = (
  endpoint: string,
  status: number,
  code: ErrorCode,
  message: string,
  more: Partial<Omit<RequestError, 'kind' | 'endpoint' | 'status' | 'code' | 'message'>> = {},
): RequestError => ({ kind: 'error', endpoint, status, code, message, parameter: null, allowed: null, ...more })

/** What a request asks for, told from its method and address alone. */
export function resolve(specs: readonly EndpointSpec[], method: string, url: URL): Resolution {
  const unknown = requestError('index', 404, 'not_found', `There is nothing here. ${PREFIX} lists what there is.`)
  const path = pathOf(url)
  if (path === null) return unknown
  const { bare, query, variant } = addressOf(path, url.searchParams)
  const found = specs.flatMap((spec) => {
    const values = pathTexts(spec, bare)
    // A query may hold anything, but a file is named after a parameter that chooses it.
    const isNamed = variant === null || queryParameters(spec).some(([name]) => name === variant)
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
  if (method === 'OPTIONS') return { kind: 'preflight', allow }
  const wanted = method === 'HEAD' ? 'GET' : method
  const one = found.find(({ spec }) => spec.method === wanted)
  if (!one)
    return requestError(first.spec.name, 405, 'method_not_allowed', `${method} is not allowed here.`, {
      allowed: allow,
      allow,
    })
  if (one.spec.method === 'POST') return { kind: 'action', spec: one.spec }
  return documentOf(one.spec, one.values, query)
}

/** The decoded path below the prefix, without a trailing slash; null for what no file of a tree can be called. */
function pathOf(url: URL): string | null {
  let path
  try {
    path = decodeURIComponent(url.pathname)
  } catch {
    return null
  }
  const printable = /^[\x21-\x7e]*$/.test(path) && !path.includes('\\') && !path.split('/').includes('..')
  if (!printable || !(path === PREFIX || path.startsWith(`${PREFIX}/`) || path === `${PREFIX}.json`)) return null
  return path.slice(PREFIX.length).replace(/\/$/, '')
}

/** `/assets/limit=10.json` is the file of `/assets?limit=10`: both forms are one address. `variant` is the parameter in a file's name. */
function addressOf(
  path: string,
  asked: URLSearchParams,
): { bare: string; query: URLSearchParams; variant: string | null } {
  if (!path.endsWith('.json')) return { bare: path, query: asked, variant: null }
  const bare = path.slice(0, -'.json'.length)
  const [, parent, name, value] = /^(.*)\/([a-z]+)=([^/]*)$/.exec(bare) ?? []
  if (parent === undefined || name === undefined || value === undefined)
    return { bare, query: new URLSearchParams(), variant: null }
  return { bare: parent, query: new URLSearchParams([[name, value]]), variant: name }
}

function documentOf(spec: EndpointSpec, texts: Readonly<Record<string, string>>, query: URLSearchParams): Resolution {
  const key: Record<string, Value> = {}
  for (const [name, text] of Object.entries(texts)) {
    const parameter = spec.parameters[name]
    const value = parameter && valueOf(parameter, text)
    if (value === undefined)
      return name === 'slug'
        ? requestError(spec.name, 404, 'asset_not_found', 'No asset has this slug.', { parameter: name })
        : requestError(spec.name, 404, 'not_found', 'There is nothing of this name.', {
            parameter: name,
            allowed: parameter?.allowed ?? null,
          })
    key[name] = value
  }
  for (const [name, parameter] of queryParameters(spec)) {
    const given = query.getAll(name)
    const [text] = given
    const value = text === undefined ? parameter.default : valueOf(parameter, text)
    if (given.length > 1 || (text !== undefined && value === undefined)) {
      const message = given.length > 1 ? `${name} is given more than once.` : `${name} has a value that is not allowed.`
      return requestError(spec.name, 400, 'invalid_parameter', message, {
        parameter: name,
        allowed: parameter.allowed,
      })
    }
    if (value !== undefined) key[name] = value
  }
  const picking = pickingParameter(spec)
  const pick = picking && { member: picking.member, value: key[picking.name] ?? '' }
  const cutting = cuttingParameter(spec)
  const rows = cutting === undefined ? undefined : key[cutting]
  if (cutting === undefined || typeof rows !== 'number')
    return { kind: 'document', spec, key, file: fileOf(spec, key), cut: null, pick }
  const { [cutting]: _, ...full } = key
  return {
    kind: 'document',
    spec,
    key,
    file: fileOf(spec, key),
    cut: { file: fileOf(spec, full), rows },
    pick,
  }
}
