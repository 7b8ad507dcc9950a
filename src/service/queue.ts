import * as z from 'zod'
import { ListingRequestBody, RequestStatus } from '../contract/listing-request.ts'
import { Timestamp } from '../contract/words.ts'

/** A listing request as it is kept. */
export const RequestRecord = z.object({
  request_id: z.string().regex(/^[0-9a-z-]{8,64}$/),
  status: RequestStatus,
  submitted_at: Timestamp,
  updated_at: Timestamp,
  /** Digest of the body, or of the idempotency key: what makes a repeated request the same one. */
  fingerprint: z.string(),
  /** Digest of the body alone. */
  body_digest: z.string(),
  /** Digest of who sent it. */
  sender: z.string(),
  body: ListingRequestBody,
  ignored: z.array(z.string()),
  reason_code: z.string().nullable(),
  reason: z.string().nullable(),
})
export type RequestRecord = z.infer<typeof RequestRecord>

/** Where requests wait for review. */
export interface Queue {
  /**
   * Keeps a request, once: when one of the same `request_id` is there already, that one comes back and nothing is
   * written. When this resolves, the record is safe.
   */
  add(record: RequestRecord): Promise<RequestRecord>
  list(): Promise<readonly RequestRecord[]>
}
