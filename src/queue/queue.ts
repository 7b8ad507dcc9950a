import * as z from 'zod'
import { ListingRequestBody, RequestStatus } from '../contract/listing-request.ts'
import { Timestamp } from '../contract/words.ts'

/** One change of a request, as it is kept for ever. */
export const Change = z.object({
  at: Timestamp,
  status: RequestStatus,
  reason_code: z.string().nullable(),
  reason: z.string().nullable(),
})
export type Change = z.infer<typeof Change>

/** A listing request as it is kept. What was added after the first release has a default, so old records stay readable. */
export const RequestRecord = z.object({
  request_id: z.string().regex(/^[0-9a-z-]{8,64}$/),
  status: RequestStatus,
  submitted_at: Timestamp,
  updated_at: Timestamp,
  /** Salted digest of the body: the same body again is the same request. */
  fingerprint: z.string(),
  /** Salted digest of the sender and its Idempotency-Key, if one was sent. */
  key_digest: z.string().nullable().default(null),
  /** Salted digest of who sent it; counted against the sender's limits. */
  sender: z.string(),
  /** The same of the block of addresses that the sender is in, if there is one. */
  sender_block: z.string().nullable().default(null),
  body: ListingRequestBody,
  ignored: z.array(z.string()),
  duplicate_of: z.string().nullable().default(null),
  warnings: z.array(z.string()).default([]),
  reason_code: z.string().nullable(),
  reason: z.string().nullable(),
  /** Listing that an approved request became, or is about. */
  listing: z.string().nullable().default(null),
  /** What became of it, oldest first. */
  changes: z.array(Change).default([]),
})
export type RequestRecord = z.infer<typeof RequestRecord>

/** Where requests wait for review. */
export interface Queue {
  /**
   * Keeps a request, once: when one of the same `request_id` is there already, that one comes back and nothing is
   * written. When this resolves, the record is safe.
   */
  add(record: RequestRecord): Promise<RequestRecord>
  get(id: string): Promise<RequestRecord | null>
  list(): Promise<readonly RequestRecord[]>
  /**
   * Replaces a record by what `change` makes of it; asked again when another writer came first, so `change` has to be
   * without effects. Null where there is no such request.
   */
  update(id: string, change: (record: RequestRecord) => RequestRecord): Promise<RequestRecord | null>
}

/** A queue that cannot be reached, or does not take what it is given. What was asked of it did not happen, or not surely. */
export class QueueError extends Error {
  override readonly name = 'QueueError'
}
