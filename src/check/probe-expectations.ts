import * as z from 'zod'
import { type EndpointSpec, answerSchemaOf } from '../contract/endpoint-spec.ts'
import { ErrorAnswer } from '../contract/error.ts'
import type { Answer } from './probe-site.ts'

/** What is wrong with an answer, one sentence each; empty where it is as the contract says. */
export type Faults = readonly string[]

const said = (what: string, is: unknown, wanted: unknown): string[] =>
  is === wanted ? [] : [`${what} is ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`]

const CORS = (received: Answer): string[] =>
  said('Access-Control-Allow-Origin', received.headers.get('access-control-allow-origin'), '*')

const JSON_TYPE = (received: Answer): string[] =>
  /^application\/json; ?charset=utf-8$/i.test(received.headers.get('content-type') ?? '')
    ? []
    : [`Content-Type is ${received.headers.get('content-type')}`]

/** Faults of a document: it is there and matches the schema of its endpoint. */
export function documentFaults(received: Answer, spec: EndpointSpec): Faults {
  if (received.status !== 200) return said('the status', received.status, 200)
  if (received.json === undefined) return [`not JSON: ${received.text.slice(0, 40)}`]
  const result = answerSchemaOf(spec).safeParse(received.json)
  const [issue] = result.error?.issues ?? []
  return issue ? [`${issue.path.join('.')}: ${issue.message}`] : []
}

/** Faults of the headers that every document has. */
export function headerFaults(received: Answer): Faults {
  const cache = received.headers.get('cache-control') ?? ''
  return [
    ...JSON_TYPE(received),
    ...CORS(received),
    ...(/max-age=60\b/.test(cache) && /s-maxage=300\b/.test(cache) ? [] : [`Cache-Control is ${cache || 'missing'}`]),
    ...said('X-Content-Type-Options', received.headers.get('x-content-type-options'), 'nosniff'),
    ...said('Cross-Origin-Resource-Policy', received.headers.get('cross-origin-resource-policy'), 'cross-origin'),
    ...(/accept-encoding/i.test(received.headers.get('vary') ?? '') ? [] : ['Vary does not name Accept-Encoding']),
    ...(/etag/i.test(received.headers.get('access-control-expose-headers') ?? '') ? [] : ['ETag is not exposed']),
    ...(received.headers.get('etag') === null ? ['there is no ETag'] : []),
    ...(received.headers.get('etag')?.startsWith('W/') ? ['the ETag is weak'] : []),
  ]
}

/** Faults of an error answer: status, code, CORS, and no cache keeps it. */
export function errorFaults(received: Answer, status: number, code: string): Faults {
  if (received.status !== status) return said('the status', received.status, status)
  const answer = ErrorAnswer.safeParse(received.json)
  if (!answer.success) return [`not an error of the contract: ${received.text.slice(0, 40)}`]
  return [
    ...said('error.code', answer.data.error.code, code),
    ...said('error.status', answer.data.error.status, status),
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

/** Faults of a shortened list: it holds that many rows, the first of the whole. */
export function limitFaults(received: Answer, full: Answer, limit: number): Faults {
  const [cut, whole] = [List.safeParse(received.json), List.safeParse(full.json)]
  if (!cut.success || !whole.success) return ['no list']
  const rows = whole.data.rows.slice(0, limit)
  return [
    ...said('the number of rows', cut.data.rows.length, rows.length),
    ...said('count', cut.data.count, rows.length),
    ...(JSON.stringify(cut.data.rows) === JSON.stringify(rows) ? [] : ['the rows are not the first of the whole list']),
  ]
}

/** Faults of the answer to a condition that holds: 304 without a body. */
export const unchangedFaults = (received: Answer): Faults => [
  ...said('the status', received.status, 304),
  ...(received.text === '' ? [] : ['a 304 has a body']),
  ...CORS(received),
]

/** Faults of the answer to a HEAD: it has the headers of a GET, with or without CORS as that, and no body. */
export const headFaults = (received: Answer, full: Answer): Faults => [
  ...said('the status', received.status, full.status),
  ...(received.text === '' ? [] : ['a HEAD has a body']),
  ...said('Content-Type', received.headers.get('content-type'), full.headers.get('content-type')),
  ...said(
    'Access-Control-Allow-Origin',
    received.headers.get('access-control-allow-origin'),
    full.headers.get('access-control-allow-origin'),
  ),
]

/** Faults of the answer to a preflight of another origin. */
export const preflightFaults = (received: Answer): Faults => [
  ...said('the status', received.status, 204),
  ...CORS(received),
  ...(/GET/.test(received.headers.get('access-control-allow-methods') ?? '')
    ? []
    : [`Access-Control-Allow-Methods is ${received.headers.get('access-control-allow-methods')}`]),
]

/** Faults of an answer that should be the same as another. */
export const sameFaults = (received: Answer, other: Answer): Faults =>
  received.text === other.text ? [] : [`it differs from the other (status ${received.status})`]
