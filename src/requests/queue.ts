import * as z from 'zod'
import {
  ListingRequestBody,
  MAX_REQUEST_ROWS,
  NO_REQUESTS,
  type RequestRow,
  RequestStatus,
  type RequestsPort,
} from '../core/contract/listing-request.ts'
import { by } from '../core/contract/order.ts'
import { DAY_MS, isoOf } from '../core/contract/time.ts'
import { parseJson } from '../core/contract/read-json.ts'
import { excerpt } from '../core/contract/visible.ts'
import { Timestamp, line } from '../core/contract/words.ts'

export const RequestRecord = z.object({
  request_id: z.string().regex(/^[0-9a-z-]{8,64}$/),
  status: RequestStatus,
  submitted_at: Timestamp,
  updated_at: Timestamp,
  /** Keyed digest of the sender's address, for the limit per sender; empty once it is deleted. */
  sender: z.string(),
  body: ListingRequestBody,
  duplicate_of: z.string().nullable(),
  reason: z.string().nullable(),
})
export type RequestRecord = z.infer<typeof RequestRecord>

/** A request as it is stored. */
export const StoredRow = z.object({ id: z.string(), text: z.string() })
export type StoredRow = z.infer<typeof StoredRow>

/** A store of requests that processes share. */
export interface RowStore {
  /** Returns the row with an id, or all rows. */
  readonly read: (id?: string) => Promise<readonly StoredRow[]>
  /** Stores a text durably, or deletes it for null, if the row still has the text `before`. Returns whether it had. */
  readonly write: (id: string, before: string | null, after: string | null) => Promise<boolean>
}

/** Every failed attempt is another writer's success, so this many in a row indicate a different problem. */
const ATTEMPTS = 100

/** Returns the queue of the requests in a store. Damaged rows go to `report` and are skipped. */
export function queueIn({ read, write }: RowStore, report: (error: unknown) => void) {
  function recordIn({ id, text }: StoredRow): RequestRecord | null {
    const { data = null, error: cause } = RequestRecord.safeParse(parseJson(text))
    if (cause) report(new Error(`The listing request ${excerpt(id)} cannot be read. Repair or delete it.`, { cause }))
    return data
  }
  async function changed(id: string, change: (record: RequestRecord | null) => RequestRecord | null) {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const [row] = await read(id)
      const before = row ? recordIn(row) : null
      const after = change(before)
      const text = after && `${JSON.stringify(after, null, 2)}\n`
      if (after === before || (await write(id, row?.text ?? null, text))) return after
    }
    throw new QueueError(`${id} could not be changed in ${ATTEMPTS} attempts. Run again when fewer others write.`)
  }
  const list = async (id?: string) => (await read(id)).flatMap((row) => recordIn(row) ?? [])
  return {
    /** Stores a request durably. If one with the same `request_id` exists, returns that one and writes nothing. */
    add: async (record: RequestRecord) => (await changed(record.request_id, (before) => before ?? record)) ?? record,
    get: async (id: string) => (await list(id))[0] ?? null,
    list: (): Promise<readonly RequestRecord[]> => list(),
    /**
     * Replaces a request by what `change` returns, or deletes it for null, while no other change is made. `change` may be
     * called again, so it must be pure. Returns the result; null if there is no such request.
     */
    update: (id: string, change: (record: RequestRecord) => RequestRecord | null) =>
      changed(id, (before) => before && change(before)),
  }
}

export type Queue = Readonly<ReturnType<typeof queueIn>>

/** A queue that cannot be reached or refuses a write. It is unknown whether the operation took effect. */
export class QueueError extends Error {
  override readonly name = 'QueueError'
}

export class ReviewError extends Error {
  override readonly name = 'ReviewError'
}

