import type { Ms } from './time.ts'
import * as z from 'zod'
import { Count, HttpsUrl, Slug, Timestamp, line } from './words.ts'

const RequestType = z.enum(['new', 'update', 'delist'])

export const RequestStatus = z.enum(['pending', 'needs_info', 'accepted', 'rejected']).meta({
  id: 'RequestStatus',
  description: '`pending` and `needs_info` are undecided; `accepted` and `rejected` are final.',
})
export type RequestStatus = z.infer<typeof RequestStatus>

export const MAX_BODY_BYTES = 16 * 1024

const text = (max: number) => line(max).trim()
const symbol = text(32).pipe(z.string().regex(/^\S+$/u, 'must be one word, such as BTC'))
// Descriptions may contain line breaks, but no other invisible characters.
const prose = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => value === '' || line(value.length).safeParse(value.replace(/[\n\t]/g, ' ')).success, {
      message: 'must not contain control or bidirectional characters',
    })

export const RequestContract = z.object({ chain: text(64), address: text(200) })

export const ListingRequestBody = z
  .object({
    request_type: RequestType.default('new'),
    name: text(100),
    symbol,
    slug: Slug.optional(),
    asset_type: z.enum(['coin', 'token']).optional(),
    website: HttpsUrl.optional(),
    explorer_url: HttpsUrl.optional(),
    contracts: z.array(RequestContract).min(1).max(20).optional(),
    contact_email: z
      .email('must be an e-mail address')
      .max(254)
      .optional()
      .describe('Never published; deleted 30 days after the decision.'),
    requester_role: text(80).optional().describe('Role of the requester, such as team member, holder or venue.'),
    markets: z.array(HttpsUrl).max(20).optional().describe('Pages of markets that trade it.'),
    logo_url: HttpsUrl.optional(),
    whitepaper_url: HttpsUrl.optional(),
    source_code_url: HttpsUrl.optional(),
    twitter: HttpsUrl.optional(),
    telegram: HttpsUrl.optional(),
    discord: HttpsUrl.optional(),
    description: prose(1000).optional(),
    note: prose(1000).optional().describe('Note to the reviewer. Never published; deleted 30 days after the decision.'),
  })
  .refine((body) => body.website ?? body.explorer_url ?? body.contracts, {
    path: ['website'],
    message: 'one of website, explorer_url or contracts is required',
    // Also where other members are invalid, so that one answer names every problem.
    when: ({ value }) => typeof value === 'object' && value !== null,
  })
  .refine((body) => body.request_type === 'new' || body.slug !== undefined, {
    path: ['slug'],
    message: 'is required: the slug of the listing to update or delist',
  })
  .meta({
    id: 'ListingRequestBody',
    description:
      'A listing request. At least one of `website`, `explorer_url` and `contracts` is required. Unknown members are not ' +
      'stored; the answer lists them in `ignored`.',
    // The refinement above, expressed in JSON Schema.
    anyOf: [{ required: ['website'] }, { required: ['explorer_url'] }, { required: ['contracts'] }],
  })
export type ListingRequestBody = z.infer<typeof ListingRequestBody>

export const Receipt = z
  .object({
    request_id: z.string(),
    status: RequestStatus,
    submitted_at: Timestamp,
    status_endpoint: z.string().describe('Path of the status of the request, relative to the root of the host.'),
    duplicate_of: z
      .string()
      .nullable()
      .describe(
        '`slug` of the listing that has one of its contracts or its name and symbol, or `request_id` of an open request for the same asset; null: none.',
      ),
    ignored: z.array(z.string()).describe('Unknown members of the body, which were not stored.'),
    warnings: z.array(z.string()).describe('Points that a reviewer will check, such as a possible duplicate.'),
  })
  .meta({ id: 'Receipt', description: 'Receipt of a listing request, with the path of its status.' })
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
    reason: z.string().nullable().describe('What the reviewer says; null until there is a decision.'),
  })
  .meta({
    id: 'RequestRow',
    description: 'Public state of a request. `name` and `symbol` are null until a reviewer has read it.',
  })
export type RequestRow = z.infer<typeof RequestRow>

export const MAX_REQUEST_ROWS = 1000

export const RequestsMembers = {
  state: z.enum(['open', 'full']).describe('`full`: new requests are answered with 503 until some are decided.'),
  counts: z.record(RequestStatus, Count).describe('Number of requests by state.'),
  oldestPendingAt: Timestamp.nullable().describe('Time of the oldest pending request; null: none.'),
  count: Count,
  rows: z.array(RequestRow).describe(`The newest ${MAX_REQUEST_ROWS} requests. \`request_id\` finds older ones.`),
} as const

export const NO_REQUESTS: z.infer<z.ZodObject<typeof RequestsMembers>> = {
  state: 'open',
  counts: RequestsMembers.counts.parse(Object.fromEntries(RequestStatus.options.map((status) => [status, 0]))),
  oldestPendingAt: null,
  count: 0,
  rows: [],
}

export interface QueueChanges {
  readonly contacts: number
  readonly deleted: number
  readonly error: string | null
}

export type RequestsPort = (
  now: Ms,
  before: typeof NO_REQUESTS,
) => Promise<{ readonly published: typeof NO_REQUESTS; readonly applyChanges: () => Promise<QueueChanges> }>
