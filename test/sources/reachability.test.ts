import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { NO_ANSWER_MS, reachability } from '../../src/core/sources/request.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('ends a run within ten seconds if no host answers', () => {
  const network = reachability()
  vi.advanceTimersByTime(60_000)
  expect(network.signal.aborted).toBe(false)
  network.asked()
  vi.advanceTimersByTime(NO_ANSWER_MS)
  network.asked()
  expect(network.signal.aborted).toBe(false)
  vi.advanceTimersByTime(9_000 - NO_ANSWER_MS)
  expect(network.signal.reason).toMatchObject({
    code: 'source_unreachable',
    message: 'no host answered within 6 s',
  })
})

it.each([0, NO_ANSWER_MS - 1, NO_ANSWER_MS + 100])('goes on once a host has answered, after %i ms', (ms) => {
  const network = reachability()
  network.asked()
  vi.advanceTimersByTime(ms)
  network.answered()
  network.asked()
  vi.advanceTimersByTime(600_000)
  expect(network.signal.aborted).toBe(false)
})
