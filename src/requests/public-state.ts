import { MAX_REQUEST_ROWS, NO_REQUESTS, type RequestRow, type RequestStatus } from '../contract/listing-request.ts'
import { PREFIX } from '../contract/prefix.ts'
import { CLOSED } from './decisions.ts'
import { type RequestRecord, byAge } from './queue.ts'

export const REQUESTS_PATH = `${PREFIX}/listing-requests`

/** Maximum number of open requests: more than reviewers can read, and few enough to list and compare quickly. */
export const MAX_OPEN_REQUESTS = 1000
/** Maximum number of stored requests, including closed ones. */
const MAX_REQUESTS = 20_000

/** Whether a queue has reached one of its limits and accepts no new requests. */
export const isFull = (records: readonly { readonly status: RequestStatus }[]): boolean =>
  records.length >= MAX_REQUESTS || records.filter(({ status }) => !CLOSED.has(status)).length >= MAX_OPEN_REQUESTS

/** Whether a reviewer has opened the request. Unreviewed names are not published: they could be advertisements. */
const opened = ({ status, changes }: RequestRecord): boolean =>
  [status, ...changes.map((change) => change.status)].some((was) => !UNOPENED.has(was))
const UNOPENED = new Set<RequestStatus>(['pending', 'expired', 'withdrawn'])

/** Returns the public members of a request, without contact, sender and note. */
export const rowOf = (record: RequestRecord): RequestRow => ({
  request_id: record.request_id,
  request_type: record.body.request_type,
  symbol: opened(record) ? record.body.symbol : null,
  name: opened(record) ? record.body.name : null,
  status: record.status,
  submitted_at: record.submitted_at,
  updated_at: record.updated_at,
  reason_code: record.reason_code,
  reason: record.reason,
})

/** Returns the public state of a queue: whether it is full, counts by state, and the newest rows. */
export function requestsOf(records: readonly RequestRecord[]): typeof NO_REQUESTS {
  const counts = { ...NO_REQUESTS.counts }
  for (const { status } of records) counts[status]++
  const pending = records.filter(({ status }) => status === 'pending').map(({ submitted_at }) => submitted_at)
  const rows = records.toSorted(byAge).toReversed().slice(0, MAX_REQUEST_ROWS).map(rowOf)
  const state = isFull(records) ? 'full' : 'open'
  return { state, counts, oldest_pending_at: pending.toSorted()[0] ?? null, count: rows.length, rows }
}
