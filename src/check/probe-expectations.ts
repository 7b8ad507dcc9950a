import * as z from 'zod'
import { CONTENT_TYPES } from '../contract/content-types.ts'
import { convertRow } from '../contract/conversion.ts'
import { csv } from '../contract/csv.ts'
import { type EndpointSpec, columnsOf, answerSchemaOf, convertedSchemaOf } from '../contract/endpoint-spec.ts'
import { ErrorAnswer } from '../contract/error.ts'
import type { Answer } from './probe.ts'

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

const Row = z.record(z.string(), z.unknown())
const Priced = z.object({ slug: z.string() })

/** The rows of a list by slug; for a map of prices, the prices. */
function bySlug(received: Answer): ReadonlyMap<string, unknown> {
  const list = List.safeParse(received.json)
  if (!list.success) return new Map()
  const entries = z.array(z.tuple([z.string(), z.number()])).safeParse(list.data.rows)
  return new Map(
    entries.success
      ? entries.data
      : list.data.rows.flatMap((row) => {
          const priced = Priced.safeParse(row)
          return priced.success ? [[priced.data.slug, row] as const] : []
        }),
  )
}

/** Returns the slugs of an answer, in order. */
export const slugsIn = (received: Answer): readonly string[] => [...bySlug(received).keys()]

/** Returns the faults of an answer that must have the row of one slug, and name `no-such-asset` as missing. */
export function selectionFaults(received: Answer, full: Answer, slug: string): Faults {
  const { missing } = z.object({ missing: z.unknown() }).safeParse(received.json).data ?? {}
  const [own, all] = [bySlug(received), bySlug(full)]
  return [
    ...mismatch('the slugs', slugsIn(received).join(), slug),
    ...mismatch('the row', JSON.stringify(own.get(slug)), JSON.stringify(all.get(slug))),
    ...mismatch('missing', JSON.stringify(missing), '["no-such-asset"]'),
  ]
}

const Converted = z.object({ vs: z.string(), rate: z.object({ symbol: z.string(), price_usd: z.number() }) })

/** Returns the faults of an answer in another currency, which must have the first entries of the full one, converted. */
export function conversionFaults(
  received: Answer,
  full: Answer,
  { spec, currency, first }: { readonly spec: EndpointSpec; readonly currency: string; readonly first: number },
): Faults {
  if (received.status !== 200) return mismatch('the status', received.status, 200)
  const [issue] = convertedSchemaOf(spec)?.safeParse(received.json).error?.issues ?? []
  if (issue) return [`${issue.path.join('.')}: ${issue.message}`]
  const conversion = Converted.safeParse(received.json)
  if (!conversion.success) return ['vs or rate is missing']
  const { vs, rate } = conversion.data
  const wanted = [...bySlug(full)].slice(0, first).map(([slug, entry]) => {
    const row = Row.safeParse(entry)
    return [slug, row.success ? convertRow(row.data, rate) : convertRow({ price_usd: entry }, rate)['price']]
  })
  const isConverted = JSON.stringify([...bySlug(received)]) === JSON.stringify(wanted)
  return [...mismatch('vs', vs, currency), ...(isConverted ? [] : ['the amounts are not the converted ones'])]
}

const Rows = z.object({ rows: z.array(Row) })

/** Returns the faults of the rows of a document as CSV. */
export function csvFaults(received: Answer, full: Answer, spec: EndpointSpec): Faults {
  if (received.status !== 200) return mismatch('the status', received.status, 200)
  const wanted = csv(columnsOf(spec), Rows.safeParse(full.json).data?.rows ?? [])
  return [
    ...mismatch('Content-Type', received.headers.get('content-type'), CONTENT_TYPES['.csv']),
    ...(received.text === wanted ? [] : ['the lines are not the rows of the document']),
    ...(received.headers.get('etag') === full.headers.get('etag') ? ['the ETag is that of the JSON'] : []),
    ...CORS(received),
  ]
}

/** Returns the faults of an answer whose format depends on the `Accept` header. */
export const varyFaults = (received: Answer): Faults =>
  /(?:^|,)\s*accept\s*(?:,|$)/i.test(received.headers.get('vary') ?? '') ? [] : ['Vary does not name Accept']

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
