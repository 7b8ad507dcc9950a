import { expect, it } from 'vitest'
import { Progress } from '../../src/run/progress.ts'
import { SourceError } from '../../src/sources/source-error.ts'
import { sourceOf } from '../feed/world.ts'

const answer = { error: null, rows: 1, requests: 1 }
const sources = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => sourceOf(id))

it('names the sources that a run waits for, and nothing once all have answered', () => {
  const progress = new Progress()
  expect(progress.waiting(0)).toBeNull()
  expect(progress.asking(sources, 'live')).toMatch(/^Asking 6 sources\. Their lists take/)
  expect(new Progress().asking(sources, 'sample')).toBe('Asking 6 sources.')
  expect(progress.waiting(3000)).toBe('  0 of 6 sources answered after 3 s; waiting for A, B, C, D and 2 more')
  for (const source of sources.slice(0, 4)) progress.answered({ source, ...answer })
  expect(progress.waiting(6000)).toBe('  4 of 6 sources answered after 6 s; waiting for E, F')
  for (const source of sources.slice(4)) progress.answered({ source, ...answer })
  expect(progress.waiting(9000)).toBeNull()
})

it('counts a source that failed as failed, not as one that answered', () => {
  const progress = new Progress()
  progress.asking(sources, 'live')
  const error = new SourceError('source_unreachable', 'down')
  for (const source of sources.slice(0, 2)) progress.answered({ source, error, rows: 0, requests: 4 })
  for (const source of sources.slice(2, 4)) progress.answered({ source, ...answer })
  // One that there was nothing to ask is neither.
  for (const source of sources.slice(4, 5)) progress.answered({ source, error: null, rows: 0, requests: 0 })
  expect(progress.waiting(4000)).toBe('  2 of 5 sources answered, 2 failed after 4 s; waiting for F')
})

it('estimates past prices, and says how many of them were requested', () => {
  const progress = new Progress()
  expect(progress.planned({ requests: 0, seconds: 0 })).toBe('No past prices to request.')
  expect(progress.waiting(1000)).toBeNull()
  expect(progress.planned({ requests: 30, seconds: 240 })).toContain('30 requests, at least 4 min')
  expect(progress.planned({ requests: 30, seconds: 12.2 })).toContain('at least 13 s')
  progress.requested(12)
  expect(progress.waiting(30_000)).toBe('  12 of 30 requests for past prices made after 30 s')
  progress.requested(18)
  expect(progress.waiting(60_000)).toBeNull()
})
