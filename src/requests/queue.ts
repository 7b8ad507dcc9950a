import * as z from 'zod'
import { ListingRequestBody, RequestStatus } from '../contract/listing-request.ts'
import { by } from '../contract/order.ts'
import { Timestamp } from '../contract/words.ts'

/** A change of a request, stored permanently. */
export const Change = z.object({
  at: Timestamp,
  status: RequestStatus,
  reason_code: z.string().nullable(),
  reason: z.string().nullable(),
})
export type Change = z.infer<typeof Change>

/** A stored listing request. Members added after the first release have a default, so that old records stay readable. */
export const RequestRecord = z.object({
  request_id: z.string().regex(/^[0-9a-z-]{8,64}$/),
  status: RequestStatus,
  submitted_at: Timestamp,
  updated_at: Timestamp,
  /** Keyed digest of the body, which detects repeated requests. */
  fingerprint: z.string(),
  /** Keyed digest of the sender and the Idempotency-Key, if one was sent. */
  key_digest: z.string().nullable().default(null),
  /** Keyed digest of the sender, for rate limits. */
  sender: z.string(),
  /** Keyed digest of the sender's address block, if there is one. */
  sender_block: z.string().nullable().default(null),
  body: ListingRequestBody,
  ignored: z.array(z.string()),
  duplicate_of: z.string().nullable().default(null),
  warnings: z.array(z.string()).default([]),
  reason_code: z.string().nullable(),
  reason: z.string().nullable(),
  /** Listing of an approved request. */
  listing: z.string().nullable().default(null),
  /** History of changes, oldest first. */
  changes: z.array(Change).default([]),
})
export type RequestRecord = z.infer<typeof RequestRecord>

/** Compares requests by age, oldest first. */
export const byAge = by(
  (request: Pick<RequestRecord, 'submitted_at' | 'request_id'>) => request.submitted_at + request.request_id,
)

export interface Queue {
  /**
   * Stores a request durably. If one with the same `request_id` exists, returns that one and writes nothing.
   */
  add(record: RequestRecord): Promise<RequestRecord>
  get(id: string): Promise<RequestRecord | null>
  list(): Promise<readonly RequestRecord[]>
  /**
   * Replaces a record by the result of `change`. After a conflicting write, `change` is called again, so it must be pure.
   * Returns null if there is no such request.
   */
  update(id: string, change: (record: RequestRecord) => RequestRecord): Promise<RequestRecord | null>
  /** Deletes a request if its current state is due for it. Returns whether it did. */
  remove(id: string, isDue: (record: RequestRecord) => boolean): Promise<boolean>
}

/** A queue that cannot be reached or refuses a write. It is unknown whether the operation took effect. */
export class QueueError extends Error {
  override readonly name = 'QueueError'
}

/** A state of a request, and its number: that of a new one is 0. */
export interface Version {
  readonly number: number
  readonly record: RequestRecord
}

/** A place that keeps the states of requests. Of several writers of one state, one succeeds. */
interface Versions extends Pick<Queue, 'list'> {
  /** Returns the newest readable state; null if there is none. */
  readonly newest: (id: string) => Promise<Version | null>
  /** Stores a state in place of the one before it. Returns false if another writer was faster. */
  readonly put: (id: string, version: Version) => Promise<boolean>
  /** Deletes a request with this newest state. Returns false if it has another one. */
  readonly erase: (id: string, version: Version) => Promise<boolean>
  /** Returns when everything that {@link newest} shows is durable. */
  readonly settle?: () => Promise<void>
}

/** Every failed attempt is another writer's success, so this many in a row indicate a different problem. */
const ATTEMPTS = 100

/** Returns the queue of a place. */
export const queueOver = ({ newest, put, erase, list, settle }: Versions): Queue => ({
  list,
  get: async (id) => (await newest(id))?.record ?? null,
  async add(record) {
    const id = record.request_id
    const found = await newest(id)
    if (!found && (await put(id, { number: 0, record }))) return record
    const kept = found ?? (await newest(id))
    if (!kept) throw new QueueError(`The queue has no readable state of ${id}. Check its row or its file.`)
    await settle?.()
    return kept.record
  },
  async update(id, change) {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const found = await newest(id)
      if (!found) return null
      const record = change(found.record)
      if (await put(id, { number: found.number + 1, record })) return record
    }
    throw new QueueError(`${id} could not be changed in ${ATTEMPTS} attempts. Run again when fewer others write.`)
  },
  async remove(id, isDue) {
    const found = await newest(id)
    return found !== null && isDue(found.record) && erase(id, found)
  },
})
