import type { RequestStatus } from '../contract/listing-request.ts'

/** Maximum number of open requests: more than reviewers can read, and few enough to list and compare quickly. */
export const MAX_OPEN_REQUESTS = 1000
/** Maximum number of stored requests, including closed ones. */
const MAX_REQUESTS = 20_000

const CLOSED: ReadonlySet<RequestStatus> = new Set(['listed', 'rejected', 'duplicate', 'withdrawn', 'expired'])

/** Whether a queue has reached one of its limits and accepts no new requests. */
export const isFull = (records: readonly { readonly status: RequestStatus }[]): boolean =>
  records.length >= MAX_REQUESTS || records.filter(({ status }) => !CLOSED.has(status)).length >= MAX_OPEN_REQUESTS