/** A queue is read whole, so it is small. */
export const MAX_OPEN_REQUESTS = 1000
export const MAX_REQUESTS = 2000
/** Maximum number of decided requests that are kept: the oldest beyond it go, so that they never fill the queue. */
const MAX_DECIDED_REQUESTS = 500
/** Contacts, notes and digests of senders are deleted this long after a decision, the request itself after a year. */
export const CONTACT_MS = 30 * DAY_MS
export const DECIDED_MS = 365 * DAY_MS
/** An undecided request is deleted if nothing happened for this long. */
export const UNDECIDED_MS = 90 * DAY_MS
const REASON_LENGTH = 500

/** Oldest first. */
export const byAge = by(({ submitted_at, request_id }: RequestRecord) => submitted_at + request_id)

export const isOpen = ({ status }: Pick<RequestRow, 'status'>): boolean =>
  status === 'pending' || status === 'needs_info'

export const isFull = (records: readonly RequestRecord[]): boolean =>
  records.length >= MAX_REQUESTS || records.filter(isOpen).length >= MAX_OPEN_REQUESTS

/** @throws ReviewError if the request is decided already, or the reason is not one line */
export function decide(record: RequestRecord, status: Exclude<RequestStatus, 'pending'>, reason: string, now: number) {
  if (!isOpen(record)) throw new ReviewError(`${record.request_id} is ${record.status}, which is final.`)
  if (!line(REASON_LENGTH).safeParse(reason).success)
    throw new ReviewError(`A reason is one line of 1 to ${REASON_LENGTH} visible characters. It is public.`)
  return { ...record, status, reason, updated_at: isoOf(now) }
}

/** Returns the public members of a request. Unread names are not published: they could be advertisements. */
export function rowOf({ request_id, body, status, submitted_at, updated_at, reason }: RequestRecord): RequestRow {
  const { symbol, name } = status === 'pending' ? { symbol: null, name: null } : body
  return { request_id, request_type: body.request_type, symbol, name, status, submitted_at, updated_at, reason }
}

export function requestsOf(records: readonly RequestRecord[]): typeof NO_REQUESTS {
  const counts = { ...NO_REQUESTS.counts }
  for (const { status } of records) counts[status]++
  const sorted = records.toSorted(byAge)
  const rows = sorted.toReversed().slice(0, MAX_REQUEST_ROWS).map(rowOf)
  const oldestPendingAt = sorted.find(({ status }) => status === 'pending')?.submitted_at ?? null
  return { state: isFull(records) ? 'full' : 'open', counts, oldestPendingAt, count: rows.length, rows }
}

/** Returns what is kept of a request: all, what is no contact, or null for nothing. */
export function retained(record: RequestRecord, now: number): RequestRecord | null {
  const age = now - Date.parse(record.updated_at)
  if (age >= (isOpen(record) ? UNDECIDED_MS : DECIDED_MS)) return null
  if (isOpen(record) || age < CONTACT_MS || record.sender === '') return record
  const { contact_email: _, requester_role: __, note: ___, ...body } = record.body
  return { ...record, sender: '', body }
}

/** Deletes what is no longer kept in a queue. Returns how many contacts and requests were deleted. */
export async function applyRetention(queue: Queue, now: number) {
  const counts = { contacts: 0, deleted: 0, error: null }
  const records = (await queue.list()).toSorted(byAge)
  const surplus = new Set(records.filter((record) => !isOpen(record)).slice(0, -MAX_DECIDED_REQUESTS))
  for (const record of records) {
    const after = (current: RequestRecord) => (surplus.has(record) ? null : retained(current, now))
    if (after(record) !== record) counts[(await queue.update(record.request_id, after)) ? 'contacts' : 'deleted']++
  }
  return counts
}

/** Returns what a run publishes of a queue of listing requests. If the queue cannot be read, the last published state is kept. */
export const requestsOfRun =
  (queue: Queue): RequestsPort =>
  async (now, before) => {
    const failed = ({ message: error }: Error) => ({ contacts: 0, deleted: 0, error })
    return queue.list().then(
      (records) => ({
        published: requestsOf(records.flatMap((record) => retained(record, now) ?? [])),
        applyChanges: () => applyRetention(queue, now).catch(failed),
      }),
      (error: Error) => ({ published: before, applyChanges: async () => failed(error) }),
    )
  }
