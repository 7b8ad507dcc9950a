import { expect, it } from 'vitest'
import type { RequestStatus } from '../../src/contract/listing-request.ts'
import { MAX_OPEN_REQUESTS, requestsOf } from '../../src/requests/public-state.ts'
import type { RequestRecord } from '../../src/requests/queue.ts'
import { recordOf } from '../service/world.ts'

const records = (count: number, status: RequestStatus): RequestRecord[] =>
  Array.from({ length: count }, (_, index) => ({ ...recordOf(`${status.replace('_', '-')}-${index}`), status }))

it.each([
  [0, 0, 'open'],
  [MAX_OPEN_REQUESTS - 1, 5000, 'open'],
  [MAX_OPEN_REQUESTS, 0, 'full'],
] as const)('says of %d open and %d closed requests that the queue is %s', (open, closed, state) =>
  expect(requestsOf([...records(open, 'pending'), ...records(closed, 'rejected')]).state).toBe(state),
)

it('counts all requests and shows the newest', () => {
  const all = records(1500, 'rejected').map((record, index) => ({
    ...record,
    submitted_at: new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString().replace('.000', ''),
  }))
  const { counts, count, rows } = requestsOf(all)
  expect([counts.rejected, count, rows.length]).toEqual([1500, 1000, 1000])
  expect(rows[0]?.request_id).toBe('rejected-1499')
})
