import * as z from 'zod'
import { ListingRequestBody, type RequestRow, RequestStatus } from '../core/contract/listing-request.ts'
import { by } from '../core/contract/order.ts'
import { Timestamp } from '../core/contract/words.ts'

/** A stored listing request. */
export const RequestRecord = z.object({
  request_id: z.string().regex(/^[0-9a-z-]{8,64}$/),
  status: RequestStatus,
  submitted_at: Timestamp,
  updated_at: Timestamp,
  /** Keyed digest of the sender's network, for the limit per sender; empty once it is deleted. */
  sender: z.string(),
  body: ListingRequestBody,
  duplicate_of: z.string().nullable(),
  warnings: z.array(z.string()),
  reason: z.string().nullable(),
})
export type RequestRecord = z.infer<typeof RequestRecord>

/** Compares requests by age, oldest first. */
export const byAge = by(
  (request: Pick<RequestRecord, 'submitted_at' | 'request_id'>) => request.submitted_at + request.request_id,
)

/** Maximum number of undecided requests, and of stored ones. A queue is read whole, so both are small. */
export const MAX_OPEN_REQUESTS = 1000
export const MAX_REQUESTS = 2000

/** Whether a request is still to be decided. */
export const isOpen = ({ status }: Pick<RequestRow, 'status'>): boolean =>
  status === 'pending' || status === 'needs_info'

/** Whether a queue accepts no new requests. */
export const isFull = (records: readonly RequestRecord[]): boolean =>
  records.length >= MAX_REQUESTS || records.filter(isOpen).length >= MAX_OPEN_REQUESTS

export interface Queue {
  /** Stores a request durably. If one with the same `request_id` exists, returns that one and writes nothing. */
  add(record: RequestRecord): Promise<RequestRecord>
  get(id: string): Promise<RequestRecord | null>
  /** Returns all requests, at most {@link MAX_REQUESTS}. */
  list(): Promise<readonly RequestRecord[]>
  /**
   * Replaces a request by what `change` returns, or deletes it for null, while no other change is made. `change` may be
   * called again, so it must be pure. Returns the result; null if there is no such request.
   */
  update(id: string, change: (record: RequestRecord) => RequestRecord | null): Promise<RequestRecord | null>
}

/** A queue that cannot be reached or refuses a write. It is unknown whether the operation took effect. */
export class QueueError extends Error {
  override readonly name = 'QueueError'
}
