import { expect, it } from 'vitest'
import { progressOf } from '../../src/delivery/run-report.ts'
import { reportOf, sourceOf } from '../feed/world.ts'

const planned = (told: ReturnType<typeof progressOf>, plan: { readonly requests: number; readonly seconds: number }) =>
  told({ kind: 'planned', ...plan })[0]
const sources = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => sourceOf(id))

it('says how many sources it asks, and what each of them answered', () => {
  const told = progressOf('live')
  expect(told({ kind: 'asking', sources })[0]).toMatch(/^Asking 6 sources\. Their lists take/)
  expect(progressOf('sample')({ kind: 'asking', sources })).toEqual(['Asking 6 sources.'])
  const [source = sourceOf('a')] = sources
  expect(told({ kind: 'answered', report: reportOf(source, { rows: 1, requests: 1 }) })).toEqual([
    expect.stringMatching(/^ {2}A +ok +1 rows, 1 requests/),
  ])
})

it('estimates past prices, and says at each tenth how many of them were requested', () => {
  const told = progressOf('live')
  expect(planned(told, { requests: 0, seconds: 0 })).toBe('No past prices to request.')
  expect(planned(told, { requests: 30, seconds: 240 })).toContain('30 requests, at least 4 min')
  expect(planned(told, { requests: 30, seconds: 12.2 })).toContain('at least 13 s')
  const requested = (requests: number) => told({ kind: 'requested', requests })
  expect(requested(2)).toEqual([])
  expect(requested(10)).toEqual(['  12 of 30 requests for past prices made'])
  expect(requested(1)).toEqual([])
  expect(requested(17)).toEqual(['  30 of 30 requests for past prices made'])
})
