import { MAX_REQUEST_ROWS, NO_REQUESTS, type RequestRow, type RequestStatus } from '../core/contract/listing-request.ts'
import { DAY_MS, isoOf } from '../core/contract/time.ts'
import { line } from '../core/contract/words.ts'
import { type Queue, type RequestRecord, byAge, isFull, isOpen } from './queue.ts'

/** A decision that is not allowed. The message says what is. */
export class ReviewError extends Error {
  override readonly name = 'ReviewError'
}

const REASON_LENGTH = 500

/**
 * Returns a request after a decision.
 *
 * @param reason public text
 * @param now in ms since 1970
 * @throws ReviewError if the request is decided already, or the reason is not one line
 */
export function decide(
  record: RequestRecord,
  status: Exclude<RequestStatus, 'pending'>,
  reason: string,
  now: number,
): RequestRecord {
  if (!isOpen(record)) throw new ReviewError(`${record.request_id} is ${record.status}, which is final.`)
  if (!line(REASON_LENGTH).safeParse(reason).success)
    throw new ReviewError(`A reason is one line of 1 to ${REASON_LENGTH} visible characters. It is public.`)
  return { ...record, status, reason, updated_at: isoOf(now) }
}

/** Returns the public members of a request. Unread names are not published: they could be advertisements. */
export const rowOf = ({ request_id, body, status, submitted_at, updated_at, reason }: RequestRecord): RequestRow => ({
  request_id,
  request_type: body.request_type,
  symbol: status === 'pending' ? null : body.symbol,
  name: status === 'pending' ? null : body.name,
  status,
  submitted_at,
  updated_at,
  reason,
})

/** Returns the public state of a queue: whether it is full, counts by state, and the newest rows. */
export function requestsOf(records: readonly RequestRecord[]): typeof NO_REQUESTS {
  const counts = { ...NO_REQUESTS.counts }
  for (const { status } of records) counts[status]++
  const sorted = records.toSorted(byAge)
  const rows = sorted.toReversed().slice(0, MAX_REQUEST_ROWS).map(rowOf)
  return {
    state: isFull(records) ? 'full' : 'open',
    counts,
    oldestPendingAt: sorted.find(({ status }) => status === 'pending')?.submitted_at ?? null,
    count: rows.length,
    rows,
  }
}

/** Contacts, notes and digests of senders are deleted this long after a decision, the request itself after a year. */
export const CONTACT_MS = 30 * DAY_MS
export const DECIDED_MS = 365 * DAY_MS
/** An undecided request is deleted if nothing happened for this long. */
export const UNDECIDED_MS = 90 * DAY_MS
/** Maximum number of decided requests that are kept: the oldest beyond it go, so that they never fill the queue. */
const MAX_DECIDED_REQUESTS = 500

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
  const counts = { contacts: 0, deleted: 0 }
  const records = (await queue.list()).toSorted(byAge)
  const surplus = new Set(
    records
      .filter((record) => !isOpen(record))
      .slice(0, -MAX_DECIDED_REQUESTS)
      .map(({ request_id }) => request_id),
  )
  for (const record of records) {
    const id = record.request_id
    const after = (current: RequestRecord) => (surplus.has(id) ? null : retained(current, now))
    if (after(record) === record) continue
    counts[(await queue.update(id, after)) ? 'contacts' : 'deleted']++
  }
  return counts
}
