import { expect, it } from 'vitest'
import {
  CONTACT_MS,
  DECIDED_MS,
  ReviewError,
  UNDECIDED_MS,
  applyRetention,
  decide,
  requestsOf,
  retained,
} from '../../src/requests/queue.ts'
import { MAX_OPEN_REQUESTS, MAX_REQUESTS, type RequestRecord } from '../../src/requests/queue.ts'
import { AT, memoryQueue, recordOf } from '../service/world.ts'

const NOW = Date.parse(AT)
const record = (given: Partial<RequestRecord> = {}): RequestRecord => ({ ...recordOf('request-1'), ...given })
const PRIVATE = { contact_email: 'a@a.example', requester_role: 'founder', note: 'Call me on 555' }

it.each([
  ['pending', 'accepted'],
  ['pending', 'needs_info'],
  ['needs_info', 'rejected'],
] as const)('goes from %s to %s with a text', (from, to) =>
  expect(decide(record({ status: from }), to, 'A text.', NOW + 3_600_000)).toMatchObject({
    status: to,
    reason: 'A text.',
    updated_at: '2026-11-20T13:00:00Z',
  }),
)

it.each(['accepted', 'rejected'] as const)('decides nothing twice: %s is final', (status) =>
  expect(() => decide(record({ status }), 'rejected', 'A text.', NOW)).toThrow(ReviewError),
)

it.each(['', 'two\nlines', 'turned \u202e around', 'x'.repeat(501)])('refuses the text %j', (text) =>
  expect(() => decide(record(), 'rejected', text, NOW)).toThrow(ReviewError),
)

it('shows a name once somebody has read it, and never a contact, a note or the sender', () => {
  const body = { ...record().body, ...PRIVATE }
  const records = (['pending', 'needs_info', 'accepted', 'rejected'] as const).map((status) => record({ status, body }))
  const state = requestsOf(records)
  const names = state.rows.map(({ status, name }) => [status, name] as const)
  expect(Object.fromEntries(names)).toEqual({ pending: null, needs_info: 'A', accepted: 'A', rejected: 'A' })
  expect(JSON.stringify(state)).not.toMatch(/a@a\.example|founder|555|"s"/)
})

it.each([
  ['open', MAX_OPEN_REQUESTS - 1, 500],
  ['full', MAX_OPEN_REQUESTS, 0],
  ['full', 1, MAX_REQUESTS],
] as const)('is %s with %i open and %i decided requests, and shows the newest thousand', (state, open, decided) => {
  const many = (count: number, given: Partial<RequestRecord>) => Array.from({ length: count }, () => record(given))
  const found = requestsOf([...many(decided, { status: 'rejected' }), ...many(open, {})])
  expect([found.state, found.counts.pending, found.counts.rejected]).toEqual([state, open, decided])
  expect(found.rows.length).toBe(Math.min(1000, open + decided))
})

it('keeps an undecided request, with its contact, for 90 days', () => {
  const open = record({ status: 'needs_info', body: { ...record().body, ...PRIVATE } })
  expect(retained(open, NOW + UNDECIDED_MS - 1)).toBe(open)
  expect(retained(open, NOW + UNDECIDED_MS)).toBeNull()
})

it('keeps who sent a decided request for 30 days, and the request for a year', () => {
  const decided = record({ status: 'rejected', body: { ...record().body, ...PRIVATE } })
  expect(retained(decided, NOW + CONTACT_MS - 1)).toBe(decided)
  const after = retained(decided, NOW + CONTACT_MS)
  expect(after).toEqual(record({ status: 'rejected', sender: '' }))
  expect(after && retained(after, NOW + DECIDED_MS - 1)).toBe(after)
  expect(after && retained(after, NOW + DECIDED_MS)).toBeNull()
})

it('deletes what is due in a queue, once, and the oldest of too many decided requests', async () => {
  const queue = memoryQueue()
  const old = '2026-10-01T00:00:00Z'
  await queue.add({ ...recordOf('request-1'), status: 'rejected', updated_at: old })
  await queue.add({ ...recordOf('request-2'), updated_at: '2026-01-01T00:00:00Z' })
  await queue.add(recordOf('request-3'))
  expect(await applyRetention(queue, NOW)).toEqual({ contacts: 1, deleted: 1, error: null })
  expect(await applyRetention(queue, NOW)).toEqual({ contacts: 0, deleted: 0, error: null })
  for (let number = 0; number < 500; number++) await queue.add({ ...recordOf(`decided-${number}`), status: 'rejected' })
  expect(await applyRetention(queue, NOW)).toEqual({ contacts: 0, deleted: 1, error: null })
  expect(queue.records.size).toBe(501)
})
