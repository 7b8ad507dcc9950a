import type { RequestStatus } from '../contract/listing-request.ts'

/** Most requests that wait at once: more than reviewers can read, and few enough to list and compare in a moment. */
export const MAX_OPEN_REQUESTS = 1000
/** Most requests that are kept, closed ones among them. */
export const MAX_REQUESTS = 20_000

const CLOSED: ReadonlySet<RequestStatus> = new Set(['listed', 'rejected', 'duplicate', 'withdrawn', 'expired'])

/** Whether a queue takes no new requests: as many wait, or are kept, as may. */
export const isFull = (records: readonly { readonly status: RequestStatus }[]): boolean =>
  records.length >= MAX_REQUESTS || records.filter(({ status }) => !CLOSED.has(status)).length >= MAX_OPEN_REQUESTS
