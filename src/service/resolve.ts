import {
  type EndpointSpec,
  type Key,
  fileParameters,
  fileOf,
  pathTexts,
  pickingParameter,
  queryParameters,
} from '../core/contract/endpoint-spec.ts'
import type { ErrorAnswer } from '../core/contract/envelope.ts'
import { type Parameter, adviceOn, parameterValue } from '../core/contract/parameters.ts'
import { PREFIX } from '../core/contract/prefix.ts'
import type { ErrorCode } from '../core/contract/words.ts'

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

type Problem = ErrorAnswer['error']
type Details = Partial<Omit<Problem, 'code' | 'message' | 'allowed'>> & {
  readonly allowed?: Parameter['allowed'] | null
  readonly headers?: Readonly<Record<string, string>>
}

export class RequestError extends Error {
  readonly endpoint: string
  readonly problem: Problem
  readonly headers: Readonly<Record<string, string>>

  constructor(
    endpoint: string,
    code: ErrorCode,
    message: string,
    { headers = {}, parameter = null, allowed = null, ...more }: Details = {},
  ) {
    super(message)
    this.endpoint = endpoint
    this.headers = headers
    const values = typeof allowed === 'string' || allowed === null ? allowed : [...allowed]
    this.problem = { code, message, status: STATUS[code], parameter, allowed: values, ...more }
  }
}

export type DocumentRequest = ReturnType<typeof documentOf>

/** `csv`: the `Accept` header prefers CSV, where the URL names no format. @throws RequestError */
export function resolve(specs: readonly EndpointSpec[], method: string, url: URL, csv = false) {
  const path = pathOf(url)
  const { bare, query, variant } = addressOf(path, url.searchParams)
  const found = specs.flatMap((spec) => {
    const values = path.endsWith('.csv') && !hasCsv(spec) ? null : pathTexts(spec, bare)
    // A query may contain anything, but a file name only a parameter that selects it.
    const isNamed = variant === null || fileParameters(spec).some(([name]) => name === variant)
    return values && isNamed ? [{ spec, values }] : []
  })
  const [first] = found
  if (!first) throw noEndpoint()
  const of = (name: string) => found.find(({ spec }) => spec.method === (name === 'HEAD' ? 'GET' : name))
  const allow = [...['GET', 'HEAD', 'POST'].filter(of), 'OPTIONS']
  if (method === 'OPTIONS') return { kind: 'preflight', allow } as const
  const one = of(method)
  if (!one)
    throw new RequestError(first.spec.name, 'method_not_allowed', `${method} is not allowed for this path.`, {
      allowed: allow,
      headers: { allow: allow.join(', ') },
    })
  const { spec, values } = one
  if (spec.method === 'POST') return { kind: 'action', spec } as const
  const isAccepted = csv && !path.endsWith('.json') && 'format' in spec.parameters
  const key = { ...pathValues(spec, values), ...queryValues(spec, query) }
  return documentOf(spec, key, path.endsWith('.csv') || isAccepted)
}

const noEndpoint = (): RequestError =>
  new RequestError('index', 'not_found', `There is no such endpoint. ${PREFIX} lists all endpoints.`)

/** Returns a path without its percent-encoding; null if that is not valid. */
export function decoded(pathname: string): string | null {
  try {
    return decodeURIComponent(pathname)
  } catch {
    return null
  }
}

/** Returns the decoded path below the prefix, without a trailing slash. @throws RequestError if no file has that name */
function pathOf(url: URL): string {
  const path = decoded(url.pathname) ?? ''
  const isPrintable = /^[\x21-\x7e]*$/.test(path) && !path.includes('\\') && !path.split('/').includes('..')
  if (!isPrintable || !(path === PREFIX || path.startsWith(`${PREFIX}/`) || path === `${PREFIX}.json`))
    throw noEndpoint()
  return path.slice(PREFIX.length).replace(/\/$/, '')
}

/** Whether `.csv` after the path of an endpoint is its rows as CSV. */
const hasCsv = ({ path, parameters: own }: EndpointSpec) => /^\/(assets|markets|prices)$/.test(path) || 'format' in own

/** Maps a file name to its request: `/assets/limit=10.json` is `/assets?limit=10`. `variant` is the parameter in the file name. */
function addressOf(path: string, query: URLSearchParams) {
  const [, parent, variant = '', value = ''] = /^(.*)\/([a-z]+)=([^/]*)\.json$/.exec(path) ?? []
  if (parent === undefined) return { bare: path.replace(/\.(csv|json)$/, ''), query, variant: null }
  return { bare: parent, query: new URLSearchParams([[variant, value], ...query]), variant }
}

function documentOf(spec: EndpointSpec, key: Key, csv: boolean) {
  const picking = pickingParameter(spec)
  const { limit: rows, ids, vs, format, ...full } = key
  return {
    kind: 'document',
    spec,
    key,
    /** The file with the exact answer, which may not exist. */
    file: fileOf(spec, key),
    /** If it does not exist: the file of the full list, and the number of rows to keep. */
    limited: typeof rows === 'number' ? { file: fileOf(spec, full), rows } : null,
    /** If the answer is a selection of rows: the parameter, the member and the value to match. */
    pick: picking && { ...picking, value: key[picking.name] ?? '' },
    /** If the answer is computed from the document: the slugs to select. */
    slugs: ids?.toString().split(',').toSorted() ?? null,
    currency: vs?.toString() ?? null,
    csv: format === undefined ? csv : format === 'csv',
  } as const
}

/** Returns the error for a value of a parameter in the path under which nothing is published. */
export function nothingNamed({ name: endpoint, parameters, absent }: EndpointSpec, parameter: string): RequestError {
  if (absent !== undefined) return new RequestError(endpoint, 'not_found', absent, { parameter })
  if (parameter === 'slug')
    return new RequestError(endpoint, 'asset_not_found', 'No asset has this slug.', { parameter })
  const allowed = parameters[parameter]?.allowed ?? null
  const message = `There is no such ${parameter}, or nothing is published of it.`
  return new RequestError(endpoint, 'not_found', message, { parameter, allowed })
}

const pathValues = (spec: EndpointSpec, texts: Readonly<Record<string, string>>): Key =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const parameter = spec.parameters[name]
      const value = parameter && parameterValue(parameter, text)
      if (value === undefined) throw nothingNamed(spec, name)
      return [name, value]
    }),
  )

function queryValues(spec: EndpointSpec, query: URLSearchParams): Key {
  const refusal = (parameter: string, message: string, allowed: Parameter['allowed']) =>
    new RequestError(spec.name, 'invalid_parameter', message, { parameter, allowed })
  const parameters = Object.fromEntries(queryParameters(spec))
  // A parameter of another API would be ignored in silence.
  for (const [name, value] of query) {
    const advice = adviceOn(name, parameters)
    if (advice !== null && !(name === 'format' && value === 'json'))
      throw refusal(name, `${name} is not a parameter of this endpoint. Use instead: ${advice}.`, advice)
  }
  const values = Object.entries(parameters).flatMap(([name, parameter]) => {
    const [text, another] = query.getAll(name)
    if (another !== undefined) throw refusal(name, `${name} is given more than once.`, parameter.allowed)
    const value = text === undefined ? parameter.default : parameterValue(parameter, text)
    if (text !== undefined && value === undefined)
      throw refusal(name, `${name} has an invalid value.`, parameter.allowed)
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(values)
}
