import { expect, it } from 'vitest'
import type { RequestRecord } from '../../src/requests/queue.ts'
import { CONTACT_MS, EXPIRY_MS, RECORD_MS, due, outdated, applyDueChanges } from '../../src/requests/due-changes.ts'
import { AT, memoryQueue, recordOf } from '../service/world.ts'

const NOW = Date.parse(AT)
const NO_SLUGS = new Set<string>()
const record = (given: Partial<RequestRecord>): RequestRecord => ({ ...recordOf('request-1'), ...given })
const withContact = (given: Partial<RequestRecord>): RequestRecord =>
  record({
    ...given,
    key_digest: 'k',
    body: {
      request_type: 'new',
      name: 'A',
      symbol: 'A',
      website: 'https://a.example',
      contact_email: 'a@a.example',
      requester_role: 'founder',
      note: 'Call me on 555',
    },
  })

it.each(['pending', 'in_review', 'needs_info'] as const)('expires what is %s for 90 days', (status) => {
  expect(due(record({ status }), NO_SLUGS, NOW + EXPIRY_MS - 1).status).toBe(status)
  expect(due(record({ status }), NO_SLUGS, NOW + EXPIRY_MS)).toMatchObject({
    status: 'expired',
    reason_code: 'no_decision',
  })
})

it('lists what is approved once the feed has it', () => {
  const approved = record({ status: 'approved', listing: 'a-coin' })
  expect(due(approved, NO_SLUGS, NOW)).toBe(approved)
  expect(due(approved, new Set(['a-coin']), NOW)).toMatchObject({ status: 'listed', reason_code: 'in_feed' })
})

it.each(['rejected', 'listed', 'expired', 'withdrawn', 'duplicate', 'approved'] as const)(
  'forgets who sent what is %s for 30 days, and nothing else',
  (status) => {
    const closed = withContact({ status })
    expect(due(closed, NO_SLUGS, NOW + CONTACT_MS - 1)).toBe(closed)
    const after = due(closed, NO_SLUGS, NOW + CONTACT_MS)
    expect(JSON.stringify(after)).not.toMatch(/a@a\.example|founder|555/)
    expect(after).toEqual({
      ...closed,
      sender: '',
      key_digest: null,
      body: { request_type: 'new', name: 'A', symbol: 'A', website: 'https://a.example' },
    })
    expect(due(after, NO_SLUGS, NOW + 2 * CONTACT_MS)).toBe(after)
  },
)

it('keeps the contact of an open request', () => {
  const open = withContact({ status: 'in_review' })
  expect(due(open, NO_SLUGS, NOW + CONTACT_MS)).toBe(open)
})

it('does and counts what is due in a queue, once', async () => {
  const queue = memoryQueue()
  await queue.add({ ...recordOf('request-1'), status: 'approved', listing: 'a-coin' })
  await queue.add({ ...recordOf('request-2'), submitted_at: AT, updated_at: '2026-01-01T00:00:00Z' })
  await queue.add({ ...recordOf('request-3'), status: 'rejected', updated_at: '2026-01-01T00:00:00Z' })
  await queue.add(recordOf('request-4'))
  const slugs = new Set(['a-coin'])
  expect(await applyDueChanges(queue, slugs, NOW)).toEqual({ listed: 1, expired: 1, purged: 1, deleted: 0 })
  expect(await applyDueChanges(queue, slugs, NOW)).toEqual({ listed: 0, expired: 0, purged: 0, deleted: 0 })
})

it('deletes what was closed a year ago, and the oldest of what is closed where there is too much of it', async () => {
  const closedAt = (id: string, days: number) =>
    record({
      request_id: `request-${id}`,
      status: 'rejected',
      updated_at: new Date(NOW - days * 86_400_000).toISOString(),
    })
  const records = [closedAt('c', 3), record({ status: 'pending' }), closedAt('a', 1), closedAt('b', 2)]
  expect(outdated(records, NOW)).toEqual([])
  expect(outdated(records, NOW, 1).map(({ request_id }) => request_id)).toEqual(['request-b', 'request-c'])
  const queue = memoryQueue()
  for (const one of [...records, closedAt('old', RECORD_MS / 86_400_000)]) await queue.add(one)
  expect(await applyDueChanges(queue, NO_SLUGS, NOW)).toMatchObject({ deleted: 1 })
  expect([...queue.records.keys()]).not.toContain('request-old')
})
