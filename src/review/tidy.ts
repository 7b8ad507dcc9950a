import type { Queue, RequestRecord } from '../queue/queue.ts'
import { CLOSED } from './decisions.ts'
import { decide } from './decide.ts'

const DAY_MS = 86_400_000
/** A request without activity for this long expires. */
export const EXPIRY_MS = 90 * DAY_MS
/** Contacts and sender digests are deleted this long after a request is closed. */
export const CONTACT_MS = 30 * DAY_MS

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

/** Counts of the applied changes. */
export interface Tidied {
  readonly listed: number
  readonly expired: number
  readonly purged: number
}

/**
 * Applies due changes to a queue: expires requests without activity for 90 days, marks requests whose asset is in the feed
 * as `listed`, and deletes contacts 30 days after closing.
 *
 * @param slugs slugs of the feed
 * @param now in ms since 1970
 */
export async function tidy(queue: Queue, slugs: { has(slug: string): boolean }, now: number): Promise<Tidied> {
  const tidied = { listed: 0, expired: 0, purged: 0 }
  for (const record of await queue.list()) {
    if (due(record, slugs, now) === record) continue
    const after = await queue.update(record.request_id, (current) => due(current, slugs, now))
    if (after?.status === record.status) tidied.purged++
    else if (after?.status === 'listed') tidied.listed++
    else if (after?.status === 'expired') tidied.expired++
  }
  return tidied
}
