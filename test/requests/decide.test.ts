import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { RequestStatus } from '../../src/contract/listing-request.ts'
import { CLOSED, REASONS, ReviewError, TRANSITIONS, decide, reasonsFor } from '../../src/requests/decisions.ts'
import { AT, recordOf } from '../service/world.ts'

const LATER = Date.parse(AT) + 3_600_000
const inState = (status: RequestStatus) => ({ ...recordOf('request-1'), status })
const codeFor = (status: RequestStatus) => ({ code: reasonsFor(status)[0] ?? '' })

it.each([
  ['pending', 'in_review', ['in_review']],
  ['pending', 'approved', ['in_review', 'approved']],
  ['pending', 'rejected', ['in_review', 'rejected']],
  ['in_review', 'needs_info', ['needs_info']],
  ['needs_info', 'in_review', ['in_review']],
  ['needs_info', 'rejected', ['in_review', 'rejected']],
  ['approved', 'listed', ['listed']],
  ['pending', 'withdrawn', ['withdrawn']],
] as const)('goes from %s to %s by %j, and appends each step', (from, to, way) => {
  const after = decide(inState(from), { status: to, ...codeFor(to) }, LATER)
  expect(after.status).toBe(to)
  expect(after.changes.map(({ status }) => status)).toEqual(way)
  expect(after.updated_at).toBe('2026-11-20T13:00:00Z')
  expect(after.reason).toBeTruthy()
})

it.each([
  ['pending', 'listed'],
  ['in_review', 'listed'],
  ['approved', 'rejected'],
  ['rejected', 'in_review'],
  ['listed', 'approved'],
  ['expired', 'in_review'],
  ['in_review', 'in_review'],
] as const)('does not go from %s to %s', (from, to) => {
  expect(() => decide(inState(from), { status: to, ...codeFor(to) }, LATER)).toThrow(ReviewError)
})

it('keeps to the table on every walk, and forgets no step of it', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...RequestStatus.options), { maxLength: 12 }), (wanted) => {
      let record = recordOf('request-1')
      for (const status of wanted) {
        try {
          record = decide(record, { status, ...codeFor(status) }, LATER)
        } catch (error) {
          expect(error).toBeInstanceOf(ReviewError)
        }
      }
      const path: RequestStatus[] = ['pending', ...record.changes.map(({ status }) => status)]
      for (const [place, status] of path.slice(1).entries()) {
        const from = path[place]
        expect(from && TRANSITIONS[from]).toContain(status)
      }
      expect(path.at(-1)).toBe(record.status)
    }),
  )
})

it('requires a reason if there are several, and lists them', () => {
  expect(() => decide(inState('in_review'), { status: 'rejected' }, LATER)).toThrow(/rejected needs a reason. .*spam/)
  expect(() => decide(inState('in_review'), { status: 'rejected', code: 'in_feed' }, LATER)).toThrow(
    /"in_feed" is not a reason for rejected/,
  )
  expect(decide(inState('in_review'), { status: 'approved' }, LATER).reason_code).toBe('meets_criteria')
})

it("shows a reviewer's note in place of the reason's sentence", () => {
  const decision = { status: 'rejected', code: 'spam', note: 'Three times is enough.' } as const
  expect(decide(inState('pending'), decision, LATER)).toMatchObject({
    reason_code: 'spam',
    reason: 'Three times is enough.',
  })
})

it.each(['', 'two\nlines', 'turned \u202e around', 'x'.repeat(501)])('refuses the note %j', (note) => {
  expect(() => decide(inState('pending'), { status: 'approved', note }, LATER)).toThrow(/note/)
})

it('can explain every state but the first, and lets every open one end', () => {
  for (const status of RequestStatus.options) {
    if (status !== 'pending') expect(reasonsFor(status)).not.toEqual([])
    if (!CLOSED.has(status)) expect(TRANSITIONS[status]).toContain('withdrawn')
  }
  for (const { states, sentence } of Object.values(REASONS)) {
    expect(states.length).toBeGreaterThan(0)
    expect(sentence).toMatch(/\.$/)
  }
})
