import * as z from 'zod'
import { type EndpointSpec, answerSchemaOf } from '../contract/endpoint-spec.ts'
import { ErrorAnswer } from '../contract/error.ts'
import type { Got } from './probe-site.ts'

/** What is wrong with an answer, in a sentence each; none where it is as the contract says. */
export type Faults = readonly string[]

const said = (what: string, is: unknown, wanted: unknown): string[] =>
  is === wanted ? [] : [`${what} is ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`]

const CORS = (got: Got): string[] =>
  said('Access-Control-Allow-Origin', got.headers.get('access-control-allow-origin'), '*')

const JSON_TYPE = (got: Got): string[] =>
  /^application\/json; ?charset=utf-8$/i.test(got.headers.get('content-type') ?? '')
    ? []
    : [`Content-Type is ${got.headers.get('content-type')}`]

/** The document is there and is of the endpoint's form. */
export function documentFaults(got: Got, spec: EndpointSpec): Faults {
  if (got.status !== 200) return said('the status', got.status, 200)
  if (got.json === undefined) return [`no JSON: ${got.text.slice(0, 40)}`]
  const result = answerSchemaOf(spec).safeParse(got.json)
  const [issue] = result.error?.issues ?? []
  return issue ? [`${issue.path.join('.')}: ${issue.message}`] : []
}

/** The headers that every document has. */
export function headerFaults(got: Got): Faults {
  const cache = got.headers.get('cache-control') ?? ''
  return [
    ...JSON_TYPE(got),
    ...CORS(got),
    ...(/max-age=60\b/.test(cache) && /s-maxage=300\b/.test(cache) ? [] : [`Cache-Control is ${cache || 'missing'}`]),
    ...said('X-Content-Type-Options', got.headers.get('x-content-type-options'), 'nosniff'),
    ...said('Cross-Origin-Resource-Policy', got.headers.get('cross-origin-resource-policy'), 'cross-origin'),
    ...(/accept-encoding/i.test(got.headers.get('vary') ?? '') ? [] : ['Vary does not name Accept-Encoding']),
    ...(/etag/i.test(got.headers.get('access-control-expose-headers') ?? '') ? [] : ['ETag is not exposed']),
    ...(got.headers.get('etag') === null ? ['there is no ETag'] : []),
    ...(got.headers.get('etag')?.startsWith('W/') ? ['the ETag is weak'] : []),
  ]
}

/** A refusal in the contract's form: status, code, CORS, and no cache keeps it. */
export function errorFaults(got: Got, status: number, code: string): Faults {
  if (got.status !== status) return said('the status', got.status, status)
  const answer = ErrorAnswer.safeParse(got.json)
  if (!answer.success) return [`no error of the spec: ${got.text.slice(0, 40)}`]
  return [
    ...said('error.code', answer.data.error.code, code),
    ...said('error.status', answer.data.error.status, status),
    ...JSON_TYPE(got),
    ...CORS(got),
    ...(/no-store/.test(got.headers.get('cache-control') ?? '')
      ? []
      : [`Cache-Control of an error is ${got.headers.get('cache-control')}`]),
  ]
}

const Cut = z.object({ count: z.number(), rows: z.array(z.unknown()) })

/** A list that was cut: that many rows, and the first ones of the whole. */
export function cutFaults(got: Got, full: Got, limit: number): Faults {
  const [cut, whole] = [Cut.safeParse(got.json), Cut.safeParse(full.json)]
  if (!cut.success || !whole.success) return ['no list']
  const rows = whole.data.rows.slice(0, limit)
  return [
    ...said('the number of rows', cut.data.rows.length, rows.length),
    ...said('count', cut.data.count, rows.length),
    ...(JSON.stringify(cut.data.rows) === JSON.stringify(rows) ? [] : ['the rows are not the first of the whole list']),
  ]
}

/** Not sent again to who has it. */
export const unchangedFaults = (got: Got): Faults => [
  ...said('the status', got.status, 304),
  ...(got.text === '' ? [] : ['a 304 has a body']),
  ...CORS(got),
]

/** The headers of a GET, and nothing else. */
export const headFaults = (got: Got, full: Got): Faults => [
  ...said('the status', got.status, full.status),
  ...(got.text === '' ? [] : ['a HEAD has a body']),
  ...said('Content-Type', got.headers.get('content-type'), full.headers.get('content-type')),
  ...CORS(got),
]

/** An answer to a preflight of another origin. */
export const preflightFaults = (got: Got): Faults => [
  ...said('the status', got.status, 204),
  ...CORS(got),
  ...(/GET/.test(got.headers.get('access-control-allow-methods') ?? '')
    ? []
    : [`Access-Control-Allow-Methods is ${got.headers.get('access-control-allow-methods')}`]),
]

/** The same data as another answer. */
export const sameFaults = (got: Got, other: Got): Faults =>
  got.text === other.text ? [] : [`it differs from the other (status ${got.status})`]
