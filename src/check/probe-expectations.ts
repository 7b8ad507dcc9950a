import * as z from 'zod'
import { type EndpointSpec, answerSchemaOf } from '../contract/endpoint-spec.ts'
import { ErrorAnswer } from '../contract/error.ts'
import type { Answer } from './probe-site.ts'

/** Sentences about how an answer breaks the contract; empty if it does not. */
export type Faults = readonly string[]

const mismatch = (what: string, is: unknown, wanted: unknown): string[] =>
  is === wanted ? [] : [`${what} is ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`]

const CORS = (received: Answer): string[] =>
  mismatch('Access-Control-Allow-Origin', received.headers.get('access-control-allow-origin'), '*')

const JSON_TYPE = (received: Answer): string[] =>
  /^application\/json; ?charset=utf-8$/i.test(received.headers.get('content-type') ?? '')
    ? []
    : [`Content-Type is ${received.headers.get('content-type')}`]

/** Returns the faults of a document, which must exist and match the schema of its endpoint. */
export function documentFaults(received: Answer, spec: EndpointSpec): Faults {
  if (received.status !== 200) return mismatch('the status', received.status, 200)
  if (received.json === undefined) return [`not JSON: ${received.text.slice(0, 40)}`]
  const result = answerSchemaOf(spec).safeParse(received.json)
  const [issue] = result.error?.issues ?? []
  return issue ? [`${issue.path.join('.')}: ${issue.message}`] : []
}

/** Returns the faults of the headers of a document. */
export function headerFaults(received: Answer): Faults {
  const cache = received.headers.get('cache-control') ?? ''
  return [
    ...JSON_TYPE(received),
    ...CORS(received),
    ...(/max-age=60\b/.test(cache) && /s-maxage=300\b/.test(cache) ? [] : [`Cache-Control is ${cache || 'missing'}`]),
    ...mismatch('X-Content-Type-Options', received.headers.get('x-content-type-options'), 'nosniff'),
    ...mismatch('Cross-Origin-Resource-Policy', received.headers.get('cross-origin-resource-policy'), 'cross-origin'),
    ...(/accept-encoding/i.test(received.headers.get('vary') ?? '') ? [] : ['Vary does not name Accept-Encoding']),
    ...(/etag/i.test(received.headers.get('access-control-expose-headers') ?? '') ? [] : ['ETag is not exposed']),
    ...(received.headers.get('etag') === null ? ['there is no ETag'] : []),
    ...(received.headers.get('etag')?.startsWith('W/') ? ['the ETag is weak'] : []),
  ]
}

/** Returns the faults of an error answer: its status, code and CORS headers, and whether a cache may store it. */
export function errorFaults(received: Answer, status: number, code: string): Faults {
  if (received.status !== status) return mismatch('the status', received.status, status)
  const answer = ErrorAnswer.safeParse(received.json)
  if (!answer.success) return [`not an error of the contract: ${received.text.slice(0, 40)}`]
  return [
    ...mismatch('error.code', answer.data.error.code, code),
    ...mismatch('error.status', answer.data.error.status, status),
    ...JSON_TYPE(received),
    ...CORS(received),
    ...(/no-store/.test(received.headers.get('cache-control') ?? '')
      ? []
      : [`Cache-Control of an error is ${received.headers.get('cache-control')}`]),
  ]
}

const List = z
  .object({
    count: z.number(),
    rows: z.array(z.unknown()).optional(),
    prices: z.record(z.string(), z.unknown()).optional(),
  })
  .transform(({ count, rows, prices }) => ({ count, rows: rows ?? Object.entries(prices ?? {}) }))

/** Returns the faults of a list with a limit, which must have the first rows of the full list. */
export function limitFaults(received: Answer, full: Answer, limit: number): Faults {
  const [list, whole] = [List.safeParse(received.json), List.safeParse(full.json)]
  if (!list.success || !whole.success) return ['no list']
  const rows = whole.data.rows.slice(0, limit)
  return [
    ...mismatch('the number of rows', list.data.rows.length, rows.length),
    ...mismatch('count', list.data.count, rows.length),
    ...(JSON.stringify(list.data.rows) === JSON.stringify(rows)
      ? []
      : ['the rows are not the first of the whole list']),
  ]
}

/** Returns the faults of an answer to a conditional request for an unchanged document, which must be a 304 without a body. */
export const unchangedFaults = (received: Answer): Faults => [
  ...mismatch('the status', received.status, 304),
  ...(received.text === '' ? [] : ['a 304 has a body']),
  ...CORS(received),
]

/** Returns the faults of an answer to a HEAD, which must have the status and headers of the GET and no body. */
export const headFaults = (received: Answer, full: Answer): Faults => [
  ...mismatch('the status', received.status, full.status),
  ...(received.text === '' ? [] : ['a HEAD has a body']),
  ...mismatch('Content-Type', received.headers.get('content-type'), full.headers.get('content-type')),
  ...mismatch(
    'Access-Control-Allow-Origin',
    received.headers.get('access-control-allow-origin'),
    full.headers.get('access-control-allow-origin'),
  ),
]

/** Returns the faults of an answer to a preflight. */
export const preflightFaults = (received: Answer): Faults => [
  ...mismatch('the status', received.status, 204),
  ...CORS(received),
  ...(/GET/.test(received.headers.get('access-control-allow-methods') ?? '')
    ? []
    : [`Access-Control-Allow-Methods is ${received.headers.get('access-control-allow-methods')}`]),
]

/** Returns the faults of an answer that must have the same body as another. */
export const sameFaults = (received: Answer, other: Answer): Faults =>
  received.text === other.text ? [] : [`it differs from the other (status ${received.status})`]
