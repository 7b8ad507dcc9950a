import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { SENDER_LIMITS, limitStatus } from '../../src/service/sender-limits.ts'

const HOUR = 3_600_000

it.each([
  ['nothing was sent', [], { wait: 0, left: 5 }, '"hour";r=5;t=3600'],
  ['some were sent', [-1000, -2000], { wait: 0, left: 3 }, '"hour";r=3;t=3598'],
  [
    'five were sent this hour',
    [-5, -4, -3, -2, -1].map((minutes) => minutes * 60_000),
    { wait: 3300, left: 0 },
    '"hour";r=0;t=3300',
  ],
  ['five were sent an hour ago', Array.from({ length: 5 }, () => -HOUR), { wait: 0, left: 5 }, '"hour";r=5;t=3600'],
  [
    'twenty were sent today',
    Array.from({ length: 20 }, () => -2 * HOUR),
    { wait: 79_200, left: 0 },
    '"day";r=0;t=79200',
  ],
])('when %s', (_, times, expected, header) => {
  const found = limitStatus(times, 0, SENDER_LIMITS.network)
  expect(found).toMatchObject(expected)
  expect(found.headers['ratelimit']).toBe(header)
})

it('has no limit without limits', () =>
  expect(limitStatus([0, 0, 0], 0, [])).toEqual({ wait: 0, left: Infinity, headers: {} }))

it('accepts a request exactly when the announced wait is over', () => {
  const times = fc.array(
    fc.integer({ min: -90_000, max: 0 }).map((seconds) => seconds * 1000),
    { maxLength: 40 },
  )
  fc.assert(
    fc.property(times, (sent) => {
      const { wait } = limitStatus(sent, 0, SENDER_LIMITS.network)
      expect(limitStatus(sent, wait * 1000, SENDER_LIMITS.network).wait).toBe(0)
      if (wait > 0) expect(limitStatus(sent, (wait - 1) * 1000, SENDER_LIMITS.network).wait).toBeGreaterThan(0)
    }),
  )
})
