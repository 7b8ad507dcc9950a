import { by } from '../contract/order.ts'
import { DAY_MS } from '../contract/time.ts'
import type { Queue, RequestRecord } from './queue.ts'
import { CLOSED, decide } from './decisions.ts'

/** A request without activity for this long expires. */
export const EXPIRY_MS = 90 * DAY_MS
/** Contacts and sender digests are deleted this long after a request is closed. */
export const CONTACT_MS = 30 * DAY_MS

/** A closed request is deleted this long after it was closed: its status page answers 404 then. */
export const RECORD_MS = 365 * DAY_MS
/** Maximum number of closed requests that are kept: the oldest beyond it go, so that they never fill the queue. */
const MAX_CLOSED_REQUESTS = 10_000

/** Applies due changes to a request: listed, expired, or contacts deleted. Returns the same record if nothing is due. */
export function due(record: RequestRecord, slugs: { has(slug: string): boolean }, now: number): RequestRecord {
  const age = now - Date.parse(record.updated_at)
  const isOpen = record.status !== 'approved' && !CLOSED.has(record.status)
  if (isOpen && age >= EXPIRY_MS) return decide(record, { status: 'expired' }, now)
  if (record.status === 'approved' && record.listing !== null && slugs.has(record.listing))
    return decide(record, { status: 'listed' }, now)
  return !isOpen && age >= CONTACT_MS && holdsContact(record) ? withoutContact(record) : record
}

const holdsContact = ({ sender, sender_block, key_digest, body }: RequestRecord): boolean =>
  sender !== '' ||
  sender_block !== null ||
  key_digest !== null ||
  [body.contact_email, body.requester_role, body.note].some((said) => said !== undefined)

/** Removes personal data from a record, including note and role, which are free text and may contain contacts. */
function withoutContact(record: RequestRecord): RequestRecord {
  const { contact_email: _, requester_role: __, note: ___, ...body } = record.body
  return { ...record, sender: '', sender_block: null, key_digest: null, body }
}

/** Returns the closed requests that are no longer kept: the old ones, and the oldest of too many. */
export function outdated(records: readonly RequestRecord[], now: number, most = MAX_CLOSED_REQUESTS): RequestRecord[] {
  const closed = records
    .filter(({ status }) => CLOSED.has(status))
    .toSorted(by(({ updated_at, request_id }) => updated_at + request_id))
    .toReversed()
  return closed.filter((record, place) => place >= most || now - Date.parse(record.updated_at) >= RECORD_MS)
}

export type DueChanges = Awaited<ReturnType<typeof applyDueChanges>>

/**
 * Applies due changes to a queue: expires requests without activity for 90 days, marks requests whose asset is in the feed
 * as `listed`, deletes contacts 30 days after closing, and closed requests after a year or where there are too many.
 * Returns how many.
 *
 * @param slugs slugs of the feed
 * @param now in ms since 1970
 */
export async function applyDueChanges(queue: Queue, slugs: { has(slug: string): boolean }, now: number) {
  const counts = { listed: 0, expired: 0, purged: 0, deleted: 0 }
  const records = await queue.list()
  const gone = outdated(records, now)
  for (const { request_id } of gone)
    if (await queue.remove(request_id, ({ status }) => CLOSED.has(status))) counts.deleted++
  const removed = new Set(gone)
  for (const record of records) {
    if (removed.has(record) || due(record, slugs, now) === record) continue
    const after = await queue.update(record.request_id, (current) => due(current, slugs, now))
    if (after?.status === record.status) counts.purged++
    else if (after?.status === 'listed') counts.listed++
    else if (after?.status === 'expired') counts.expired++
  }
  return counts
}
