import * as z from 'zod'
import { Count, HttpsUrl, Slug, Timestamp, line } from './words.ts'

export const RequestType = z.enum(['new', 'update', 'delist'])
export type RequestType = z.infer<typeof RequestType>

export const RequestStatus = z
  .enum(['pending', 'in_review', 'needs_info', 'approved', 'listed', 'rejected', 'duplicate', 'withdrawn', 'expired'])
  .meta({
    id: 'RequestStatus',
    description: 'pending -> in_review -> approved -> listed; in_review <-> needs_info; the others end a request.',
  })
export type RequestStatus = z.infer<typeof RequestStatus>

/** Most bytes of a POST body. */
export const MAX_BODY_BYTES = 16 * 1024

const text = (max: number) =>
  line(max)
    .transform((value) => value.trim())
    .pipe(z.string().min(1))
// Descriptions may break lines; nothing else that cannot be seen is let in.
const prose = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => line(max).safeParse(value.replace(/[\n\t]/g, ' ')).success, {
      message: 'must hold no control or direction characters',
    })

export const ListingRequestBody = z
  .object({
    request_type: RequestType.default('new'),
    name: text(100),
    symbol: text(32),
    slug: Slug.optional(),
    asset_type: z.enum(['coin', 'token']).optional(),
    website: HttpsUrl.optional(),
    explorer_url: HttpsUrl.optional(),
    contracts: z
      .array(z.object({ chain: text(64), address: text(200) }))
      .min(1)
      .max(20)
      .optional(),
    contact_email: z.email().max(254).optional().describe('Never published; deleted 30 days after the end.'),
    requester_role: text(80).optional().describe('Who asks: a member of the team, a holder, a venue.'),
    markets: z.array(HttpsUrl).max(20).optional().describe('Where it is traded.'),
    logo_url: HttpsUrl.optional(),
    whitepaper_url: HttpsUrl.optional(),
    source_code_url: HttpsUrl.optional(),
    twitter: HttpsUrl.optional(),
    telegram: HttpsUrl.optional(),
    discord: HttpsUrl.optional(),
    description: prose(1000).optional(),
    note: prose(1000).optional().describe('For the reviewer. Never published; deleted 30 days after the end.'),
  })
  .refine((body) => body.website ?? body.explorer_url ?? body.contracts, {
    path: ['website'],
    message: 'one of website, explorer_url or contracts is required',
  })
  .meta({
    id: 'ListingRequestBody',
    description:
      'A request for a listing. Needs one of `website`, `explorer_url` and `contracts`. Members that are not named here ' +
      'are not stored, and the answer names them.',
    // What the refinement above asks for, as JSON Schema says it.
    anyOf: [{ required: ['website'] }, { required: ['explorer_url'] }, { required: ['contracts'] }],
  })
export type ListingRequestBody = z.infer<typeof ListingRequestBody>

export const Receipt = z
  .object({
    request_id: z.string(),
    status: RequestStatus,
    submitted_at: Timestamp,
    status_endpoint: z.string().describe('Path below the root of the host that says what became of it.'),
    duplicate_of: z.string().nullable().describe('`request_id` of an open request for the same asset; null: none.'),
    ignored: z.array(z.string()).describe('Members of the body that were not understood and not stored.'),
    warnings: z.array(z.string()).describe('What a reviewer will look at, such as a likeness to a verified name.'),
  })
  .meta({ id: 'Receipt', description: 'What was taken of a request, and where to ask what became of it.' })
export type Receipt = z.infer<typeof Receipt>

export const RequestRow = z
  .object({
    request_id: z.string(),
    request_type: RequestType,
    symbol: z.string().nullable(),
    name: z.string().nullable(),
    status: RequestStatus,
    submitted_at: Timestamp,
    updated_at: Timestamp,
    reason_code: z.string().nullable().describe('Why it was decided so; null until it is.'),
    reason: z.string().nullable().describe('The same in words.'),
  })
  .meta({
    id: 'RequestRow',
    description: 'A request as anyone may see it. `name` and `symbol` are null until a reviewer has opened it.',
  })
export type RequestRow = z.infer<typeof RequestRow>

/** Most rows of the public state of the queue. */
export const MAX_REQUEST_ROWS = 1000

export const RequestsMembers = {
  state: z
    .enum(['open', 'full'])
    .describe('`full`: no new requests are taken until some are decided; a POST is answered 503.'),
  counts: z.record(RequestStatus, Count).describe('Requests by state.'),
  oldest_pending_at: Timestamp.nullable().describe('Since when the oldest waits; null: none does.'),
  count: Count,
  rows: z.array(RequestRow).describe(`The newest ${MAX_REQUEST_ROWS}; any other is found by its \`request_id\`.`),
} as const

/** Counts of no request at all. */
export const NO_REQUESTS: z.infer<z.ZodObject<typeof RequestsMembers>> = {
  state: 'open',
  counts: {
    pending: 0,
    in_review: 0,
    needs_info: 0,
    approved: 0,
    listed: 0,
    rejected: 0,
    duplicate: 0,
    withdrawn: 0,
    expired: 0,
  },
  oldest_pending_at: null,
  count: 0,
  rows: [],
}
