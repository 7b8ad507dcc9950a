import * as z from 'zod'
import type { ZodOpenApiContentObject, ZodOpenApiResponseObject } from 'zod-openapi'
import type { EndpointSpec } from '../core/contract/endpoint-spec.ts'
import { ErrorAnswer } from '../core/contract/envelope.ts'
import { MAX_BODY_BYTES } from '../core/contract/listing-request.ts'
import { PREFIX } from '../core/contract/prefix.ts'

const header = (id: string, description: string, example: string) =>
  z.string().meta({ header: { id, description, example } })

const EVERY = {
  'Access-Control-Allow-Origin': header('AllowOrigin', 'Any origin may read.', '*'),
  'Cache-Control': header(
    'CacheControl',
    'How long caches may store the answer: one to a few minutes; `no-store` for errors.',
    'no-store',
  ),
}
const VALIDATORS = {
  ETag: header('ETag', 'Strong entity tag of the body. Each content coding has its own.', '"b5bb9d8014a0f9b1d61e21e7"'),
  'Last-Modified': header('LastModified', 'The `timestamp` of the document.', 'Fri, 20 Nov 2026 12:00:00 GMT'),
}
const LOCATION = {
  Location: header('Location', 'URL of the redirect or of the new request.', `${PREFIX}/assets/bitcoin`),
}
const ALLOW = { Allow: header('Allow', 'Methods allowed for this path.', 'GET, HEAD, OPTIONS') }
const RETRY_AFTER = { 'Retry-After': header('RetryAfter', 'Seconds to wait before the next request.', '60') }
type HeaderSchemas = Readonly<Record<string, z.ZodType>>

const requestHeader = (id: string, description: string) => z.string().optional().meta({ description, param: { id } })

export const REQUEST_HEADERS = {
  GET: z.object({
    'If-None-Match': requestHeader('IfNoneMatch', 'ETag of the cached answer. A 304 means that it is still current.'),
    'If-Modified-Since': requestHeader(
      'IfModifiedSince',
      'Date of the cached answer. `If-None-Match` takes precedence.',
    ),
  }),
  POST: z.object({}),
} as const

const response = (description: string, headers: HeaderSchemas, content?: ZodOpenApiContentObject) => ({
  description,
  headers: z.object({ ...EVERY, ...headers }),
  ...(content && { content }),
})

const refusal = (id: string, description: string, headers: HeaderSchemas = {}): ZodOpenApiResponseObject => ({
  id,
  ...response(description, headers, { 'application/json': { schema: ErrorAnswer } }),
})

const NOT_MODIFIED = { id: 'NotModified', ...response('The cached answer is still current.', VALIDATORS) }
const MOVED = {
  id: 'Moved',
  ...response('The asset has a new slug, or the chain another name. `Location` has the URL.', LOCATION),
}
const NOT_FOUND = refusal('NotFound', '`asset_not_found` or `not_found`: the asset or the document does not exist.')
const OF_EVERY = {
  405: refusal('MethodNotAllowed', '`method_not_allowed`: this path does not support the method.', ALLOW),
  500: refusal('InternalError', '`internal_error`: the server failed.'),
  503: refusal(
    'Unavailable',
    '`unavailable`: nothing has been published yet, or listing requests cannot be stored at the moment.',
    RETRY_AFTER,
  ),
}
const INVALID_PARAMETER = refusal(
  'InvalidParameter',
  '`invalid_parameter`: a parameter has an invalid value. `allowed` describes the valid ones.',
)
const OF_POST = {
  400: refusal('InvalidJson', '`invalid_json`: the body is not JSON in UTF-8.'),
  413: refusal('PayloadTooLarge', `\`payload_too_large\`: the body has more than ${MAX_BODY_BYTES} bytes.`),
  415: refusal('UnsupportedMediaType', '`unsupported_media_type`: the body is not `application/json`, or compressed.'),
  422: refusal('InvalidRequest', '`invalid_request`: members are missing or invalid. `issues` lists all of them.'),
  429: refusal('RateLimited', '`rate_limited`: too many requests from one sender.', RETRY_AFTER),
}

export function responsesOf(spec: EndpointSpec, schema: z.ZodType, type = 'application/json') {
  const { description, method, path, parameters } = spec
  const content = { [type]: { schema } }
  if (method === 'POST') return { 202: response('Taken.', LOCATION, content), ...OF_POST, ...OF_EVERY }
  return {
    200: response(description, VALIDATORS, content),
    304: NOT_MODIFIED,
    ...('slug' in parameters || 'chain' in parameters ? { 308: MOVED } : {}),
    400: INVALID_PARAMETER,
    // Without its index, a tree counts as not published.
    ...(path === '' ? {} : { 404: NOT_FOUND }),
    ...OF_EVERY,
  }
}

export const textResponses = (description: string, content: ZodOpenApiContentObject) => ({
  200: response(description, VALIDATORS, content),
  304: NOT_MODIFIED,
  404: NOT_FOUND,
})
