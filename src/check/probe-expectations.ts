import * as z from 'zod'
import { CONTENT_TYPES } from '../core/contract/content-types.ts'
import { convertRow } from '../core/contract/conversion.ts'
import { csv } from '../core/contract/csv.ts'
import { type EndpointSpec, columnsOf, answerSchemaOf } from '../core/contract/endpoint-spec.ts'
import { ErrorAnswer } from '../core/contract/error.ts'
import { daysOf } from '../service/documents.ts'

/** A response of a site with its whole body. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Undefined if the text is not JSON. */
  readonly json: unknown
}

/** Sentences about how an answer breaks the contract; empty if it does not. */
export type Faults = readonly string[]

const mismatch = (what: string, is: unknown, wanted: unknown): string[] =>
  is === wanted ? [] : [`${what} is ${JSON.stringify(is)}, not ${JSON.stringify(wanted)}`]

type Expected = Readonly<Record<string, string | RegExp | null>>

const headersFaults = ({ headers }: Answer, expected: Expected): string[] =>
  Object.entries(expected).flatMap(([name, wanted]) => {
    const is = headers.get(name)
    const isRight = wanted instanceof RegExp ? wanted.test(is ?? '') : is === wanted
    return isRight ? [] : [`${name} is ${is ?? 'missing'}, not ${wanted}`]
  })

const CORS: Expected = { 'access-control-allow-origin': '*' }
const OF_JSON: Expected = { ...CORS, 'content-type': /^application\/json; ?charset=utf-8$/i }
const OF_DOCUMENTS: Expected = {
  ...OF_JSON,
  'cache-control': /^(?=.*max-age=60\b)(?=.*s-maxage=300\b)/,
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'cross-origin',
  vary: /accept-encoding/i,
  'access-control-expose-headers': /etag/i,
  // A strong one.
  etag: /^"/,
}

const headFaultsOf = (received: Answer, status: number, expected: Expected = {}): string[] => [
  ...mismatch('the status', received.status, status),
  ...headersFaults(received, expected),
]

function schemaFaults({ json, text }: Answer, schema: z.ZodType | null): string[] {
  const [issue] = schema?.safeParse(json).error?.issues ?? []
  return issue ? [`${issue.path.join('.')}: ${issue.message}, of ${text.slice(0, 40)}`] : []
}

/** Returns the faults of a document, which must exist and match the schema of its endpoint. */
export const documentFaults = (received: Answer, spec: EndpointSpec): Faults =>
  received.status === 200 ? schemaFaults(received, answerSchemaOf(spec)) : headFaultsOf(received, 200)

/** Returns the faults of the headers of a document. */
export const headerFaults = (received: Answer): Faults => headersFaults(received, OF_DOCUMENTS)

/** Returns the faults of an error answer: its status, code and CORS headers, and whether a cache may store it. */
export function errorFaults(received: Answer, status: number, code: string): Faults {
  const { data } = ErrorAnswer.safeParse(received.json)
  return [
    ...headFaultsOf(received, status, { ...OF_JSON, 'cache-control': /no-store/ }),
    ...schemaFaults(received, ErrorAnswer),
    ...mismatch('error', JSON.stringify([data?.error.code, data?.error.status]), JSON.stringify([code, status])),
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
  const isBeginning = JSON.stringify(list.data.rows) === JSON.stringify(rows)
  return [
    ...mismatch('count', list.data.count, rows.length),
    ...(isBeginning ? [] : [`the ${list.data.rows.length} rows are not the first of the whole list`]),
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
  const faults = [...headFaultsOf(received, 200), ...schemaFaults(received, answerSchemaOf(spec))]
  const { success, data } = Converted.safeParse(received.json)
  if (!success || faults.length > 0) return [...faults, ...(success ? [] : ['vs or rate is missing'])]
  const { vs, rate } = data
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
  const days = daysOf(full.json)
  const rows = days ?? Rows.safeParse(full.json).data?.rows ?? []
  const columns = days ? Object.keys(days[0] ?? {}) : columnsOf(spec)
  return [
    ...headFaultsOf(received, 200, { ...CORS, 'content-type': CONTENT_TYPES['.csv'] ?? null }),
    ...(received.text === csv(columns, rows) ? [] : ['the lines are not the rows of the document']),
    ...(received.headers.get('etag') === full.headers.get('etag') ? ['the ETag is that of the JSON'] : []),
  ]
}

/** Returns the faults of an answer whose format depends on the `Accept` header. */
export const varyFaults = (received: Answer): Faults => headersFaults(received, { vary: /(?:^|,)\s*accept\s*(?:,|$)/i })

const EMPTY = 'the answer has a body'

/** Returns the faults of an answer to a conditional request for an unchanged document, which must be a 304 without a body. */
export const unchangedFaults = (received: Answer): Faults => [
  ...headFaultsOf(received, 304, CORS),
  ...(received.text === '' ? [] : [EMPTY]),
]

/** Returns the faults of an answer to a HEAD, which must have the status and headers of the GET and no body. */
export const headFaults = (received: Answer, { status, headers }: Answer): Faults => [
  ...headFaultsOf(
    received,
    status,
    Object.fromEntries(['content-type', 'access-control-allow-origin'].map((name) => [name, headers.get(name)])),
  ),
  ...(received.text === '' ? [] : [EMPTY]),
]

/** Returns the faults of an answer to a preflight. */
export const preflightFaults = (received: Answer): Faults =>
  headFaultsOf(received, 204, { ...CORS, 'access-control-allow-methods': /GET/ })

/** Returns the faults of the answer to a method that a path does not have. */
export const methodFaults = (received: Answer): Faults => [
  ...errorFaults(received, 405, 'method_not_allowed'),
  ...headersFaults(received, { allow: /GET/ }),
]

/** Returns the faults of the answer to a malformed slug. The contract allows both 404 and 400. */
export const refusedFaults = (received: Answer, code: string): Faults =>
  received.status === 400 ? errorFaults(received, 400, 'invalid_parameter') : errorFaults(received, 404, code)

/** Returns the faults of an answer that must have the same body as another. */
export const sameFaults = (received: Answer, other: Answer): Faults =>
  received.text === other.text ? [] : [`it differs from the other (status ${received.status})`]
