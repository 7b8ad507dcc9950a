import { type EndpointSpec, queryParameters } from '../contract/endpoint-spec.ts'
import { MAX_BODY_BYTES } from '../contract/listing-request.ts'
import type { Json } from '../contract/text.ts'

type Described = Readonly<Record<string, Json>>

/** A part of the description that is kept once and referred to. */
export const part = (group: string, name: string): Described => ({ $ref: `#/components/${group}/${name}` })

const header = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })

/** Headers of answers that a client may want to read. */
export const HEADERS = {
  ETag: header('Strong tag of the body; each coding has its own.', '"b5bb9d8014a0f9b1d61e21e796d78dcc"'),
  'Last-Modified': header('The `timestamp` of the document.', 'Fri, 20 Nov 2026 12:00:00 GMT'),
  'Cache-Control': header(
    'How long caches may keep the answer: a minute or a few, and `no-store` on errors.',
    'no-store',
  ),
  'Access-Control-Allow-Origin': header('Any origin may read.', '*'),
  Location: header('Where to go on.', '/api/mkt/assets/bitcoin'),
  Allow: header('Methods of this path.', 'GET, HEAD, OPTIONS'),
  'Retry-After': header('Seconds to wait.', '60'),
  RateLimit: header('The tightest limit, what is left of it, and the seconds until more is.', '"hour";r=4;t=3600'),
  'RateLimit-Policy': header('The limits of one sender: so many requests in so many seconds.', '"hour";q=5;w=3600'),
} as const satisfies Readonly<Record<string, Described>>
type Header = keyof typeof HEADERS

const EVERY: readonly Header[] = ['Access-Control-Allow-Origin', 'Cache-Control']
const OF_DOCUMENTS: readonly Header[] = [...EVERY, 'ETag', 'Last-Modified']
const OF_SENDERS: readonly Header[] = ['RateLimit', 'RateLimit-Policy']

const headers = (names: readonly Header[]) => Object.fromEntries(names.map((name) => [name, part('headers', name)]))

/** What a client may send along with a GET, and with a POST. */
export const REQUEST_HEADERS = {
  GET: {
    IfNoneMatch: ['If-None-Match', 'Tag of the answer that the client holds: a 304 says that it is still right.'],
    IfModifiedSince: ['If-Modified-Since', 'The same by date; `If-None-Match` comes first.'],
  },
  POST: {
    IdempotencyKey: [
      'Idempotency-Key',
      'A text of the sender for this request: sent again, it makes no second one. The same body again does not either.',
    ],
  },
} as const satisfies Readonly<Record<EndpointSpec['method'], Readonly<Record<string, readonly [string, string]>>>>

/** An answer that is the same for every endpoint. */
interface Refusal {
  readonly status: string
  readonly description: string
  readonly headers: readonly Header[]
  /** Whether it has a body, which is the error then. */
  readonly says: boolean
}
const refusal = (status: string, description: string, more: readonly Header[] = []): Refusal => ({
  status,
  description,
  headers: [...EVERY, ...more],
  says: true,
})

const REFUSALS = {
  NotModified: {
    status: '304',
    description: 'What the client holds is still right.',
    headers: OF_DOCUMENTS,
    says: false,
  },
  Moved: {
    status: '308',
    description: 'The asset goes by another slug now, which `Location` leads to.',
    headers: [...EVERY, 'Location'],
    says: false,
  },
  InvalidParameter: refusal(
    '400',
    '`invalid_parameter`: a parameter has a value that is not allowed; `allowed` says which are.',
  ),
  InvalidJson: refusal('400', '`invalid_json`: the body is not JSON in UTF-8.'),
  NotFound: refusal('404', '`asset_not_found` or `not_found`: there is no such asset, or no such document here.'),
  MethodNotAllowed: refusal('405', '`method_not_allowed`: another method than those of this path.', ['Allow']),
  PayloadTooLarge: refusal('413', `\`payload_too_large\`: the body has more than ${MAX_BODY_BYTES} bytes.`),
  UnsupportedMediaType: refusal('415', '`unsupported_media_type`: the body is not `application/json`.'),
  InvalidRequest: refusal(
    '422',
    '`invalid_request`: members are missing or not as they should be; `issues` names them all.',
  ),
  RateLimited: refusal('429', '`rate_limited`: too many requests of one sender.', [...OF_SENDERS, 'Retry-After']),
  InternalError: refusal('500', '`internal_error`: something went wrong here.'),
  Unavailable: refusal('503', '`unavailable`: nothing is published yet, or listing requests cannot be kept now.', [
    'Retry-After',
  ]),
} as const satisfies Readonly<Record<string, Refusal>>
type RefusalName = keyof typeof REFUSALS

const ofGet = (spec: EndpointSpec): RefusalName[] => [
  'NotModified',
  ...('slug' in spec.parameters ? (['Moved'] as const) : []),
  ...(queryParameters(spec).length > 0 ? (['InvalidParameter'] as const) : []),
  // Without its index a tree counts as not published at all.
  ...(spec.path === '' ? [] : (['NotFound'] as const)),
]
const OF_POST: readonly RefusalName[] = [
  'InvalidJson',
  'PayloadTooLarge',
  'UnsupportedMediaType',
  'InvalidRequest',
  'RateLimited',
]

/** What an endpoint answers, by status: its own answer first. */
export function responsesOf(spec: EndpointSpec, content: Json): Described {
  const isGet = spec.method === 'GET'
  const own = isGet
    ? { 200: { description: spec.description, headers: headers(OF_DOCUMENTS), content } }
    : { 202: { description: 'Taken.', headers: headers([...EVERY, 'Location', ...OF_SENDERS]), content } }
  const others: readonly RefusalName[] = [
    ...(isGet ? ofGet(spec) : OF_POST),
    'MethodNotAllowed',
    'InternalError',
    'Unavailable',
  ]
  return { ...own, ...Object.fromEntries(others.map((name) => [REFUSALS[name].status, part('responses', name)])) }
}

/** The answers that are the same for every endpoint, by name. */
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
