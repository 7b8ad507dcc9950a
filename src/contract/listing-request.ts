import * as z from 'zod'
import { Count, HttpsUrl, Slug, Timestamp, line } from './words.ts'

export const RequestType = z.enum(['new', 'update', 'delist'])
export type RequestType = z.infer<typeof RequestType>

export const RequestStatus = z.enum([
  'pending',
  'in_review',
  'needs_info',
  'approved',
  'listed',
  'rejected',
  'duplicate',
  'withdrawn',
  'expired',
])
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

/** What a sender may say. Members it does not name are not stored. */
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
    contact_email: z.email().max(254).optional(),
    requester_role: text(80).optional(),
    markets: z.array(HttpsUrl).max(20).optional(),
    logo_url: HttpsUrl.optional(),
    whitepaper_url: HttpsUrl.optional(),
    source_code_url: HttpsUrl.optional(),
    twitter: HttpsUrl.optional(),
    telegram: HttpsUrl.optional(),
    discord: HttpsUrl.optional(),
    description: prose(1000).optional(),
    note: prose(1000).optional(),
  })
  .refine((body) => body.website ?? body.explorer_url ?? body.contracts, {
    path: ['website'],
    message: 'one of website, explorer_url or contracts is required',
  })
  .meta({ id: 'ListingRequestBody' })
export type ListingRequestBody = z.infer<typeof ListingRequestBody>

/** The answer to an accepted POST. */
export const Receipt = z
  .object({
    request_id: z.string(),
    status: RequestStatus,
    submitted_at: Timestamp,
    status_endpoint: z.string(),
    duplicate_of: z.string().nullable(),
    ignored: z.array(z.string()).describe('Members of the body that were not understood and not stored.'),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'Receipt' })
export type Receipt = z.infer<typeof Receipt>

/** A request as anyone may see it. `name` and `symbol` are null until a reviewer has opened it. */
export const RequestRow = z
  .object({
    request_id: z.string(),
    request_type: RequestType,
    symbol: z.string().nullable(),
    name: z.string().nullable(),
    status: RequestStatus,
    submitted_at: Timestamp,
    updated_at: Timestamp,
    reason_code: z.string().nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'RequestRow' })
export type RequestRow = z.infer<typeof RequestRow>

export const RequestsMembers = {
  counts: z.record(RequestStatus, Count),
  oldest_pending_at: Timestamp.nullable(),
  count: Count,
  rows: z.array(RequestRow),
} as const
