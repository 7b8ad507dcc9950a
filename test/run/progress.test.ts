import { expect, it } from 'vitest'
import { progressOf } from '../../src/delivery/run-report.ts'
import type { Report } from '../../src/core/sources/collect.ts'
import type { Source } from '../../src/core/sources/source.ts'
import { reportOf, sourceOf } from '../feed/world.ts'

const answered = (progress: ReturnType<typeof progressOf>, source: Source, given: Partial<Report> = {}) =>
  progress.note({ kind: 'answered', report: reportOf(source, { rows: 1, requests: 1, ...given }) })
const planned = (
  progress: ReturnType<typeof progressOf>,
  plan: { readonly requests: number; readonly seconds: number },
) => progress.note({ kind: 'planned', ...plan })[0]
const sources = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => sourceOf(id))

it('names the sources that a run waits for, and nothing once all have answered', () => {
  const progress = progressOf('live')
  expect(progress.waiting(0)).toBeNull()
  expect(progress.note({ kind: 'asking', sources })[0]).toMatch(/^Asking 6 sources\. Their lists take/)
  expect(progressOf('sample').note({ kind: 'asking', sources })).toEqual(['Asking 6 sources.'])
  expect(progress.waiting(3000)).toBe('  waiting for 6 of 6 sources after 3 s: A, B, C, D and 2 more')
  for (const source of sources.slice(0, 4)) answered(progress, source)
  expect(progress.waiting(6000)).toBe('  waiting for 2 of 6 sources after 6 s: E, F')
  for (const source of sources.slice(4)) answered(progress, source)
  expect(progress.waiting(9000)).toBeNull()
})

it('estimates past prices, and says how many of them were requested', () => {
  const progress = progressOf('live')
  expect(planned(progress, { requests: 0, seconds: 0 })).toBe('No past prices to request.')
  expect(progress.waiting(1000)).toBeNull()
  expect(planned(progress, { requests: 30, seconds: 240 })).toContain('30 requests, at least 4 min')
  expect(planned(progress, { requests: 30, seconds: 12.2 })).toContain('at least 13 s')
  progress.note({ kind: 'requested', requests: 12 })
  expect(progress.waiting(30_000)).toBe('  12 of 30 requests for past prices made after 30 s')
  progress.note({ kind: 'requested', requests: 18 })
  expect(progress.waiting(60_000)).toBeNull()
})
