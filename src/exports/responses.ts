import type { EndpointSpec } from '../contract/endpoint-spec.ts'
import { MAX_BODY_BYTES } from '../contract/listing-request.ts'
import { PREFIX } from '../contract/prefix.ts'
import type { Json } from '../contract/text.ts'

type Described = Readonly<Record<string, Json>>

/** Returns a reference to a shared component. */
export const part = (group: string, name: string): Described => ({ $ref: `#/components/${group}/${name}` })

const header = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })

export const HEADERS = {
  ETag: header('Strong entity tag of the body. Each content coding has its own.', '"b5bb9d8014a0f9b1d61e21e796d78dcc"'),
  'Last-Modified': header('The `timestamp` of the document.', 'Fri, 20 Nov 2026 12:00:00 GMT'),
  'Cache-Control': header(
    'How long caches may store the answer: one to a few minutes; `no-store` for errors.',
    'no-store',
  ),
  'Access-Control-Allow-Origin': header('Any origin may read.', '*'),
  Location: header('URL of the redirect or of the new request.', `${PREFIX}/assets/bitcoin`),
  Allow: header('Methods allowed for this path.', 'GET, HEAD, OPTIONS'),
  'Retry-After': header('Seconds to wait before the next request.', '60'),
} as const satisfies Readonly<Record<string, Described>>
type Header = keyof typeof HEADERS

const EVERY: readonly Header[] = ['Access-Control-Allow-Origin', 'Cache-Control']
const OF_DOCUMENTS: readonly Header[] = [...EVERY, 'ETag', 'Last-Modified']

const headers = (names: readonly Header[]) => Object.fromEntries(names.map((name) => [name, part('headers', name)]))

export const REQUEST_HEADERS = {
  GET: {
    IfNoneMatch: ['If-None-Match', 'ETag of the cached answer. A 304 means that it is still current.'],
    IfModifiedSince: ['If-Modified-Since', 'Date of the cached answer. `If-None-Match` takes precedence.'],
  },
  POST: {},
} as const satisfies Readonly<Record<EndpointSpec['method'], Readonly<Record<string, readonly [string, string]>>>>

/** Declares a response shared by all endpoints. `says`: it has an error body. */
const refusal = (status: string, description: string, more: readonly Header[] = [], says = true) => ({
  status,
  description,
  headers: [...EVERY, ...more],
  says,
})

const REFUSALS = {
  NotModified: refusal('304', 'The cached answer is still current.', ['ETag', 'Last-Modified'], false),
  Moved: refusal(
    '308',
    'The asset has a new slug, or the chain another name. `Location` has the URL.',
    ['Location'],
    false,
  ),
  InvalidParameter: refusal(
    '400',
    '`invalid_parameter`: a parameter has an invalid value. `allowed` describes the valid ones.',
  ),
  InvalidJson: refusal('400', '`invalid_json`: the body is not JSON in UTF-8.'),
  NotFound: refusal('404', '`asset_not_found` or `not_found`: the asset or the document does not exist.'),
  MethodNotAllowed: refusal('405', '`method_not_allowed`: this path does not support the method.', ['Allow']),
  PayloadTooLarge: refusal('413', `\`payload_too_large\`: the body has more than ${MAX_BODY_BYTES} bytes.`),
  UnsupportedMediaType: refusal('415', '`unsupported_media_type`: the body is not `application/json`, or compressed.'),
  InvalidRequest: refusal('422', '`invalid_request`: members are missing or invalid. `issues` lists all of them.'),
  RateLimited: refusal('429', '`rate_limited`: too many requests from one sender.', ['Retry-After']),
  InternalError: refusal('500', '`internal_error`: the server failed.'),
  Unavailable: refusal(
    '503',
    '`unavailable`: nothing has been published yet, or listing requests cannot be stored at the moment.',
    ['Retry-After'],
  ),
} as const
type RefusalName = keyof typeof REFUSALS

const ofGet = (spec: EndpointSpec): RefusalName[] => [
  'NotModified',
  ...('slug' in spec.parameters || 'chain' in spec.parameters ? (['Moved'] as const) : []),
  'InvalidParameter',
  // Without its index, a tree counts as not published.
  ...(spec.path === '' ? [] : (['NotFound'] as const)),
]
const OF_POST: readonly RefusalName[] = [
  'InvalidJson',
  'PayloadTooLarge',
  'UnsupportedMediaType',
  'InvalidRequest',
  'RateLimited',
]

/** Returns the responses of an endpoint by status, its success first. */
export function responsesOf(spec: EndpointSpec, content: Json): Described {
  const isGet = spec.method === 'GET'
  const own = isGet
    ? { 200: { description: spec.description, headers: headers(OF_DOCUMENTS), content } }
    : { 202: { description: 'Taken.', headers: headers([...EVERY, 'Location']), content } }
  const others: readonly RefusalName[] = [
    ...(isGet ? ofGet(spec) : OF_POST),
    'MethodNotAllowed',
    'InternalError',
    'Unavailable',
  ]
  return { ...own, ...Object.fromEntries(others.map((name) => [REFUSALS[name].status, part('responses', name)])) }
}

/** Returns the responses of a file of text. */
export const textResponses = (description: string, content: Json): Described => ({
  200: { description, headers: headers(OF_DOCUMENTS), content },
  304: part('responses', 'NotModified'),
  404: part('responses', 'NotFound'),
})

/** Returns the shared responses by name. */
export const sharedResponses = (errorSchema: string): Described =>
  Object.fromEntries(
    Object.entries(REFUSALS).map(([name, { description, headers: names, says }]) => [
      name,
      {
        description,
        headers: headers(names),
        ...(says ? { content: { 'application/json': { schema: part('schemas', errorSchema) } } } : {}),
      },
    ]),
  )
